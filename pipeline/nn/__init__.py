"""What several systems share: encoders, tokenizers, losses, inference. It knows no system and no stage."""
