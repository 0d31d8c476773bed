"""The shelf of stores. One database is the only source of truth; rules live above it."""
