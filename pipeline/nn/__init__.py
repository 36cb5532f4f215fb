"""What several systems share: encoders, tokenizers, losses, batches. It knows no system and no stage."""
