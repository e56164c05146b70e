"""Other simulation programs to which a fitted contact is handed over: the interface, and the
programs by name.
"""

import abc
from collections.abc import Mapping
from typing import ClassVar, NamedTuple

from calibration.errors import InputError
from calibration.programs.target import Target
from calibration.runtime.registry import Registry


class Obtained(NamedTuple):
    """What an impact in a program obtains, whatever its parameters are called.

    Attributes:
        restitution: speed after over speed before, along the normal [-].
        friction: tangential over normal impulse of an impact that slides throughout [-].

    Example:
        >>> cal.programs.Obtained(restitution=0.8, friction=0.2).friction
        0.2
    """

    restitution: float
    friction: float


class Program(abc.ABC):
    """A simulation program with parameters of its own.

    Implementing a program: inherit; define all attributes; implement ``parameters``, its inverse
    ``obtained``, and ``block``; register an instance with
    ``calibration.programs.PROGRAMS.register(...)``.

    Attributes:
        name: by which a person chooses it.
        title: as its makers write it.
        ending: of the file.
        law: one sentence, which of its laws the block uses.
        exponent: ``n`` of the elastic force ``K d^n`` of that law.
        sticking: one sentence, what becomes of the slip in an impact that sticks.
        checked: the version in which blocks were run and obtained what they say; empty where that
            was not possible.
        source: where the meaning of its parameters is written.
        comment: of one line, with ``{}`` for what it says.

    Example:
        >>> import calibration as cal
        >>> class Springs(cal.programs.Program):
        ...     name, title, ending = "springs", "Springs", ".txt"
        ...     law, exponent = "Undamped springs.", 1.0
        ...     sticking, checked, source = "It springs back.", "", "its manual"
        ...
        ...     def parameters(self, target):
        ...         return {"k": target.stiffness(1.0)}
        ...
        ...     def obtained(self, parameters, target):
        ...         return cal.programs.Obtained(restitution=1.0, friction=0.0)
        ...
        ...     def block(self, parameters, target):
        ...         return f"k = {parameters['k']:.6g}"
        >>> Springs().remarks({}, None)
        ()
    """

    name: ClassVar[str] = ""
    title: ClassVar[str] = ""
    ending: ClassVar[str] = ""
    law: ClassVar[str] = ""
    exponent: ClassVar[float] = 1.5
    sticking: ClassVar[str] = ""
    checked: ClassVar[str] = ""
    source: ClassVar[str] = ""
    comment: ClassVar[str] = "# {}"

    @abc.abstractmethod
    def parameters(self, target: Target) -> dict[str, float]:
        """The program's own parameters, by its own names, with which an impact obtains the target.

        Args:
            target: what is to be obtained.

        Raises:
            InputError: the program cannot obtain it.
        """

    @abc.abstractmethod
    def obtained(self, parameters: Mapping[str, float], target: Target) -> Obtained:
        """What an impact with these parameters obtains: the inverse of ``parameters``.

        Args:
            parameters: by the program's own names.
            target: the bodies and the impact; its restitution and friction are not looked at.
        """

    @abc.abstractmethod
    def block(self, parameters: Mapping[str, float], target: Target) -> str:
        """The lines that go into an input of the program, without what is said of all blocks.

        Args:
            parameters: by the program's own names.
            target: the bodies and the impact.
        """

    def remarks(self, parameters: Mapping[str, float], target: Target) -> tuple[str, ...]:
        """Thresholds, and what else a user has to know; a sentence each. Default: nothing.

        Args:
            parameters: by the program's own names.
            target: the bodies and the impact.
        """
        return ()


def _check_program(program: Program, others: tuple[Program, ...]) -> None:
    """Refuse a program that does not say what it is."""
    needed = ("name", "title", "ending", "law", "sticking", "source")
    missing = [attribute for attribute in needed if not getattr(program, attribute)]
    if missing:
        raise InputError(
            f"the program {type(program).__name__} has no {' and no '.join(missing)}",
            remedy="Define them in its class.",
        )


PROGRAMS: Registry[Program] = Registry(
    Program,  # type: ignore[type-abstract]
    "program",
    check=_check_program,
)
"""All programs by name; see ``calibration.programs.programs`` for those of this package.

Example:
    >>> import calibration as cal
    >>> cal.programs.PROGRAMS["exudyn"].title
    'Exudyn'
"""


def check_reach(program: Program, target: Target, least: float) -> None:
    """Raise where a program cannot obtain so low a restitution.

    Args:
        program: that is asked.
        target: what is to be obtained.
        least: lowest restitution that it obtains, excluded.

    Raises:
        InputError: the restitution of the target is not above it.
    """
    if not target.restitution > least:
        raise InputError(
            f"{program.title} cannot obtain a restitution of {target.restitution:.4g} with this "
            f"law: {program.law}",
            remedy=f"It obtains restitutions above {least:.4g}. Export to another program.",
        )
