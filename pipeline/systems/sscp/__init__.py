"""SSCP (Adavala & Adavala 2026): two encoders, one reading words and one the tree, aligned."""
