"""Sweeps into a store: values, what is not known, restarts, and what is refused."""

import os
import warnings

import numpy as np
import pytest
import xarray
import zarr

import calibration as cal
import jaxcontact as jc
from calibration.errors import InputError
from calibration.sweeps import Design, Levels, Range, Response, on_grid, store, summarise, variables
from calibration.sweeps import sweep as sweep_into_a_store
from calibration.sweeps.variables import Start

pytestmark = pytest.mark.slow

RADIUS, GRAVITY = 0.02, 9.81
START = jc.state(position=(0.0, 0.0, 0.3))
SCENE = jc.Scene(
    bodies=jc.spheres(radius=RADIUS, mass=0.003),
    contact=jc.ContactModel(normal=jc.NewtonRestitution(restitution=0.8)),
)
FACTORS = [
    Levels("contact.normal.restitution", (0.5, 0.9)),
    Range("position_z", 0.1, 0.5, levels=5),
]
RESPONSES = ("impacts", "touch_down", "impact_speed", "rebound_speed", "final_position")


def sweep(path, factors=FACTORS, **given):
    options = {"duration": 0.5, "method": jc.Impulse(), "responses": RESPONSES, "lanes": 4}
    return sweep_into_a_store(SCENE, START, factors, store=path, **{**options, **given})


