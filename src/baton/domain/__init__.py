"""What is true whatever the parts: plain values and rules. No I/O, no async, no library but structs."""
