"""Normal forces, and the models that scenes take."""
