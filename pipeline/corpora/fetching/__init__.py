"""Fetching of files from the network, a mirror, a package index or a disk, verified by size and sha256."""
