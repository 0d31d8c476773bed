"""A denied program is denied however it is reached."""

from tests.integration.solana.conftest import Make
from tests.integration.solana.programs import TOKEN, make_token_accounts
from tests.integration.solana.rig import body
from tests.integration.solana.test_solana_programs import OWNER, associated, mint_of

from baton.domain.policy import SolanaPolicy


async def test_a_program_that_calls_a_denied_one_from_within_is_refused(make_rig: Make) -> None:
    rig = await make_rig(SolanaPolicy(denied_programs=(str(TOKEN),)))
    [holder] = make_token_accounts(rig, rig.key.pubkey(), amount=1)
    one = await rig.submit(body(associated(rig, mint_of(rig, holder), OWNER)))
    record = await rig.reaches(one, "failed")
    assert f"from within it would call {TOKEN}" in record["status_reason"]
    assert await rig.attempts(one) == []
