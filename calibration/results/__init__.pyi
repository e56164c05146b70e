from .fitted_data import FittedColumn as FittedColumn
from .fitted_data import FittedRecording as FittedRecording
from .fitted_data import FittedSeries as FittedSeries
from .fitted_data import StoredPredictions as StoredPredictions
from .modification import Decision as Decision
from .modification import TriedModification as TriedModification
from .simulated_trial import SimulatedTrial as SimulatedTrial
from .summary import FitSummary as FitSummary
