"""SimCSE (Gao et al. 2021): one encoder; dropout alone separates a sentence from its positive."""
