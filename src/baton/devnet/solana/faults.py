"""The knobs of the node: what a test turns to make it slow, deaf, behind or unwell.

`devnet_set({...})` turns them over the wire; in-process code sets the fields. Every knob rests at 0 or false.
"""

from dataclasses import dataclass, fields

from baton.devnet.solana.errors import NODE_UNHEALTHY, RpcRefused, invalid_params
from baton.domain.json import Json

MAX_LAG_BLOCKS = 150
_UNHEALTHY_SLOTS = 200


@dataclass(slots=True)
class Faults:
    drop_next: int = 0
    """So many sends are answered with their signature and then forgotten."""

    fee_floor: int = 0
    """Leaders take no transaction that pays less than this, in micro-lamports for each compute unit."""

    block_capacity: int = 0
    """So many transactions fit a block, the best payers first; 0 is no limit."""

    lag_blocks: int = 0
    """The node is so many blocks behind: it answers from its past and knows no newer blockhash."""

    unhealthy: bool = False
    """`getHealth` and preflight are refused; reads still answer."""

    paused: bool = False
    """The cluster has halted: the beat of slots brings no blocks, `devnet_mine` still does."""

    prioritization_fee: int = 0
    """What `getRecentPrioritizationFees` reports for every slot, in micro-lamports for each compute unit."""

    def turn(self, knobs: Json) -> None:
        if not isinstance(knobs, dict):
            raise invalid_params("Invalid params: expected an object of knobs")
        kinds = {field.name: field.type for field in fields(self)}
        for name, value in knobs.items():
            if name not in kinds:
                raise invalid_params(f"Invalid params: unknown knob `{name}`, expected one of {', '.join(kinds)}")
            if type(value) is not kinds[name] or int(value) < 0:
                raise invalid_params(f"Invalid params: {name} must be true, false or a count, as its resting value is")
        if knobs.get("lag_blocks", 0) > MAX_LAG_BLOCKS:
            raise invalid_params(f"Invalid params: lag_blocks may be at most {MAX_LAG_BLOCKS}")
        for name, value in knobs.items():
            setattr(self, name, value)

    def refuse_if_unhealthy(self) -> None:
        if self.unhealthy:
            data = {"numSlotsBehind": _UNHEALTHY_SLOTS}
            raise RpcRefused(NODE_UNHEALTHY, f"Node is behind by {_UNHEALTHY_SLOTS} slots", data)
