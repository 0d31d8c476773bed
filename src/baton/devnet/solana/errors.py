"""What the node answers instead of a result, with the codes and the sentences of a validator.

A client that classifies errors by code and text must find here what it would find at a real node.
"""

from baton.domain.errors import Refused
from baton.domain.json import Json

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
PREFLIGHT_FAILURE = -32002
SIGNATURE_FAILURE = -32003
BLOCK_NOT_AVAILABLE = -32004
NODE_UNHEALTHY = -32005
SLOT_SKIPPED = -32007
UNSUPPORTED_VERSION = -32015
MIN_CONTEXT_SLOT = -32016


class RpcRefused(Refused):
    """A JSON-RPC error object on its way out."""

    def __init__(self, code: int, message: str, data: Json = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data

    def to_json(self) -> Json:
        body: dict[str, Json] = {"code": self.code, "message": self.message}
        if self.data is not None:
            body["data"] = self.data
        return body


def invalid_params(message: str) -> RpcRefused:
    return RpcRefused(INVALID_PARAMS, message)


_TRANSACTION_TEXT = {
    "AccountNotFound": "Attempt to debit an account but found no record of a prior credit.",
    "AddressLookupTableNotFound": "Transaction loads an address table account that doesn't exist",
    "AlreadyProcessed": "This transaction has already been processed",
    "BlockhashNotFound": "Blockhash not found",
    "InsufficientFundsForFee": "Insufficient funds for fee",
    "InvalidAccountForFee": "This account may not be used to pay transaction fees",
    "InvalidAddressLookupTableData": "Transaction loads an address table account with invalid data",
    "InvalidAddressLookupTableIndex": "Transaction address table lookup uses an invalid index",
    "InvalidProgramForExecution": "This program may not be used for executing instructions",
    "ProgramAccountNotFound": "Attempt to load a program that does not exist",
    "SanitizeFailure": "Transaction failed to sanitize accounts offsets correctly",
    "SignatureFailure": "Transaction did not pass signature verification",
    "TooManyAccountLocks": "Transaction locked too many accounts",
}

_INSTRUCTION_TEXT = {
    "AccountAlreadyInitialized": "instruction requires an uninitialized account",
    "ComputationalBudgetExceeded": "Computational budget exceeded",
    "ExternalAccountLamportSpend": "instruction spent from the balance of an account it does not own",
    "IncorrectProgramId": "incorrect program id for instruction",
    "InsufficientFunds": "insufficient funds for instruction",
    "InvalidAccountData": "invalid account data for instruction",
    "InvalidAccountOwner": "Invalid account owner",
    "InvalidArgument": "invalid program argument",
    "InvalidInstructionData": "invalid instruction data",
    "InvalidSeeds": "Provided seeds do not result in a valid address",
    "MissingRequiredSignature": "missing required signature for instruction",
    "NotEnoughAccountKeys": "insufficient account keys for instruction",
    "ProgramFailedToComplete": "Program failed to complete",
    "UnbalancedInstruction": "sum of account balances before and after instruction do not match",
    "UninitializedAccount": "instruction requires an initialized account",
    "UnsupportedProgramId": "Unsupported program id",
}


def transaction_error_text(error: Json) -> str:
    """The sentence a validator prints for a transaction error in its JSON form."""
    if isinstance(error, str):
        return _TRANSACTION_TEXT.get(error, error)
    if "InstructionError" in error:
        index, cause = error["InstructionError"]
        return f"Error processing Instruction {index}: {_instruction_error_text(cause)}"
    if "InsufficientFundsForRent" in error:
        index = error["InsufficientFundsForRent"]["account_index"]
        return f"Transaction results in an account ({index}) with insufficient funds for rent"
    return str(error)


def _instruction_error_text(cause: Json) -> str:
    if isinstance(cause, dict) and "Custom" in cause:
        return f"custom program error: {cause['Custom']:#x}"
    return _INSTRUCTION_TEXT.get(cause, str(cause)) if isinstance(cause, str) else str(cause)
