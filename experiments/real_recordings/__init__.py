"""Real recordings by others: what each set tells, and whether that agrees with the caveats that its
``meta.json`` states.
"""
