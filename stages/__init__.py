"""One Typer command per DVC stage: it reads the parameters, calls the library and reports."""
