"""One call that draws any result, each by the figure that is made for it."""

import functools

from matplotlib.figure import Figure

import jaxcontact as jc
from calibration.errors import InputError
from calibration.report.data_panels import data_figure
from calibration.report.figures import fit_figure
from calibration.report.profile_figure import profile_figure
from calibration.report.restitution_figure import restitution_figure
from calibration.report.trajectory_figure import trajectory_figure
from calibration.results.fitted_data import FittedColumn, FittedRecording, FittedSeries
from calibration.results.impacts import ImpactRestitutions
from calibration.results.summary import FitSummary
from calibration.uncertainty.profile import Profile2D, Profiles


@functools.singledispatch
def plot(result: object) -> Figure:
    """Draw a result: a fit, profiles, a simulated motion, the data of a fit, restitutions of
    impacts.

    A notebook shows the figure; ``plot(fit).savefig("fit.pdf")`` writes it. Results know nothing of
    figures, so this is a function and not a method of theirs; a figure for a result of your own is
    added by ``plot.register(Result, draw)`` (``functools.singledispatch``).

    Args:
        result: a ``Fit``, ``Profiles``, ``Profile2D``, ``jaxcontact.Trajectory``, what
            ``data_figure`` draws, or ``Fit.impacts``.

    Returns:
        a figure outside of pyplot's list of open figures.

    Raises:
        InputError: there is no figure of this kind of result.

    Example:
        >>> scene = jc.Scene(
        ...     bodies=jc.spheres(radius=0.02, mass=2.7e-3),
        ...     contact=jc.ContactModel(normal=jc.NewtonRestitution(restitution=0.9)),
        ... )
        >>> start = jc.state(position=(0.0, 0.0, 0.3))
        >>> times = jnp.linspace(0.0, 1.0, 101)
        >>> motion = jc.simulate(scene, start, times, method=jc.Impulse())
        >>> cal.plot(motion).axes[0].get_ylabel()
        'height z [m]'
    """
    drawn = ", ".join(sorted(kind.__name__ for kind in plot.registry if kind is not object))
    raise InputError(
        f"plot: there is no figure of a {type(result).__name__}",
        remedy=f"Give one of {drawn}; an xarray.Dataset of a sweep is drawn by "
        "cal.report.response_figure.",
    )


plot.register(FitSummary, fit_figure)
plot.register(Profiles, profile_figure)
plot.register(Profile2D, profile_figure)
plot.register(jc.Trajectory, trajectory_figure)
plot.register(ImpactRestitutions, restitution_figure)
for _data in (FittedRecording, FittedSeries, FittedColumn):
    plot.register(_data, data_figure)
