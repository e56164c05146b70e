"""What speaks against a fit that explains its data: what the model may lack."""
