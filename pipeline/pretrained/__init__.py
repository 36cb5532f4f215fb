"""The trained model that comes with SynSem, and how it is unpacked."""
