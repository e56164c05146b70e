"""Reading recordings and tables of impacts from files, and writing files whole or not at all."""
