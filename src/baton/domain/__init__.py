"""What is true whatever the parts: plain values and rules. No I/O, no async, standard library only."""
