"""jaxcontact/numerics and parameters."""
