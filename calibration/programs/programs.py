"""The programs of this package. A new one is a file with its class, and a line here."""

from calibration.programs.exudyn import Exudyn
from calibration.programs.program import PROGRAMS

PROGRAMS.register(Exudyn())
