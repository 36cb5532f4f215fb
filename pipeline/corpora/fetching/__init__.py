"""Bytes from the network, a mirror, a package or a disk, verified before they get their name."""
