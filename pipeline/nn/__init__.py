"""What several systems share: encoders, tokenizers, losses, batches. It depends on no system or stage."""
