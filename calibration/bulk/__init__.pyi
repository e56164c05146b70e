from .calibrate import calibrate as calibrate
from .calibrated import BulkCalibration as BulkCalibration
from .calibrated import Coefficient as Coefficient
from .calibrated import Reproduced as Reproduced
from .measured import Measured as Measured
from .runs import Runs as Runs
from .runs import read_runs as read_runs
