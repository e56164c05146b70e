"""How often a comparison of laws is wrong: tables of impacts of known law, compared by
``calibration.compare``.
"""
