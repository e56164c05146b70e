"""What all laws share: quantities, the registry, damping of a restitution, rigid impacts."""
