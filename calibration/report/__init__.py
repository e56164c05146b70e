"""What a fit found, for people and for programs: a table, a file of numbers, a figure."""
