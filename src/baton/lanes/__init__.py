"""The life of a stored transaction. A lane is an account on a network; it knows no chain."""
