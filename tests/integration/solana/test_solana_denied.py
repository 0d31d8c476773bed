"""A denied program is denied however it is reached, and a fee is bounded whoever names it."""

from solders.compute_budget import set_compute_unit_limit, set_compute_unit_price
from tests.integration.solana.conftest import Make
from tests.integration.solana.programs import TOKEN, make_token_accounts
from tests.integration.solana.rig import body
from tests.integration.solana.test_solana_programs import OWNER, associated, mint_of

from baton.chains.solana.fees import MOST_PRIORITY_LAMPORTS, MOST_UNITS
from baton.domain.policy import SolanaPolicy


async def test_a_program_that_calls_a_denied_one_from_within_is_refused(make_rig: Make) -> None:
    rig = await make_rig(SolanaPolicy(denied_programs=(str(TOKEN),)))
    [holder] = make_token_accounts(rig, rig.key.pubkey(), amount=1)
    one = await rig.submit(body(associated(rig, mint_of(rig, holder), OWNER)))
    record = await rig.reaches(one, "failed")
    assert f"from within it would call {TOKEN}" in record["status_reason"]
    assert await rig.attempts(one) == []


async def test_a_client_s_own_price_cannot_burn_the_balance_of_a_relayer_without_a_cap(make_rig: Make) -> None:
    """It pays fees and nothing else: a fee of everything that it has would be a drain, too."""
    rig = await make_rig(SolanaPolicy(allow_fee_payer_transfers=False))
    units, price = set_compute_unit_limit(MOST_UNITS), MOST_PRIORITY_LAMPORTS * 10**6 // MOST_UNITS
    dear = await rig.submit(body(units, set_compute_unit_price(price + 1), rig.tag("dear")))
    record = await rig.reaches(dear, "failed")
    assert "its own compute budget" in record["status_reason"]
    assert await rig.attempts(dear) == []
    await rig.confirms(await rig.submit(body(units, set_compute_unit_price(price), rig.tag("just"))))
    rig.set_policy(max_allowed_fee_lamports=10 * MOST_PRIORITY_LAMPORTS)
    await rig.confirms(await rig.submit(body(units, set_compute_unit_price(price + 1), rig.tag("allowed"))))
