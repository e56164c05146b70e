"""``jaxcontact compare``."""

from typing import Any

from calibration.cli.after_fit import Out, StudyFile, asked_for, write_findings
from calibration.cli.application import app, print_lines, standard_error
from calibration.cli.options import Force, all_of, verb
from calibration.runtime.prepare_jax import prepare_jax
from calibration.runtime.progress import Progress
from calibration.studies.steps.asked_options import GivenOptions
from calibration.studies.study import CompareOptions

COLUMNS = (
    "name",
    "parameters",
    "observations",
    "aicc",
    "bic",
    "difference",
    "weight",
    "chance",
    "score",
    "behind",
    "behind_sd",
    "cannot_tell",
)
"""What compare.json holds of each model."""


@verb(
    app,
    "jaxcontact compare result/study.toml",
    "jaxcontact compare result/study.toml --model constant --model 'power law' --hold-out",
    study_options=all_of(CompareOptions),
)
def compare(
    study: StudyFile,
    given: GivenOptions,
    out: Out = None,
    force: Force = False,
) -> None:
    """Which law the data prefer, or that they cannot tell.

    Fits the study with each law of restitution. Prints AICc, BIC and, where asked, how well each
    predicts what was left out, and writes compare.txt and compare.json. Of a table of impacts with
    --hold-out, a mean, a polynomial and a Gaussian process predict what was left out, too.
    """
    with asked_for(study, given, out, force=force) as (asked, folder):
        options = asked.compare
        with Progress(standard_error()) as say:
            say("Starting")
            prepare_jax()
            from calibration.selection.compare import compare as compared
            from calibration.selection.impact_baselines import (
                is_table_to_predict,
                predict_left_out,
            )
            from calibration.studies.pipeline import problems_to_compare

            problems = problems_to_compare(asked, options.models)
            say(f"Fitting {len(problems)} models")
            found = compared(
                problems,
                cross_validate="auto" if options.cross_validate else None,
                method=asked.fit.method,
                steps=asked.fit.steps,
            )
            curves = None
            if options.cross_validate and is_table_to_predict(problems):
                say("Predicting impacts that are left out by curves, too")
                curves = predict_left_out(
                    problems, {model.name: model.fit.assessment for model in found.models}
                )
        text = str(found) if curves is None else f"{found}\n\n{curves}"
        print_lines(text)
        models_found = [{name: getattr(model, name) for name in COLUMNS} for model in found.models]
        numbers: dict[str, Any] = {
            "models": models_found,
            "verdict": found.verdict,
            "level": found.level,
            "hold_out": found.cross_validate,
            "warnings": found.warnings,
        }
        if curves is not None:
            numbers["left_out"] = {
                "quantities": curves.quantities,
                "root_mean_square_errors": dict(curves.errors),
            }
        write_findings(folder, "compare", text=text, numbers=numbers)
