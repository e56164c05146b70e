from .fitted_data import FittedColumn as FittedColumn
from .fitted_data import FittedRecording as FittedRecording
from .fitted_data import FittedSeries as FittedSeries
from .fitted_data import StoredPredictions as StoredPredictions
from .outlying import OutlyingTrial as OutlyingTrial
from .simulated_trial import SimulatedTrial as SimulatedTrial
from .summary import FitSummary as FitSummary
