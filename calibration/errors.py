"""The error of this package for what a person can correct: a place, what is wrong there, and the
remedy.
"""

import os


class InputError(ValueError):
    """Input that cannot be used, with what to do about it.

    ``str()`` reads ``drops/a.csv, line 17, column 'z': 'abc' is not a number. Replace it or leave
    the cell empty (a gap).``

    Args:
        problem: what is wrong.
        remedy: what to do, one or more whole sentences.
        path: the file, when there is one.
        line: its line, counted from 1.
        column: its column, as the header names it.

    Example:
        >>> try:
        ...     cal.Normal(mean=0.8, sd=-0.05)
        ... except cal.InputError as error:
        ...     print(error)
        Normal: mean = 0.8, sd = -0.05. Give a finite mean and a positive sd.
    """

    def __init__(
        self,
        problem: str,
        *,
        remedy: str = "",
        path: str | os.PathLike[str] | None = None,
        line: int | None = None,
        column: str | None = None,
    ) -> None:
        self.problem = problem
        self.remedy = remedy
        self.path = None if path is None else os.fspath(path)
        self.line = line
        self.column = column
        super().__init__(self._text())

    def _text(self) -> str:
        place = []
        if self.path:
            place.append(self.path)
        if self.line is not None:
            place.append(f"line {self.line}")
        if self.column is not None:
            place.append(f"column {self.column!r}")
        sentences = f"{self.problem.removesuffix('.')}. {self.remedy}".strip()
        return f"{', '.join(place)}: {sentences}" if place else sentences


def words_of(error: Exception) -> str:
    """What is said to a person of an error: what can be corrected, in its own words; of any other
    one, that it is to be reported.
    """
    if isinstance(error, InputError):
        return str(error)
    if isinstance(error, OSError):
        place = f"{error.filename}: " if error.filename else ""
        return f"{place}{error.strerror or error}"
    return (
        f"jaxcontact itself failed ({first_line(error)}). Please report this, with the command and "
        "what it prints with --debug added."
    )


def first_line(error: Exception) -> str:
    """Kind of an error and the first line of what it says."""
    return f"{type(error).__name__}: {error}".strip().partition("\n")[0]
