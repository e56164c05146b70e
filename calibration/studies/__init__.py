"""From a folder of files to a fit, with nothing chosen by hand."""
