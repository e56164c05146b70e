"""A fitted contact as a block for another program."""

import csv
import dataclasses
import io
import math
import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path

from calibration.io.atomic import write_atomically
from calibration.io.names import text_bytes
from calibration.programs.fitted_contact import FittedContact, Interval, fitted_contact
from calibration.programs.program import Obtained, Program
from calibration.programs.programs import PROGRAMS
from calibration.programs.target import check_given
from calibration.results.result import Fit
from calibration.runtime.versions import installed_versions

WIDTH = 96
"""Columns of comments."""


@dataclasses.dataclass(frozen=True)
class Export:
    """A fitted contact in the parameters of another program. ``print`` shows the block.

    Attributes:
        program: the name of the program.
        filename: of the block.
        text: the block, with its comments.
        parameters: of the program, by its own names.
        obtained: restitution and friction that an impact obtains with them.
        restitution: of the fit, with its interval.
        friction: of the fit, with its interval.
        step: longest step [s].
        warnings: what of the fit the program does not have, and what else matters; they are in
            ``text``, too.
        draws: further sets of parameters, drawn from the covariance of the fit, each with the
            restitution and the friction that it obtains.

    Example:
        >>> block = cal.programs.Export(
        ...     program="exudyn",
        ...     filename="exudyn.py",
        ...     text="contact = dict()",
        ...     parameters={},
        ...     obtained=cal.programs.Obtained(restitution=0.8, friction=0.2),
        ...     restitution=cal.programs.Interval(0.8, 0.79, 0.81),
        ...     friction=cal.programs.Interval(0.2, 0.2, 0.2),
        ...     step=1e-6,
        ... )
        >>> [path.name for path in block.write("result")]
        ['exudyn.py']
    """

    program: str
    filename: str
    text: str
    parameters: Mapping[str, float]
    obtained: Obtained
    restitution: Interval
    friction: Interval
    step: float
    warnings: tuple[str, ...] = ()
    draws: tuple[tuple[Obtained, Mapping[str, float]], ...] = ()

    def __str__(self) -> str:
        """The block."""
        return self.text

    def write(self, folder: str | Path) -> tuple[Path, ...]:
        """Write the block, and the draws as a table where there are some.

        Args:
            folder: where to; it is made when it does not exist.

        Returns:
            The files.
        """
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        files = {self.filename: text_bytes(self.text)}
        if self.draws:
            files[f"{Path(self.filename).stem}_draws.csv"] = text_bytes(_table(self.draws))
        for name, content in files.items():
            write_atomically(folder / name, content)
        return tuple(folder / name for name in files)


def export(
    fit: Fit,
    to: str,
    *,
    speed: float | None = None,
    friction: float | None = None,
    contact_time: float | None = None,
    draws: int = 0,
    seed: int = 0,
) -> Export:
    """The contact of a fit in the parameters of another program, so that impacts there obtain the
    restitution and the friction of the fit.

    What programs call restitution is seldom what an impact has: 0.5 gives 0.66 in Exudyn's impact
    model 1, 0.62 with LAMMPS's ``damping tsuji`` at a wall. So the value that is asked of the
    program is the one that obtains what was fitted.

    Args:
        fit: a result of ``calibration.fit``.
        to: name of the program, in ``calibration.programs.PROGRAMS``.
        speed: of the impact at which the restitution is taken [m/s], where it depends on the speed;
            by default the median of the measured ones.
        friction: coefficient to export instead of that of the fit [-].
        contact_time: of an undamped contact at this speed [s]; by default that of the stiffness of
            the fit where the data determine one, else the one at which the largest overlap is 1 %
            of the radius in the fastest measured impact.
        draws: how many further sets of parameters are drawn from the covariance of the fit.
        seed: another number, other draws.

    Raises:
        NotDetermined: the fit is in doubt, or its data do not determine restitution or friction
            (``calibration.programs.NotDetermined``).
        InputError: there is no such program, or it cannot obtain the restitution; the fit is not of
            one contact of spheres, or carries no problem.

    Example:
        >>> table = cal.ImpactTable(
        ...     name="drops",
        ...     impact_angle=np.zeros(4),
        ...     impact_speed=np.array([1.0, 2.0, 3.0, 4.0]),
        ...     normal_restitution=np.array([0.81, 0.79, 0.80, 0.80]),
        ...     sigma={"normal_restitution": np.full(4, 0.01)},
        ... )
        >>> law = jc.NewtonRestitution(restitution=0.7)
        >>> scene = jc.Scene(
        ...     bodies=jc.spheres(radius=0.02, mass=0.03), contact=jc.ContactModel(normal=law)
        ... )
        >>> problem = cal.Problem(scene, [table], free=["contact.normal.restitution"])
        >>> fit = cal.fit(problem)
        >>> exported = cal.export(fit, "exudyn", friction=0.2)
        >>> print(f"{exported.parameters['restitutionCoefficient']:.5f}")
        0.80001
        >>> print(f"{exported.obtained.restitution:.4f}")
        0.8000
    """
    program = PROGRAMS[to]
    check_given(speed=speed, friction=friction, contact_time=contact_time, draws=draws)
    contact = fitted_contact(
        fit,
        speed=speed,
        friction=friction,
        contact_time=contact_time,
        draws=draws,
        seed=seed,
    )
    target = contact.target
    parameters = program.parameters(target)
    warnings = contact.warnings
    if not program.checked:
        warnings = (*warnings, f"This block was not run in {program.title}, see its comments.")
    sets = [(own, program.parameters(own)) for own in contact.drawn]
    head = "\n".join(_comments(program, parameters, contact, warnings, model=fit.model))
    return Export(
        program=program.name,
        filename=f"{program.name}{program.ending}",
        text=f"{head}\n{program.block(parameters, target)}\n",
        parameters=parameters,
        obtained=program.obtained(parameters, target),
        restitution=contact.restitution,
        friction=contact.friction,
        step=target.step(program.exponent),
        warnings=warnings,
        draws=tuple((program.obtained(values, own), values) for own, values in sets),
    )


