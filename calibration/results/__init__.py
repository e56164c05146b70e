"""What a fit found, and how it reads as numbers, sentences and tables."""
