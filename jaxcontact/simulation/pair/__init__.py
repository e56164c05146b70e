"""Two bodies whose contact brings its own kinematics, followed by implicit steps."""
