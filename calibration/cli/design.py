"""``jaxcontact design``."""

from calibration.cli.after_fit import (
    Out,
    StudyFile,
    asked_for,
    check_names,
    fitted,
    report_findings,
)
from calibration.cli.application import app, standard_error
from calibration.cli.options import Force, all_of, verb
from calibration.errors import InputError
from calibration.runtime.progress import Progress
from calibration.studies.steps.asked_options import GivenOptions
from calibration.studies.study import DesignOptions


@verb(
    app,
    "jaxcontact design result/study.toml",
    "jaxcontact design result/study.toml --interest contact.normal.restitution --height 0.3 "
    "--height 1 --frame-rate 240",
    study_options=all_of(DesignOptions),
)
def design(
    study: StudyFile,
    given: GivenOptions,
    out: Out = None,
    force: Force = False,
) -> int:
    """What to measure next: experiments that could be done, ranked by how much they would narrow
    what is known.

    The candidates are drops and throws, filmed or recorded by a microphone. Prints the ranking and
    writes design.txt and design.json.
    """
    with asked_for(study, given, out, force=force) as (asked, folder):
        options = asked.design
        if asked.partner.given:
            raise InputError(
                "design ranks drops and throws of one ball, and this study is of two bodies",
                remedy="Rank your own candidates in Python, or look with profile at what more "
                "shots would have to tell apart.",
                path=study,
            )
        with Progress(standard_error()) as say:
            check_names(asked, asked.design.interest, option="design.interest", say=say)
            fit = fitted(asked, folder, say)
            from calibration.planning.rank import design as ranked
            from calibration.studies.candidates import experiments_at_hand

            candidates = experiments_at_hand(options, fit)
            say(f"Weighing {len(candidates)} experiments")
            found = ranked(fit, candidates, interest=options.interest)
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
            "warnings": found.warnings,
        }
        return report_findings(fit, folder, "design", text=str(found), numbers=numbers)
