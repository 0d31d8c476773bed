"""What a Solana relayer's policy says about one transaction; what needs a node or a rolling sum is the lane's."""

from baton.chains.solana.outflow import gives_away, hands_over, lamports_out
from baton.chains.solana.outline import Outline
from baton.domain.errors import Invalid
from baton.domain.policy import SolanaPolicy


def check(outline: Outline, policy: SolanaPolicy, relayer_address: str) -> None:
    """Raises `Invalid` for the first rule that the transaction breaks."""
    _sizes(outline, policy)
    _programs(outline, policy)
    _accounts(outline, policy)
    _money(outline, policy, relayer_address)


def _sizes(outline: Outline, policy: SolanaPolicy) -> None:
    count = len(outline.calls)
    if count > policy.max_instructions:
        raise Invalid(outline.path, f"{count} instructions", f"at most {policy.max_instructions} (policy)")
    signatures = len(outline.signers)
    if policy.max_signatures is not None and signatures > policy.max_signatures:
        raise Invalid(outline.path, f"{signatures} signatures", f"at most {policy.max_signatures} (policy)")
    if outline.size > policy.max_tx_data_size:
        raise Invalid(outline.path, f"{outline.size} bytes", f"at most {policy.max_tx_data_size} bytes (policy)")


def _programs(outline: Outline, policy: SolanaPolicy) -> None:
    for call in outline.calls:
        is_allowed = policy.allowed_programs is None or call.program in policy.allowed_programs
        if not is_allowed or call.program in policy.denied_programs:
            raise Invalid(f"{call.path}.program_id", call.program, "a program that the relayer's policy allows")


def _accounts(outline: Outline, policy: SolanaPolicy) -> None:
    denied = sorted(outline.addresses.intersection(policy.denied_accounts))
    if denied:
        raise Invalid(outline.path, f"account {denied[0]}", "no account that the relayer's policy denies")
    if outline.is_partly_hidden and (policy.denied_accounts or policy.allowed_accounts is not None):
        # what stands in a table on chain may change between this check and the landing
        raise Invalid(outline.path, "address lookup tables", "every account spelled out (policy on accounts)")
    if policy.allowed_accounts is None:
        return
    allowed = {*policy.allowed_accounts, *outline.signers}
    for call in outline.calls:
        for j, account in enumerate(call.accounts):
            if account not in allowed:
                raise Invalid(f"{call.path}.accounts[{j}]", str(account), "an account that the relayer's policy allows")


def _money(outline: Outline, policy: SolanaPolicy, relayer_address: str) -> None:
    if not policy.allow_fee_payer_transfers:
        for call in outline.calls:
            if gives_away(call, relayer_address):
                raise Invalid(call.path, "a call that takes from the relayer's own account", "none (policy)")
    if policy.limits_lamports:
        for call in outline.calls:
            if hands_over(call, relayer_address):
                expected = "none, because the relayer's policy limits its lamports"
                raise Invalid(call.path, "a call that gives the relayer's own account another owner", expected)
    total = sum(lamports_out(call, relayer_address) for call in outline.calls)
    if policy.max_lamports is not None and total > policy.max_lamports:
        expected = f"at most {policy.max_lamports} lamports (policy)"
        raise Invalid(outline.path, f"{total} lamports out of the relayer's account", expected)
