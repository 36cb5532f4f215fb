"""ParaBART (Huang et al. 2021): a semantic embedding freed of syntax."""
