"""Who signs. A signer knows a curve and bytes, never a chain; one provider a file."""
