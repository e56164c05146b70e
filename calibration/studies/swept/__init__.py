"""The sweep of a study: where it begins, and how it is run."""
