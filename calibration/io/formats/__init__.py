"""Files of programs by their declared layout: one file here for each program."""
