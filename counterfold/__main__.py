"""``python -m counterfold`` is the command line."""

from counterfold.cli.main import main

if __name__ == "__main__":
    main()
