"""What else the data allow: profiles, bootstrap, posterior, prediction, identifiability."""
