"""Contact models of other programs, with the names, meanings and peculiarities that their parameters have there."""
