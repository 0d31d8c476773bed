"""Local chains for `baton dev` and for the tests; production code never imports this room."""
