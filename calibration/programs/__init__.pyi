from .export import Export as Export
from .fitted_contact import Interval as Interval
from .fitted_contact import NotDetermined as NotDetermined
from .program import Obtained as Obtained
from .program import Program as Program
from .programs import PROGRAMS as PROGRAMS
from .target import Target as Target
