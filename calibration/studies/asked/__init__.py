"""What a study asks for beyond what its kind of files decides."""
