"""The programs of this package. A new one is a file with its class, and a line here."""

from calibration.programs.exudyn import Exudyn
from calibration.programs.lammps import LAMMPS
from calibration.programs.mujoco import MuJoCo
from calibration.programs.program import PROGRAMS

PROGRAMS.register(Exudyn())
PROGRAMS.register(MuJoCo())
PROGRAMS.register(LAMMPS())
