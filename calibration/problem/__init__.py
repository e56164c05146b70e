"""What is fitted: trials, their batches, the stacked residual and its block Jacobian."""
