"""CSSL (Ray et al. 2024): a dependency parser made robust to free word order."""
