"""How often the checks of residuals fail where model and noise are right, and where they are
not.
"""
