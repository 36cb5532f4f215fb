"""Rewriting sentences by their dependency trees into variants with the same or another meaning."""
