"""The shelf of chain families: three siblings with the same file names, strangers to each other."""
