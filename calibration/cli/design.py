"""``jaxcontact design``."""

from typing import Annotated

from calibration.cli.after_fit import Out, StudyFile, asked_for, fitted, write_findings
from calibration.cli.app import app, print_lines, standard_error
from calibration.cli.options import RESULT, Force, flag, verb
from calibration.runtime.progress import Progress


@verb(
    app,
    "jaxcontact design result/study.toml",
    "jaxcontact design result/study.toml --interest contact.normal.restitution --height 0.3 "
    "--height 1 --frame-rate 240",
)
def design(
    study: StudyFile,
    interest: Annotated[
        list[str] | None,
        flag(
            "--interest",
            "A parameter to know better, as fit.json names it; all by default.",
            RESULT,
            "NAME",
        ),
    ] = None,
    heights: Annotated[
        list[float] | None,
        flag("--height", "A height to drop the ball from [m].", RESULT, "METRES"),
    ] = None,
    angles: Annotated[
        list[float] | None,
        flag("--angle", "An angle from the normal to throw it at [deg].", RESULT, "DEGREES"),
    ] = None,
    frame_rates: Annotated[
        list[float] | None, flag("--frame-rate", "A camera at hand [frames/s].", RESULT, "HERTZ")
    ] = None,
    repeats: Annotated[
        int | None,
        flag("--repeats", "How often an experiment would be done. [default: 1]", RESULT, "COUNT"),
    ] = None,
    out: Out = None,
    force: Force = False,
) -> None:
    """What to measure next: experiments that could be done, ranked by how much they would narrow
    what is known.

    The candidates are drops and throws, filmed or recorded by a microphone. Prints the ranking and
    writes design.txt and design.json.
    """
    asked, folder = asked_for(study, out, force=force)
    lists = {"interest": interest, "heights": heights, "angles": angles, "frame_rates": frame_rates}
    options = asked.design.with_given(
        **{name: value and tuple(value) for name, value in lists.items()}, repeats=repeats
    )
    with Progress(standard_error()) as say:
        fit = fitted(asked, folder, say)
        from calibration.planning.rank import design as ranked
        from calibration.studies.candidates import experiments_at_hand

        candidates = experiments_at_hand(options, fit)
        say(f"Weighing {len(candidates)} experiments")
        found = ranked(fit, candidates, interest=options.interest)
    print_lines(str(found))
    ranking = [
        {
            "experiment": item.candidate.name,
            "after": item.after,
            "narrowing": item.narrowing,
            "spread": item.spread,
            "words": item.words,
        }
        for item in found.ranking
    ]
    numbers = {
        "ranking": ranking,
        "now": found.now,
        "relative": found.relative,
        "criterion": found.criterion,
        "sentences": found.sentences,
    }
    write_findings(folder, "design", text=str(found), numbers=numbers)
