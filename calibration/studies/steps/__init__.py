"""The steps from a study to its results, as the command line and the local page both take them."""
