"""The Stellar family: operations and XDR in, ledger entries out."""
