"""One function for each thing a client can ask; one write each. No HTTP in here, no SQL, no chain by name."""
