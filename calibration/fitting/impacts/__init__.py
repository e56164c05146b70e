"""What fits of impacts need beyond a minimum: branches, scatter, and order."""
