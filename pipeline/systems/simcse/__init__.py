"""SimCSE (Gao et al. 2021): one encoder; only dropout separates a sentence from its positive."""
