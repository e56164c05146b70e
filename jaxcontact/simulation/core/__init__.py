"""What both engines return: trajectories and status."""
