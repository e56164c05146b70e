"""What a study chooses by name: laws, surfaces, nuisances; each kind in a registry of its own."""
