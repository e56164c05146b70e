"""By what a fit is judged: thresholds, each with its reason."""

import dataclasses

from calibration.results.goodness import (
    MISFIT_CHANCE,
    MISFIT_TOLERANCE,
)


@dataclasses.dataclass(frozen=True)
class FitPolicy:
    """Thresholds by which fits, their intervals and their comparisons are judged.

    They decide what is said of a minimum, never where it lies. Tolerances of numerical methods
    stand with their method. A fit keeps its policy; what goes on from the fit uses the same one.

    Args:
        level: probability of the interval by which a value counts as excluded. 0.95 is the custom
            of the field.
        largest_log_sd: standard error in a logarithmic or logistic coordinate above which a
            parameter is not determined. At 1 its interval spans more than a factor of e on either
            side.
        misfit_chance: chance of a larger misfit by noise alone below which stated standard
            deviations are not believed, and a model does not explain the data. Small, since stated
            noise is evidence, too.
        misfit_tolerance: chi-squared per degree of freedom that does not matter, however
            significant it is: with thousands of samples any misfit is, and 10 % larger residuals
            change no conclusion. Where the noise was found from the data it is a factor on the
            limit of probability, because the noise is not known better.
        lasting_misfit: chi-squared per degree of freedom up to which a model explains data whose
            noise lasts for several samples and was found from them, if its probability allows as
            much: residuals of 1.4 times the deviations from single flights, which follow the noise.
        scatter_trials: so many trials more than shared parameters are needed before the scatter
            between trials gives the standard errors. With fewer, the scatter is known too badly.
        scatter_chance: chance at which trials scatter by noise alone as much as they do; below, the
            scatter is believed, not the stated noise.
        little_scatter_chance: chance of so little scatter between trials below which it is not
            believed. Scatter comes out too small where several quantities are hardly determined.
        noise_degrees: degrees of freedom from which on residuals tell the size of errors that
            nobody stated and nothing else tells. With 3, an estimate is 4 standard errors off in
            3 %, with 1 in 16 %.
        series_length: from so many samples on, an observation is a series in time whose noise may
            be correlated. Fewer do not show a correlation.
        correlation_time: correlation time of residuals, in samples, above which they are called
            correlated. White residuals reach 1.2 by chance.
        neighbour_correlation: least correlation of neighbouring residuals that is warned of, where
            the noise model has them independent. Less hardly changes an interval.
        outlier_size: residuals farther off than so many standard deviations are no Gaussian noise:
            one in two million is expected at 5.
        prior_only: part of the standard deviation of its prior above which a standard error says
            that the data add next to nothing to the prior.
        probe_step: step of a logarithmic or logistic coordinate at which the profile of a parameter
            is probed for being flat. 1.4 is a factor of 4, which leaves the regime of the minimum.
        flatness_excluded: standard deviations by which data must exclude a regime where a
            coefficient has no effect (sticking contacts) before it is determined. Noise brings
            sticking contacts to 4 once in 30,000.
        excluding_rise: rise of chi-squared that excludes a value where nothing was fitted: the
            quantile of chi-squared at 95 % for known noise.
        poor_misfit: chi-squared per degree of freedom above which a fit begins elsewhere, too
            (residuals of twice the noise).
        strayed: a logarithmic coordinate that ended this far from the value of the scene has
            strayed to where the data do not see it. 7 is a factor of 1000.
        same_optimum: chi-squared within this of the best is the same optimum: a third of a standard
            error.
        collinearity: index above which parameters cannot be told apart in practice (Brun, Reichert
            and Kuensch 2001: 10 to 20).
        few_replicates: replicates of a bootstrap below which the ends of a 95 % interval are
            themselves uncertain by several per cent of the width.
        chain_agreement: chains of a sampler whose R-hat is below this agree (Vehtari, Gelman,
            Simpson, Carpenter and Buerkner, Bayesian Analysis 16 (2021) 667).
        effective_samples: from so many on, quantiles and R-hat are to be believed (ibid.).
        comparison_level: chance, were a law the truth, of data that prefer another one as much, up
            to which the data speak against it. So often a comparison speaks against the truth.
        bic_apart: difference of BIC from which on it is said that it prefers another model (a
            factor of 3 in probability; Kass and Raftery 1995).
        evidence_apart: difference of the logarithm of the evidence up to which it does not tell
            models apart (a factor of 20; Kass and Raftery 1995).
        score_pieces: pieces from which on their scatter gives the standard error of a score of data
            left out.

    Example:
        >>> cal.FitPolicy(level=0.9).level
        0.9
    """

    level: float = 0.95
    largest_log_sd: float = 1.0
    misfit_chance: float = MISFIT_CHANCE
    misfit_tolerance: float = MISFIT_TOLERANCE
    lasting_misfit: float = 2.0
    scatter_trials: int = 5
    scatter_chance: float = 0.05
    little_scatter_chance: float = 1e-4
    noise_degrees: int = 3
    series_length: int = 8
    correlation_time: float = 1.2
    neighbour_correlation: float = 0.1
    outlier_size: float = 5.0
    prior_only: float = 0.8
    probe_step: float = 1.4
    flatness_excluded: float = 4.0
    excluding_rise: float = 3.84
    poor_misfit: float = 4.0
    strayed: float = 7.0
    same_optimum: float = 0.1
    collinearity: float = 15.0
    few_replicates: int = 1000
    chain_agreement: float = 1.01
    effective_samples: float = 400
    comparison_level: float = 0.05
    bic_apart: float = 2.0
    evidence_apart: float = 3.0
    score_pieces: int = 5


DEFAULT_POLICY = FitPolicy()
