"""The one exception that a user is meant to read."""


class SynsemError(Exception):
    """Something the user can fix: one sentence that names the file or key, and the remedy.

    The command line prints it on one line and exits with code 1, without a traceback.
    """
