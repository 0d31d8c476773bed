"""The bookkeeping of blocks: what is known, for how long, and from where."""

from solders.hash import Hash

from baton.devnet.solana.blocks import Block, Blocks, Commitment


def block(height: int) -> Block:
    return Block(slot=height + 10, height=height, blockhash=str(Hash.new_unique()), time_s=0, signatures=())


def chain(length: int, kept_blocks: int = 1_000) -> tuple[Blocks, list[Block]]:
    made = [block(height) for height in range(1, length + 1)]
    blocks = Blocks(made[0], kept_blocks)
    for one in made[1:]:
        blocks.append(one, [])
    return blocks, made


def test_a_commitment_deeper_than_the_chain_is_its_first_block() -> None:
    blocks, made = chain(3)
    assert blocks.at_depth(Commitment.PROCESSED.depth) == made[2]
    assert blocks.at_depth(Commitment.CONFIRMED.depth) == made[1]
    assert blocks.at_depth(Commitment.FINALIZED.depth) == made[0]


def test_a_blockhash_is_known_from_its_own_block_for_150_more() -> None:
    blocks, made = chain(200)
    assert not blocks.knows(made[20].blockhash, made[19])
    assert blocks.knows(made[20].blockhash, made[20])
    assert blocks.knows(made[20].blockhash, made[170])
    assert not blocks.knows(made[20].blockhash, made[171])


def test_old_blocks_are_forgotten_and_the_rest_keeps_its_parents() -> None:
    blocks, made = chain(10, kept_blocks=4)
    assert blocks.between(0, 100) == [one.slot for one in made[6:]]
    assert blocks.at_slot(made[5].slot) is None
    assert blocks.parent_of(made[9]) == made[8]
    assert blocks.parent_of(made[6]) is None
    assert blocks.age(made[5].blockhash, blocks.head) is None


def test_a_slot_without_a_block_has_none() -> None:
    blocks, made = chain(3)
    blocks.drop(1)
    later = Block(made[2].slot + 1, made[2].height, str(Hash.new_unique()), 0, ())
    blocks.append(later, [])
    assert blocks.at_slot(made[2].slot) is None
    assert blocks.at_slot(later.slot) == later
    assert blocks.parent_of(later) == made[1]
