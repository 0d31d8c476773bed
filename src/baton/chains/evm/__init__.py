"""The EVM family: Ethereum and every chain that speaks its wire format."""
