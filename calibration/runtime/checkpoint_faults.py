"""What can go wrong with the files of a checkpoint."""

from calibration.errors import InputError


class DamagedCheckpoint(InputError):
    """A file of a checkpoint that is not as it was written; what was in it can be computed
    again.
    """


class CheckpointNotWritten(UserWarning):
    """A checkpoint could not be written, so a computation that is killed now begins anew. Its
    result is not touched by that.
    """
