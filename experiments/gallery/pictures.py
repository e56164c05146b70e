"""The pictures by name."""

from collections.abc import Callable

from matplotlib.figure import Figure

from experiments.gallery import (
    backspin,
    billiard_throw,
    drag_and_restitution,
    force_loops,
    height_derivative,
    length_of_film,
    limits_of_friction,
    oblique_impact,
    restitution_laws,
    spinning_top,
)

PICTURES: dict[str, Callable[..., Figure]] = {
    "force_loops": force_loops.draw,
    "restitution_laws": restitution_laws.draw,
    "oblique_impact": oblique_impact.draw,
    "height_derivative": height_derivative.draw,
    "drag_and_restitution": drag_and_restitution.draw,
    "length_of_film": length_of_film.draw,
    "billiard_throw": billiard_throw.draw,
    "backspin": backspin.draw,
    "spinning_top": spinning_top.draw,
    "limits_of_friction": limits_of_friction.draw,
}
