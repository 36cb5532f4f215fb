"""The ``synsem`` program, also as ``python -m synsem``."""

from stages.cli import main

if __name__ == "__main__":
    main()
