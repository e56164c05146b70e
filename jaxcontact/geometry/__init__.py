"""Where surfaces touch and how they move there: pure functions of positions, velocities and
shapes.
"""
