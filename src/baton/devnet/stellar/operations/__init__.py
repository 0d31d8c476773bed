"""One room for each group of operation types; `table.py` names them all."""
