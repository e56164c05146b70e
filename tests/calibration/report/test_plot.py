"""What is drawn of any result, and of a simulated motion."""

import xml.etree.ElementTree as ET

import jax.numpy as jnp
import numpy as np
import pytest

import calibration as cal
import jaxcontact as jc
from calibration.report.page import page_text
from calibration.report.svg import svg
from jaxcontact.simulation.core.trajectory import Contacts
from tests.calibration import synthetic_fits as synthetic

TIME = np.linspace(0.0, 1.0, 51)


def motion(bodies=1, *, touch_downs=(0.3, 0.7), status=0):
    """Bodies that move along x and z, one shifted against the other; contacts of body 0."""
    path = np.stack([0.4 * TIME, np.zeros(51), 0.02 + np.abs(np.sin(5 * TIME))], axis=1)
    position = np.stack([path + 0.1 * number for number in range(bodies)], axis=1)
    number = len(touch_downs)
    contacts = Contacts(
        happened=jnp.ones(number, bool),
        touch_down=jnp.array(touch_downs),
        lift_off=jnp.array(touch_downs),
        impact_speed=jnp.ones(number),
        rebound_speed=jnp.ones(number),
        surface=jnp.zeros(number, int),
        body=jnp.zeros(number, int),
        partner=jnp.full(number, -1),
    )
    position = jnp.asarray(position if bodies > 1 else position[:, 0])
    still = jnp.zeros_like(position)
    return jc.Trajectory(TIME, position, still, still, contacts, jnp.asarray(status))


def scene(bodies=1, **changes):
    radius = 0.02 if bodies == 1 else np.full(bodies, 0.02)
    law = jc.NewtonRestitution(restitution=0.9)
    given = {"surfaces": [jc.Plane(normal=(0, 0, 1))]} | changes
    return jc.Scene(
        bodies=jc.spheres(radius=radius, mass=radius),
        contact=jc.ContactModel(normal=law),
        **given,
    )


def profiles():
    one = cal.Profile(
        name="e",
        label="restitution",
        symbol="e",
        unit="-",
        values=np.array([0.8, 0.9, 1.0]),
        delta_chi2=np.array([5.0, 0.0, 6.0]),
        converged=np.ones(3, dtype=bool),
        value=0.9,
        low=0.82,
        high=0.97,
        level=0.95,
        threshold=3.84,
        others={},
        text="",
    )
    return cal.Profiles({"e": one}, fit=cal.Fit(parameters={}))


@pytest.mark.parametrize(
    "result",
    [
        synthetic.drops(1),
        synthetic.recording(),
        synthetic.measured_impacts(1),
        profiles(),
        motion(),
    ],
    ids=lambda result: type(result).__name__,
)
def test_any_result_is_drawn_and_a_notebook_shows_it(result):
    figure = cal.plot(result)
    assert figure.axes
    assert figure._repr_png_().startswith(b"\x89PNG")


def test_what_has_no_figure_is_refused_with_what_has_one():
    with pytest.raises(cal.InputError, match=r"a list[\s\S]*FitSummary[\s\S]*Trajectory"):
        cal.plot([1.0])


def test_a_motion_is_drawn_where_it_is_with_its_touch_downs():
    figure = cal.plot(motion())
    (axes,) = figure.axes
    z, x, triangles = axes.lines
    np.testing.assert_allclose(z.get_ydata(), 0.02 + np.abs(np.sin(5 * TIME)))
    np.testing.assert_allclose(x.get_ydata(), 0.4 * TIME)
    np.testing.assert_allclose(triangles.get_xdata(), [0.3, 0.7])
    assert axes.get_ylabel() == "position z, x [m]"


def test_each_body_has_a_panel_and_its_own_contacts_up_to_six():
    figure = cal.plot(motion(8))
    drawn = [axes for axes in figure.axes if axes.axison]
    assert [axes.get_title(loc="left") for axes in drawn] == [f"body {n}" for n in range(1, 7)]
    assert [len(axes.lines) for axes in drawn] == [3, 2, 2, 2, 2, 2]
    assert figure.get_suptitle() == "The first 6 of 8 bodies."


def test_a_motion_that_did_not_succeed_says_so():
    lost = motion(status=int(jc.Status.TOO_FEW_CONTACTS))
    assert cal.plot(lost).get_suptitle() == lost.advice


def test_many_simulations_are_refused():
    many = motion()._replace(status=jnp.zeros(3, int))
    with pytest.raises(cal.InputError, match="3 simulations"):
        cal.plot(many)


@pytest.mark.long
def test_an_animation_holds_every_circle_and_the_surface(tmp_path):
    shown = cal.animate(motion(2), scene(2), frame_rate=10)
    (axes,) = shown.movie._fig.axes
    shown.save(tmp_path / "two.gif")
    assert (tmp_path / "two.gif").read_bytes().startswith(b"GIF")
    spheres = axes.collections[-1]
    last = np.argmin(np.abs(TIME - 0.9))
    np.testing.assert_allclose(
        spheres.get_offsets(), motion(2).position[last][:, [0, 2]], atol=1e-12
    )
    (low, high), (bottom, top) = axes.get_xlim(), axes.get_ylim()
    assert low < -0.02
    assert high > 0.52
    assert bottom < 0
    assert top > 1.1
    outlines = [path.vertices for one in axes.collections[:-1] for path in one.get_paths()]
    np.testing.assert_allclose(np.concatenate(outlines)[:, 1], 0.0, atol=1e-12)


def test_members_of_a_clump_turn_with_it():
    quarter = np.array([np.sqrt(0.5), 0.0, np.sqrt(0.5), 0.0])  # about y: x goes to -z
    dumbbell = jc.clump(
        offset=((0.1, 0.0, 0.0), (-0.1, 0.0, 0.0)), radius=0.01, mass=1.0, inertia=1.0
    )
    turned = motion()._replace(orientation=jnp.tile(jnp.asarray(quarter), (51, 1)))
    shown = cal.animate(turned, scene().replace(bodies=dumbbell), frame_rate=10)
    shown.movie._draw_frame(3)
    (axes,) = shown.movie._fig.axes
    centre = np.array(motion().position)[15][[0, 2]]
    np.testing.assert_allclose(
        axes.collections[-1].get_offsets(), centre + np.array([[0, -0.1], [0, 0.1]]), atol=1e-12
    )
    shown.movie._draw_was_started = True  # nothing is written of it


@pytest.mark.parametrize(
    ("options", "words"),
    [({"view": "zz"}, "view"), ({"slower": 0.0}, "slower"), ({"frame_rate": 0}, "frame_rate")],
)
def test_what_cannot_be_shown_is_refused(options, words):
    with pytest.raises(cal.InputError, match=words):
        cal.animate(motion(), scene(), **options)


def test_profiles_stand_on_the_page_as_they_are_drawn_elsewhere():
    picture = svg(cal.plot(profiles()), "Profile <of> e")
    assert ET.fromstring(picture).tag == "{http://www.w3.org/2000/svg}svg"
    assert "var(--blue, #0072B2)" in picture
    section = cal.report.PageSection("Profiles", text="0.82 to 0.97", figure=picture)
    page = page_text(synthetic.drops(1), sections=[section])
    assert picture in page
    assert "image/png" not in page
