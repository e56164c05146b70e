"""From a study to its fit, and to the problems that are checked and compared."""

import dataclasses
from collections.abc import Sequence

from calibration.errors import InputError
from calibration.fitting.policy import DEFAULT_POLICY
from calibration.io.same_content import check_distinct
from calibration.problem.problem import Problem
from calibration.results.result import Fit
from calibration.studies.asked.files import sentences_on_left_out, with_used_files
from calibration.studies.asked.problem import sentences_on_values
from calibration.studies.choices.restitution_laws import RESTITUTION_LAWS
from calibration.studies.choices.restitution_speed import with_restitution_speed
from calibration.studies.file_kind import FileKind, Say
from calibration.studies.file_kinds import check_bodies, common_kind
from calibration.studies.file_report import FileReport
from calibration.studies.study import Study
from calibration.studies.tossed.poses import POSES
from calibration.uncertainty.bootstrap import check_trials
from jaxcontact.parameters import nearest


def fit_study(study: Study, *, progress: Say | None = None) -> Fit:
    r"""Fit the files of a study.

    Args:
        study: files, ball, and how to read and model them.
        progress: called with a sentence at each stage.

    Returns:
        The fit; what is free in it follows from the kind of the files and from the study.

    Raises:
        InputError: naming file, line and column, or the option, and the remedy.

    Example:
        >>> import pathlib, tempfile
        >>> import calibration as cal
        >>> file = pathlib.Path(tempfile.mkdtemp()) / "clicks.csv"
        >>> _ = file.write_text("t [s]\n0.000\n0.350\n0.665\n0.9485\n")
        >>> study = cal.studies.Study(
        ...     files=(str(file),),
        ...     ball=cal.studies.Ball(radius=0.02, mass=0.0027),
        ...     model=cal.studies.ModelOptions(drag=False),
        ... )
        >>> fit = cal.studies.fit_study(study)
        >>> f"{fit.parameters['contact.normal.restitution'].value:.3f}"
        '0.900'
    """
    say = progress or (lambda sentence: None)
    said = (*sentences_on_left_out(study), *sentences_on_values(study))
    study = with_used_files(study)
    say(f"Reading {len(study.files)} file{'s' if len(study.files) != 1 else ''}")
    found = kind_of_study(study).fit(study, progress=say)
    if study.model.restitution_law is not None:
        found = with_restitution_speed(found)
    return dataclasses.replace(found, warnings=(*found.warnings, *said))


def problem_to_fit(study: Study, reports: Sequence[FileReport] = ()) -> Problem:
    """What ``fit_study`` fits first, with nothing frozen but what is known.

    Args:
        study: files, ball, and how to read and model them.
        reports: of an inspection of the same files, whose data need not be read again.
    """
    study = with_used_files(study)
    return kind_of_study(study).problem(study, reports)


def check_parameters(study: Study, names: Sequence[str], *, option: str) -> None:
    """Raise, before anything is fitted, for names that no parameter of the fit will have.

    Args:
        study: files, ball, and how to read and model them.
        names: of parameters, as ``fit.json`` names them.
        option: that holds them, for the message.

    Raises:
        InputError: naming the one that was probably meant.
    """
    study = with_used_files(study)
    kind = kind_of_study(study)
    known = dict.fromkeys((*kind.problem(study).layout.names, *kind.added))
    for name in names:
        if name not in known:
            endings = {path.rpartition(".")[2]: path for path in known}
            meant = endings.get(name, name)
            raise InputError(
                f"{option}: {name!r} is no parameter of this fit.{nearest(meant, known)}"
            )


def check_enough_to_draw(study: Study) -> None:
    """Raise, before anything is fitted, where whole recordings are to be drawn and there are too
    few.

    Args:
        study: files, ball, and how to read and model them; ``bootstrap.kind`` says what is drawn.

    Raises:
        InputError: with the number that it takes.
    """
    problem = problem_to_fit(study)
    free = len(set(problem.layout.names) - set(problem.frozen))
    check_trials(len(problem.trials), free, DEFAULT_POLICY, study.bootstrap.kind)


def problems_to_compare(study: Study, models: Sequence[str] | None = None) -> dict[str, Problem]:
    """One problem for each restitution law, on the same data, by name.

    Args:
        study: files, ball, and how to read and model them.
        models: names of the laws; all when ``None``.

    Raises:
        InputError: a name that is no law, tables of impacts at one speed.
    """
    names = [RESTITUTION_LAWS[name].name for name in models or RESTITUTION_LAWS.names]
    study = with_used_files(study)
    check_known_to_laws(study, names)
    return kind_of_study(study).problems(study, names)


def check_known_to_laws(study: Study, laws: Sequence[str]) -> None:
    """Raise where a study says something of a parameter that some of the laws do not have: it
    would favour or hinder those that do.

    Args:
        study: what it says of parameters.
        laws: to be compared.

    Raises:
        InputError: naming the parameter, and the laws that have it.
    """
    for name in study.model.parameters or {}:
        having = [law for law in RESTITUTION_LAWS.names if name in RESTITUTION_LAWS[law].free]
        if having and not set(laws) <= set(having):
            raise InputError(
                f"parameters: {name!r} is known of some laws only: {', '.join(having)}",
                remedy="Leave it out, or name only those as models of [compare].",
            )


def kind_of_study(study: Study) -> FileKind:
    """The kind of all files of a study, which are of as many bodies as it says.

    Raises:
        InputError: files of different kinds, or of another number of bodies; one recording in two
            files.
    """
    check_distinct(study.files)
    if study.body.given:
        return POSES
    kind = common_kind(study.files, reading=study.reading)
    check_bodies(
        kind,
        study.files[0],
        gravity=study.model.gravity,
        partner_radius=study.partner.radius,
        disc=study.one_ball.disc,
        contact=study.contact.given,
    )
    return kind
