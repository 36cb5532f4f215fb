"""One Typer command per DVC stage: read the parameters, call the library, report."""
