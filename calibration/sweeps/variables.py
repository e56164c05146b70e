"""What of a scene and its initial state can be varied, by name."""

import dataclasses
import itertools
from collections.abc import Iterator
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import ArrayLike

import jaxcontact as jc
from calibration.errors import InputError
from calibration.runtime.registry import nearest_name
from calibration.sweeps.factors import Factor
from jaxcontact.parameters import Quantity, declared_parameters, get, put, quantity

AXES = "xyz"
STATE = {
    "position": quantity(unit="m", label="initial position", symbol="r_0"),
    "velocity": quantity(unit="m/s", label="initial velocity", symbol="v_0"),
    "spin": quantity(unit="rad/s", label="initial spin", symbol="w_0"),
}


class Start(NamedTuple):
    """A scene and its initial state."""

    scene: jc.Scene
    state: jc.State


@dataclasses.dataclass(frozen=True)
class Variable:
    """A number of a scene or of an initial state.

    Attributes:
        name: as a sweep names it.
        path: of the parameter in the scene, or of the component of the state.
        index: of the number in it, where it has several.
        about: unit, interval, label and symbol.
    """

    name: str
    path: str
    index: tuple[int, ...]
    about: Quantity

    def put(self, start: Start, value: ArrayLike) -> Start:
        """The scene and the state with another value."""
        if self.path in STATE:
            changed = {self.path: _with(getattr(start.state, self.path), self.index, value)}
            return start._replace(state=start.state._replace(**changed))
        if not self.index:
            return start._replace(scene=put(start.scene, self.path, value))
        whole = _with(get(start.scene, self.path), self.index, value)
        return start._replace(scene=put(start.scene, self.path, whole))

    def get(self, start: Start) -> float:
        """Its value."""
        tree = start.state if self.path in STATE else start.scene
        return float(np.asarray(get_field(tree, self.path), dtype=float)[self.index].item())


def get_field(tree: jc.Scene | jc.State, path: str) -> ArrayLike:
    """The value at a path of a scene or of a state."""
    return tree._asdict()[path] if isinstance(tree, jc.State) else get(tree, path)


def _with(whole: ArrayLike, index: tuple[int, ...], value: ArrayLike) -> jax.Array:
    return jnp.asarray(whole, dtype=float).at[index].set(value)


def variables(scene: jc.Scene, state: jc.State) -> dict[str, Variable]:
    """All that a sweep can vary, by name.

    Parameters of the scene are named by their paths, as ``free`` of a fit names them; one that has
    a value for each body or axis has a name for each number, with the index of the body or the
    letter of the axis at its end. The initial state is named as in a fit: ``position_x``, of
    several bodies ``velocity_0_z``, ``spin_1_y``.

    Args:
        scene: bodies, surfaces, laws.
        state: at the start.

    Example:
        >>> contact = jc.ContactModel(normal=jc.NewtonRestitution(restitution=0.8))
        >>> scene = jc.Scene(bodies=jc.spheres(radius=0.02, mass=(0.01, 0.02)), contact=contact)
        >>> start = jc.state(position=((0.0, 0.0, 0.1), (0.0, 0.0, 0.2)))
        >>> names = list(cal.sweeps.variables(scene, start))
        >>> names[0], names[1], names[-1]
        ('bodies.radius', 'bodies.mass_0', 'spin_1_z')
        >>> "contact.normal.restitution" in names, "gravity_z" in names
        (True, True)
    """
    known = [
        *declared_parameters(scene),
        *((path, get_field(state, path), about) for path, about in STATE.items()),
    ]
    return {
        variable.name: variable
        for path, value, about in known
        for variable in _numbers(path, np.shape(value), about)
    }


def _numbers(path: str, shape: tuple[int, ...], about: Quantity) -> Iterator[Variable]:
    """A variable for each number of an array whose last axis of 3 is that of space."""
    spatial = bool(shape) and shape[-1] == 3 and (about.shape == (3,) or path in STATE)
    for index in itertools.product(*map(range, shape)):
        labels = [str(number) for number in index]
        if spatial:
            labels[-1] = AXES[index[-1]]
        yield Variable("_".join([path, *labels]), path, index, about)


def chosen(factors: list[Factor], scene: jc.Scene, state: jc.State) -> list[Variable]:
    """The variables that the factors vary, each within its interval.

    Raises:
        InputError: a name that there is not, or a value outside of the interval.
    """
    known = variables(scene, state)
    for factor in factors:
        if factor.name not in known:
            raise InputError(
                f"sweep: there is no parameter {factor.name!r}",
                remedy=nearest_name(factor.name, tuple(known)),
            )
        about = known[factor.name].about
        for value in factor.grid()[[0, -1]]:
            if not about.interval.contains(value):
                unit = "" if about.unit == "-" else f" {about.unit}"
                raise InputError(
                    f"sweep: {factor.name} = {value:g}{unit} is outside {about.interval} "
                    f"({about.label})",
                    remedy=about.remedy or "Narrow its range.",
                )
    return [known[factor.name] for factor in factors]
