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
