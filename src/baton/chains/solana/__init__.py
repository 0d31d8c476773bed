"""The Solana family: instructions and wire transactions in, signatures out."""
