"""Figures, pages and files that show a result.

Example:
    >>> import calibration as cal
    >>> cal.report.EXPORTERS["page"].filename
    'report.html'
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
