"""The commands: a script for each stage of dvc.yaml, and the tools of the ``synsem`` program."""
