"""What a fit found."""
