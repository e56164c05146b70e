"""What is simulated: bodies, surfaces, contact models, springs, fluid."""
