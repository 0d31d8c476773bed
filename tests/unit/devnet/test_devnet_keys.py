from coincurve import PrivateKey
from solders.keypair import Keypair
from stellar_sdk import Keypair as StellarKeypair

from baton.devnet import keys


def test_the_evm_key_is_the_first_account_that_anvil_funds() -> None:
    public = PrivateKey(keys.EVM_RELAYER_KEY).public_key.format(compressed=False)
    assert public[1:].hex().startswith("8318535b54105d4a7aae60c08fc45f96")


def test_the_ed25519_seeds_are_fixed_and_differ() -> None:
    assert str(Keypair.from_seed(keys.SOLANA_RELAYER_SEED).pubkey()) == "6Yo84Xgeye5QdUKh5hkF28KKTHu7WBb5TUofAS32HAq"
    assert (
        StellarKeypair.from_raw_ed25519_seed(keys.STELLAR_RELAYER_SEED).public_key
        == "GB3DLO42VGKQ47ZSAZW34DZCNDJJIOA4YNIEN7IYCQONPXEXY2OCGMWP"
    )