def _comments(
    program: Program,
    parameters: Mapping[str, float],
    contact: FittedContact,
    warnings: tuple[str, ...],
    *,
    model: str,
) -> Iterator[str]:
    """What is said above every block, line by line."""
    for paragraph in _paragraphs(program, parameters, contact, warnings, model=model):
        for line in textwrap.wrap(paragraph, WIDTH, subsequent_indent="  "):
            yield program.comment.format(line)


def _paragraphs(
    program: Program,
    parameters: Mapping[str, float],
    contact: FittedContact,
    warnings: tuple[str, ...],
    *,
    model: str,
) -> Iterator[str]:
    target, exponent = contact.target, program.exponent
    version = installed_versions()["jaxcontact"]
    yield f"A fitted contact for {program.title}, by jaxcontact{f' {version}' if version else ''}."
    if model:
        yield f"Fit: {model.strip()}"
    yield f"Law: {program.law}"
    obtained = program.obtained(parameters, target)
    yield (
        f"Obtains: restitution {obtained.restitution:.4g}, friction {obtained.friction:.4g}. The "
        f"fit (95 %): restitution {contact.restitution} at {target.speed:.4g} m/s, friction "
        f"{contact.friction}."
    )
    body = f"radius {target.radius:.4g} m, mass {target.mass:.4g} kg"
    if target.partner_radius is None:
        yield f"Bodies: a ball, {body}, on a wall that is held."
    else:
        yield (
            f"Bodies: {body}; radius {target.partner_radius:.4g} m, mass "
            f"{target.partner_mass:.4g} kg."
        )
    yield (
        f"Stiffness: {contact.stiffness} An undamped contact at {target.speed:.3g} m/s lasts "
        f"{target.undamped_time(exponent):.3g} s; at {target.fastest:.3g} m/s the overlap is "
        f"{100 * target.overlap(exponent) / target.smaller_radius:.2g} % of the radius."
    )
    yield f"Step: at most {_rounded_down(target.step(exponent)):.2g} s."
    yield f"Sticking: {program.sticking}"
    for remark in program.remarks(parameters, target):
        yield f"Note: {remark}"
    for warning in warnings:
        yield f"WARNING: {warning}"
    if program.checked:
        yield f"Such blocks were run in {program.title} {program.checked}."
    else:
        yield f"Not run: the meaning of the parameters is that of {program.source}."


def _rounded_down(step: float) -> float:
    """With two digits, and not longer."""
    digit = 10 ** (math.floor(math.log10(step)) - 1)
    return math.floor(step / digit) * digit


def _table(draws: tuple[tuple[Obtained, Mapping[str, float]], ...]) -> str:
    """Rows of what each set obtains, and of its parameters."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*Obtained._fields, *draws[0][1]])
    for obtained, parameters in draws:
        writer.writerow([repr(float(value)) for value in (*obtained, *parameters.values())])
    return text.getvalue()
