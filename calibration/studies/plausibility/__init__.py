"""Whether recordings and results agree with what is known of such experiments."""
