"""`python -m baton`: the same as the command `baton`."""

from baton.cli import main

if __name__ == "__main__":
    main()