def files(folder):
    """What is in a store, by the name of the file."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_a_sweep_keeps_what_the_fall_and_the_rebound_are(tmp_path):
    swept = sweep(tmp_path / "drops.zarr")
    height, restitution = swept.position_z.values, swept["contact.normal.restitution"].values
    assert swept.sizes == {"variant": 10, "impact": 1, "axis": 3}
    speed = np.sqrt(2 * GRAVITY * (height - RADIUS))
    np.testing.assert_allclose(swept.impact_speed[:, 0], speed, rtol=1e-12)
    np.testing.assert_allclose(swept.rebound_speed[:, 0], restitution * speed, rtol=1e-12)
    np.testing.assert_allclose(swept.touch_down[:, 0], speed / GRAVITY, rtol=1e-12)
    assert not np.any(swept.status > jc.Status.CAME_TO_REST)
    for number in (0, 7):
        normal = jc.NewtonRestitution(restitution=restitution[number])
        scene = SCENE.replace(contact=jc.ContactModel(normal=normal))
        start = jc.state(position=(0.0, 0.0, height[number]))
        alone = jc.simulate(scene, start, [0.0, 0.5], method=jc.Impulse())
        np.testing.assert_allclose(swept.final_position[number], alone.position[-1], atol=1e-12)
        assert swept.impacts[number] == np.sum(alone.contacts.happened)
    assert swept.rebound_speed.attrs["units"] == "m/s"
    grid = on_grid(swept)
    assert grid.sizes["position_z"] == 5
    found = grid.rebound_speed.sel({"contact.normal.restitution": 0.9, "position_z": 0.5}).item()
    assert found == pytest.approx(0.9 * np.sqrt(2 * GRAVITY * 0.48), rel=1e-12)


def test_no_number_depends_on_chunks_and_a_store_is_the_same_for_the_same_sweep(tmp_path):
    whole = sweep(tmp_path / "whole.zarr")
    pieces = sweep(tmp_path / "pieces.zarr", FACTORS[::-1], chunk=3)
    xarray.testing.assert_allclose(whole, pieces, rtol=1e-13)
    sweep(tmp_path / "again.zarr")
    assert files(tmp_path / "again.zarr") == files(tmp_path / "whole.zarr")


class Killed(BaseException):
    """In the place of a signal."""


@pytest.mark.parametrize("halfway", [False, True])
def test_a_sweep_that_was_killed_goes_on_and_ends_with_the_same_store(
    tmp_path, monkeypatch, halfway
):
    """Between two chunks, and while the second one is written: its responses, not its status."""
    sweep(tmp_path / "whole.zarr", chunk=4)
    write, starts = store.Store.write, []

    def killed(self, start, columns, status):
        starts.append(start)
        if len(starts) == 2:
            if halfway:
                for name, column in columns.items():
                    self.group[name][start : start + status.size] = column.values
            raise Killed
        write(self, start, columns, status)

    with monkeypatch.context() as patch:
        patch.setattr(store.Store, "write", killed)
        with pytest.raises(Killed):
            sweep(tmp_path / "killed.zarr", chunk=4)
    left = xarray.open_zarr(tmp_path / "killed.zarr", chunks=None)
    assert (left.status.values == store.NOT_COMPUTED).tolist() == [False] * 4 + [True] * 6
    written = []
    monkeypatch.setattr(
        store.Store,
        "write",
        lambda self, start, *rest: (written.append(start), write(self, start, *rest)),
    )
    sweep(tmp_path / "killed.zarr", chunk=4)
    assert written == [4, 8]
    assert files(tmp_path / "killed.zarr") == files(tmp_path / "whole.zarr")
    sweep(tmp_path / "killed.zarr", chunk=4)
    assert written == [4, 8]


def test_what_is_not_known_is_missing_and_no_number_is_nan(tmp_path):
    """With room for two impacts: in 0.5 s a ball has more from 0.05 m, and one from 0.5 m."""
    heights = Levels("position_z", (0.05, 0.19, 0.5))
    few = {"factors": [heights], "impacts": 2, "method": jc.Impulse(max_contacts=2)}
    with pytest.warns(jc.SimulationWarning, match=r"1 of 3 simulations.*status says which"):
        swept = sweep(tmp_path / "drops.zarr", **few)
    known = np.isfinite(swept.impact_speed.values)
    assert known.tolist() == [[False, False], [True, True], [True, False]]
    assert np.isnan(swept.impacts.values).tolist() == [True, False, False]
    assert np.isnan(swept.final_position.values).any(axis=1).tolist() == [True, False, False]
    group = zarr.open_group(tmp_path / "drops.zarr", mode="r")
    for name, array in group.arrays():
        values = np.asarray(array)
        assert values.dtype.kind != "f" or np.all(np.isfinite(values)), name
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        sweep(tmp_path / "drops.zarr", **few)
    assert any("1 of 3" in str(warning.message) for warning in said)
    text = str(summarise(swept))
    assert "1 of 3 simulations did not succeed" in text


def test_own_responses_are_kept(tmp_path):
    lost = Response(
        "lost_energy",
        lambda motions: 0.5 * (motions.first.impact_speed**2 - motions.first.rebound_speed**2),
        label="energy lost over the mass",
        unit="J/kg",
        axes=("impact",),
    )
    swept = sweep(tmp_path / "drops.zarr", responses=[lost])
    height, restitution = swept.position_z.values, swept["contact.normal.restitution"].values
    expected = GRAVITY * (height - RADIUS) * (1 - restitution**2)
    np.testing.assert_allclose(swept.lost_energy[:, 0], expected, rtol=1e-12)
    wrong = Response("wrong", lambda motions: motions.impacts, label="", axes=("impact",))
    with pytest.raises(InputError, match="its axes are"):
        sweep(tmp_path / "wrong.zarr", responses=[wrong])
    assert not (tmp_path / "wrong.zarr").exists()


@pytest.mark.long
def test_a_summary_says_what_each_response_follows(tmp_path):
    factors = [
        Range(name, low, high)
        for name, low, high in (
            ("contact.normal.restitution", 0.5, 0.9),
            ("position_z", 0.1, 0.5),
            ("velocity_y", 1.0, 2.0),
        )
    ]
    swept = sweep(tmp_path / "drops.zarr", factors, design=Design("sobol", number=64))
    found = {response.name: response for response in summarise(swept).responses}
    assert list(found)[:4] == list(RESPONSES[:4])
    assert found["impact_speed"].ranks["position_z"] == pytest.approx(1.0)
    assert abs(found["impact_speed"].ranks["velocity_y"]) < 0.2
    assert found["final_position_y"].ranks["velocity_y"] == pytest.approx(1.0)
    assert found["final_position_x"].is_constant
    assert found["rebound_speed"].known == 64
    values = swept.rebound_speed.values
    assert found["rebound_speed"].median == pytest.approx(np.median(values))
    figure = cal.report.response_figure(swept)
    assert len(figure.axes) == 5 * 3
    assert figure.axes[0].get_ylabel() == "impacts"
    assert cal.report.png(figure).startswith(b"\x89PNG")
    many = cal.report.response_figure(xarray.concat([swept] * 100, dim="variant"))
    points, medians = (axes := many.axes[0]).collections[0].get_offsets(), axes.lines[0]
    assert "5000 of them as points" in many.get_suptitle()
    assert len(points) == 5000
    np.testing.assert_allclose(medians.get_ydata(), figure.axes[0].lines[0].get_ydata())
    with pytest.raises(InputError, match="'sobol'"):
        on_grid(swept)


def test_what_can_be_varied_is_put_where_it_belongs():
    bodies = jc.spheres(radius=0.02, mass=(0.01, 0.02))
    scene = SCENE.replace(bodies=bodies)
    state = jc.state(position=((0.0, 0.0, 0.1), (0.0, 0.0, 0.2)))
    known = variables(scene, state)
    start = Start(scene, state)
    for name, place in (
        ("bodies.mass_1", lambda scene, state: scene.bodies.mass[1]),
        ("gravity_x", lambda scene, state: scene.gravity[0]),
        ("contact.normal.restitution", lambda scene, state: scene.contact.normal.restitution),
        ("velocity_0_y", lambda scene, state: state.velocity[0, 1]),
    ):
        variable = known[name]
        changed = variable.put(start, 0.75)
        assert float(place(*changed)) == variable.get(changed) == 0.75
        assert float(place(*start)) != 0.75


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"factors": [Range("restitutoin", 0.1, 0.2)]}, "no parameter 'restitutoin'"),
        ({"factors": [Range("contact.normal.restitution", 0.5, 1.5)]}, "1.5 is outside"),
        ({"factors": [Range("bodies.mass", -1.0, 1.0)]}, r"-1 kg is outside"),
        ({"responses": ["rebound"]}, "rebound"),
        ({"responses": ["impacts", "impacts"]}, "'impacts' is named twice"),
        ({"responses": []}, "no response"),
        ({"duration": 0.0}, "duration = 0.0 s"),
        ({"impacts": 0}, "impacts = 0"),
        ({"chunk": 2.5}, "chunk = 2.5"),
        ({"lanes": 0}, "lanes = 0"),
        ({"method": None}, "NewtonRestitution is a rigid law"),
    ],
)
def test_what_cannot_be_swept_is_refused_before_anything_is_written(tmp_path, given, said):
    with pytest.raises(InputError, match=said):
        sweep(tmp_path / "drops.zarr", **given)
    assert not any(tmp_path.iterdir())


def test_the_store_of_something_else_is_left_alone(tmp_path):
    place = tmp_path / "drops.zarr"
    sweep(place)
    before = files(place)
    for given, said in (
        ({"duration": 0.6}, "duration = 0.5 there, 0.6 here"),
        ({"factors": FACTORS[:1]}, "the table is another"),
        ({"design": Design("sobol", number=4)}, "design = 'grid' there, 'sobol' here"),
        ({"responses": ["impacts"]}, "the response touch_down is another"),
    ):
        with pytest.raises(InputError, match=said):
            sweep(place, **given)
    assert files(place) == before
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "chapter.txt").write_text("all")
    with pytest.raises(InputError, match="not the store of a sweep"):
        sweep(tmp_path / "thesis")
    with pytest.raises(InputError, match="not the store of a sweep"):
        store.remove_store(tmp_path / "thesis")
    assert os.listdir(tmp_path / "thesis") == ["chapter.txt"]
    store.remove_store(place)
    assert not place.exists()
