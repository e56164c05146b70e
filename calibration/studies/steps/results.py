"""A folder of results, held while its fit is made and written."""

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from calibration.io.spin_files import find_all_files
from calibration.studies.results_folder import check_folder, hold_folder, write_results
from calibration.studies.steps.resumed_fit import forget
from calibration.studies.study import Study
from calibration.studies.toml import fingerprint_files

if TYPE_CHECKING:
    from calibration.results.result import Fit


@contextlib.contextmanager
def results_of(
    study: Study, folder: Path, *, force: bool = False
) -> Iterator[Callable[["Fit"], tuple[Path, ...]]]:
    """While a study is fitted: its data are as they are now, and no other command works in the
    folder of its results.

    Args:
        study: to be fitted.
        folder: of the results.
        force: whether anything in the folder may be replaced.

    Yields:
        what writes the results of the fit, and names the files.

    Raises:
        InputError: a folder with results of something else, in which another command is at work,
            or that cannot be written to.
    """
    inputs = fingerprint_files(find_all_files(study.files))
    with hold_folder(folder):
        check_folder(folder, study, force=force)

        def write(fit: "Fit") -> tuple[Path, ...]:
            written = write_results(fit, study, folder, inputs=inputs)
            forget(folder)
            return written

        yield write
