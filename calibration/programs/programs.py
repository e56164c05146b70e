"""The programs of this package. A new one is a file with its class, and a line here."""

from calibration.programs.edem import EDEM
from calibration.programs.exudyn import Exudyn
from calibration.programs.lammps import LAMMPS
from calibration.programs.liggghts import LIGGGHTS
from calibration.programs.modia3d import Modia3D
from calibration.programs.mujoco import MuJoCo
from calibration.programs.pfc import PFC
from calibration.programs.program import PROGRAMS
from calibration.programs.yade import YADE

PROGRAMS.register(Exudyn())
PROGRAMS.register(MuJoCo())
PROGRAMS.register(LAMMPS())
PROGRAMS.register(YADE())
PROGRAMS.register(LIGGGHTS())
PROGRAMS.register(PFC())
PROGRAMS.register(EDEM())
PROGRAMS.register(Modia3D())
