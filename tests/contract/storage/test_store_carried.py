"""Bytes that can land only once are carried by one transaction, whoever else brings them, in every store."""

import asyncio

from msgspec.structs import replace
from tests.contract.storage.making import an_accept

from baton.domain.transaction import Revision, State
from baton.storage.base import Store
from baton.storage.changes import Accept, Accepted, Advance, Carried, Done, Progress


def bringing(fingerprint: str, key: str | None = None) -> Accept:
    change = an_accept(key=key)
    return replace(change, revision=Revision(1, {}, fingerprint=fingerprint))


async def test_the_second_to_bring_them_is_told_who_carries_them(store: Store) -> None:
    first = await store.write(bringing("a"))
    assert isinstance(first, Accepted)
    assert await store.write(bringing("a", key="k")) == Carried(first.transaction.id)
    assert isinstance(await store.write(bringing("b", key="k")), Accepted), "a refused one leaves no key behind"


async def test_of_many_at_once_one_carries_them_and_no_number_is_lost(store: Store) -> None:
    outcomes = await asyncio.gather(*(store.write(bringing("a")) for _ in range(20)))
    [winner] = [one for one in outcomes if isinstance(one, Accepted)]
    assert outcomes.count(Carried(winner.transaction.id)) == 19
    following = await store.write(an_accept())
    assert isinstance(following, Accepted)
    assert (winner.transaction.seq, following.transaction.seq) == (1, 2)


async def test_a_replacement_that_brings_them_is_refused_unless_they_are_its_own(store: Store) -> None:
    first, second = await store.write(bringing("a")), await store.write(bringing("b"))
    assert isinstance(first, Accepted)
    assert isinstance(second, Accepted)

    def replacing(one: Accepted, fingerprint: str) -> Progress:
        state = State(one.transaction.status, revision=2)
        revision = Revision(2, {}, fingerprint=fingerprint)
        return Progress(
            one.transaction.created_at, advances=(Advance(one.transaction.id, 1, (state,), None, revision),)
        )

    assert await store.write(replacing(second, "a")) == Carried(first.transaction.id)
    assert await store.write(replacing(second, "b")) == Done()
