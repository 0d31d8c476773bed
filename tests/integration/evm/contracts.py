"""Tiny contracts as bytecode, each written out so that no compiler is needed."""

ERROR = "08c379a0"  # Error(string)


def creation(runtime: str) -> str:
    """Init code that deploys `runtime`: copy the bytes behind us, return them."""
    size = len(runtime) // 2
    assert size < 256
    # PUSH1 size, DUP1, PUSH1 offset, PUSH1 0, CODECOPY, PUSH1 0, RETURN
    return f"0x60{size:02x}80600b6000396000f3{runtime}"


# SSTORE(0, CALLDATALOAD(0))
KEEPER = creation("60003560005500")


def reverting(reason: str) -> str:
    """Whatever it is called with, it reverts with Error(reason)."""
    text = reason.encode()
    assert len(text) <= 32
    code = "".join(
        [
            f"63{ERROR}60e01b600052",  # MSTORE(0, selector << 224)
            "6020600452",  # MSTORE(4, 32)
            f"60{len(text):02x}602452",  # MSTORE(36, length)
            f"7f{text.ljust(32, bytes(1)).hex()}604452",  # MSTORE(68, text)
            "60646000fd",  # REVERT(0, 100)
        ]
    )
    return creation(code)


# Reverts without a reason unless SLOAD(0) is set; any call with data sets it:
#   CALLDATASIZE, PUSH1 set, JUMPI, SLOAD(0), PUSH1 end, JUMPI, REVERT(0,0), set: SSTORE(0,1), STOP, end: STOP
LATCH = creation("36600e57600054601557600080fd5b6001600055005b00")
