"""Tables of impacts keep each row's observations, in one set of units, and refuse what cannot
be.
"""

from pathlib import Path

import numpy as np
import pytest

from calibration.errors import InputError
from calibration.io.impact_table import (
    ImpactTable,
    is_impact_table,
    merge_tables,
    read_impact_table,
)

DATA = Path(__file__).parents[3].parent / "shared" / "data"
KHARAZ = DATA / "kharaz2001_table"


@pytest.fixture
def write(tmp_path):
    def write(text, name="oblique.csv"):
        path = tmp_path / name
        path.write_text(text)
        return path

    return write


@pytest.mark.parametrize(
    ("quantity", "headers", "factor"),
    [
        (
            "impact_speed",
            [
                "speed",
                "v",
                "v_in",
                "v_in (m/s)",
                "impact_speed",
                "Impact velocity [m/s]",
                "v_before",
                "Geschwindigkeit",
            ],
            1.0,
        ),
        ("impact_speed", ["speed (mm/s)", "v_in_mm_s"], 1e-3),
        (
            "impact_angle",
            [
                "theta_deg",
                "theta (deg)",
                "angle [°]",
                "impact_angle_deg",
                "angle of incidence (deg)",
                "θ_in (deg)",
            ],
            1.0,
        ),
        ("impact_angle", ["theta_rad", "angle (rad)"], 180 / np.pi),
        ("spin_before", ["spin_before", "omega_in_rad_s", "initial spin (rad/s)", "omega_0"], 1.0),
        (
            "rebound_speed",
            ["rebound_speed", "v_out", "v_after (m/s)", "rebound velocity [m/s]", "vr"],
            1.0,
        ),
        (
            "rebound_angle",
            [
                "theta_rebound_deg",
                "rebound angle (deg)",
                "theta_out (deg)",
                "angle of reflection (deg)",
            ],
            1.0,
        ),
        (
            "spin_after",
            [
                "omega_rad_s",
                "omega",
                "spin",
                "spin_after",
                "rebound angular velocity (rad/s)",
                "ω (1/s)",
            ],
            1.0,
        ),
        ("spin_after", ["omega (rpm)"], 2 * np.pi / 60),
        ("spin_after", ["omega_deg_s"], np.pi / 180),
        (
            "normal_restitution",
            [
                "e_n",
                "e",
                "COR",
                "normal restitution",
                "coefficient of normal restitution",
                "restitution_coefficient",
            ],
            1.0,
        ),
        ("normal_restitution", ["e_n (%)"], 0.01),
        (
            "tangential_restitution",
            ["e_t", "et", "tangential_restitution", "Tangential coefficient of restitution [-]"],
            1.0,
        ),
    ],
)
def test_every_quantity_has_many_names_and_units(write, quantity, headers, factor):
    others = {"impact_speed": "v0", "impact_angle": "theta_i_deg", "normal_restitution": "e_n"}
    others.pop(quantity, None)
    for header in headers:
        text = (
            ",".join([header, *others.values()])
            + "\n"
            + ",".join(["1.2", *["1.1"] * len(others)])
            + "\n"
        )
        table = read_impact_table(write(text))
        np.testing.assert_allclose(getattr(table, quantity), [1.2 * factor], err_msg=header)


def test_gaps_stay_gaps_and_rows_without_output_are_left_out(write):
    table = read_impact_table(
        write(
            "v_in,theta_deg,omega_rad_s,e_t,lab\n3.9,10,250,,a\n3.9,20,,0.6,b\n3.9,30,,,c\n3.9,40,600,0.7,d\n"
        )
    )
    assert len(table) == 3
    np.testing.assert_array_equal(table.impact_angle, [10, 20, 40])
    np.testing.assert_array_equal(table.spin_after, [250, np.nan, 600])
    np.testing.assert_array_equal(table.tangential_restitution, [np.nan, 0.6, 0.7])
    np.testing.assert_array_equal(table.spin_before, 0.0)
    assert np.isnan(table.normal_restitution).all()
    assert table.measured == ("spin_after", "tangential_restitution")
    assert (list(table.line), table.source, table.ignored) == (
        [2, 3, 5],
        ("oblique",) * 3,
        ("lab",),
    )


def test_impacts_without_angle_are_head_on(write):
    table = read_impact_table(write("speed,e\n1,0.9\n2,0.85\n"))
    np.testing.assert_array_equal(table.impact_angle, 0.0)
    np.testing.assert_array_equal(table.impact_speed, [1.0, 2.0])


def test_a_given_speed_fills_what_is_missing(write):
    np.testing.assert_array_equal(
        read_impact_table(write("theta_deg,omega\n10,5\n20,6\n"), speed=3.85).impact_speed, 3.85
    )
    table = read_impact_table(write("theta_deg,omega,v\n10,5,\n20,6,2\n"), speed=3.85)
    np.testing.assert_array_equal(table.impact_speed, [3.85, 2.0])


def test_angles_and_ratios_need_no_speed(write):
    assert np.isnan(
        read_impact_table(write("theta_deg,theta_rebound_deg,e_t\n10,5,0.7\n")).impact_speed
    ).all()


def test_columns_are_chosen_by_the_caller(write):
    path = write("phi (rad),quotient,s\n0.5,0.7,0.01\n")
    columns = {
        "impact_angle": "phi",
        "tangential_restitution": "Quotient",
        "sigma_tangential_restitution": "s",
    }
    table = read_impact_table(path, columns=columns)
    np.testing.assert_allclose(table.impact_angle, np.rad2deg(0.5))
    np.testing.assert_allclose(table.tangential_restitution, 0.7)
    np.testing.assert_allclose(table.sigma["tangential_restitution"], 0.01)


def test_sigma_columns_are_in_the_unit_of_their_quantity_or_their_own(write):
    path = write(
        "theta_deg,theta_rebound_rad,theta_rebound_err,e_t,sigma_e_t "
        "(%)\n10,0.1,0.01,0.7,2\n20,,,0.6,3\n"
    )
    table = read_impact_table(path)
    np.testing.assert_allclose(table.sigma["rebound_angle"], [np.rad2deg(0.01), np.nan])
    np.testing.assert_allclose(table.sigma["tangential_restitution"], [0.02, 0.03])
    assert table.ignored == ()


def test_a_sigma_column_without_name_belongs_to_the_only_output(write):
    np.testing.assert_allclose(
        read_impact_table(write("theta_deg,e_t,sigma\n10,0.7,0.01\n")).sigma[
            "tangential_restitution"
        ],
        0.01,
    )
    table = read_impact_table(write("theta_deg,e_t,e_n,sigma\n10,0.7,0.9,0.01\n"))
    assert dict(table.sigma) == {}
    assert table.ignored == ("sigma",)


def test_a_given_sigma_replaces_the_columns(write):
    path = write("theta_deg,e_t,sigma_e_t,e_n\n10,0.7,0.5,0.9\n20,,,0.8\n")
    table = read_impact_table(path, sigma={"tangential_restitution": 0.01, "spin_after": 10.0})
    np.testing.assert_array_equal(table.sigma["tangential_restitution"], [0.01, np.nan])
    assert set(table.sigma) == {"tangential_restitution"}
    assert table.ignored == ("sigma_e_t",)


REFUSED = {
    "no output": (
        "theta_deg,v_in\n10,1\n",
        {},
        "line 1: there is no column of anything measured after the impact. The columns are "
        "'theta_deg', 'v_in'. Recognised are "
        "rebound_speed (v_out), rebound_angle (theta_out), spin_after (omega), "
        "normal_restitution (e_n), tangential_restitution (e_t). "
        "Rename one, or say which it is: --columns 'spin_after=...' "
        "(in Python: columns={'spin_after': ...}).",
    ),
    "empty outputs": (
        "theta_deg,e_t\n10,\n",
        {},
        "line 1: no row holds anything measured after the impact. Fill in at least one of "
        "rebound_speed (v_out), ",
    ),
    "no angle": (
        "v_in,e_t\n10,0.7\n",
        {},
        "line 1, column 'e_t': there is a column of tangential restitution, but none of the "
        "impact angle. "
        "Add a column 'theta_deg' (the angle from the normal), or say which it is: "
        "--columns 'impact_angle=...' (in Python: columns={'impact_angle': ...}).",
    ),
    "spin without speed": (
        "theta_deg,omega\n10,\n20,5\n",
        {},
        "line 3, column 'omega': the spin after 5 was measured, but the impact speed is not known. "
        "Add a column 'speed (m/s)', or give --speed metres-per-second (in Python: speed=...).",
    ),
    "rebound speed without speed": (
        "v_out\n2\n",
        {},
        "line 2, column 'v_out': the rebound speed 2 was measured, but the impact speed is "
        "not known.",
    ),
    "angle missing": (
        "theta_deg,e_t\n10,0.7\n,0.7\n",
        {},
        "line 3, column 'theta_deg': the impact angle is missing. The angle counts from the "
        "normal, 0 for a head-on impact: "
        "take 90 minus it if yours counts from the surface.",
    ),
    "grazing angle": (
        "theta_deg,e_t\n90,0.7\n",
        {},
        "line 2, column 'theta_deg': the impact angle 90 is outside [0, 90) deg. The angle "
        "counts from",
    ),
    "negative angle": (
        "theta_deg,e_t\n-3,0.7\n",
        {},
        "line 2, column 'theta_deg': the impact angle -3 is outside [0, 90) deg.",
    ),
    "degrees or radians": (
        "theta,e_t\n0.2,0.7\n1.5,0.9\n",
        {},
        "line 1, column 'theta': the angles have no unit and none is larger than 1.5: they "
        "may be degrees or radians. "
        "Write the unit into the header: 'theta (deg)' or 'theta (rad)'.",
    ),
    "spin before missing": (
        "theta_deg,spin_before,e_t\n10,,0.7\n",
        {},
        "line 2, column 'spin_before': the spin before is missing. Write the spin before the "
        "impact, 0 if there was none.",
    ),
    "speed zero": (
        "theta_deg,v,e_t\n10,0,0.7\n",
        {},
        "line 2, column 'v': the impact speed 0 is not positive. Write the speed before the "
        "impact in m/s.",
    ),
    "rebound speed negative": (
        "v_in,v_out\n2,-1\n",
        {},
        "line 2, column 'v_out': the rebound speed -1 is negative. Write the magnitude of "
        "the velocity after the impact.",
    ),
    "rebound angle": (
        "theta_deg,theta_out_deg\n10,95\n",
        {},
        "line 2, column 'theta_out_deg': the rebound angle 95 is outside (-90, 90) deg.",
    ),
    "restitution in percent": (
        "v_in,e\n2,80\n",
        {},
        "line 2, column 'e': the normal restitution 80 is outside [0, 1.5]. "
        "Write the ratio of the velocities after and before (0.8, not 80), or '%' as the unit.",
    ),
    "restitution negative": (
        "v_in,e\n2,-0.1\n",
        {},
        "line 2, column 'e': the normal restitution -0.1 is outside [0, 1.5].",
    ),
    "tangential in percent": (
        "theta_deg,e_t\n10,70\n",
        {},
        "line 2, column 'e_t': the tangential restitution 70 is outside [-1.5, 1.5].",
    ),
    "tangential head-on": (
        "theta_deg,e_t\n0,0.7\n10,0.7\n",
        {},
        "line 2, column 'e_t': the tangential restitution 0.7 belongs to a head-on impact, "
        "which has no tangential velocity. "
        "Leave the cell empty.",
    ),
    "text": (
        "theta_deg,e_t\n10,high\n20,0.6\n",
        {},
        "line 2, column 'e_t': 'high' is not a number. Replace it or leave the cell empty (a gap).",
    ),
    "unit": (
        "theta_deg,omega (m/s)\n10,5\n",
        {},
        "line 1, column 'omega (m/s)': 'm/s' is no unit of angular velocity known here. Use "
        "one of rad/s, deg/s, rev/s, rpm.",
    ),
    "two columns": (
        "theta_deg,e_t,et\n10,0.7,0.7\n",
        {},
        "line 1: the columns 'e_t', 'et' can each be the tangential restitution. "
        "Say which it is: --columns 'tangential_restitution=e_t' "
        "(in Python: columns={'tangential_restitution': 'e_t'}).",
    ),
    "sigma zero": (
        "theta_deg,e_t,e_t_err\n10,0.7,0\n",
        {},
        "line 2, column 'e_t_err': the uncertainty of this tangential restitution is 0, not "
        "positive. "
        "Write a positive standard deviation, or delete the column.",
    ),
    "sigma missing": (
        "theta_deg,e_t,e_t_err\n10,0.7,\n",
        {},
        "line 2, column 'e_t_err': the uncertainty of this tangential restitution is missing.",
    ),
    "speed not positive": (
        "theta_deg,e_t\n10,0.7\n",
        {"speed": 0.0},
        "speed = 0.0 is not a positive number. Give the impact speed in m/s.",
    ),
    "sigma of nothing": (
        "theta_deg,e_t\n10,0.7\n",
        {"sigma": {"omega": 1.0}},
        "sigma names 'omega', which is nothing measured after an impact. Use rebound_speed, "
        "rebound_angle, spin_after, ",
    ),
    "sigma not positive": (
        "theta_deg,e_t\n10,0.7\n",
        {"sigma": {"spin_after": -1.0}},
        "sigma of spin_after = -1.0 is not a positive number. Give the standard deviation.",
    ),
    "columns of nothing": (
        "theta_deg,e_t\n10,0.7\n",
        {"columns": {"omega": "e_t"}},
        "columns names the quantity 'omega', which no table of impacts has. Use "
        "impact_speed, impact_angle, spin_before, ",
    ),
    "columns that are not there": (
        "theta_deg,e_t\n10,0.7\n",
        {"columns": {"spin_after": "w"}},
        "line 1: there is no column 'w'. Name one of ",
    ),
}


@pytest.mark.parametrize(("text", "options", "message"), REFUSED.values(), ids=REFUSED.keys())
def test_what_is_wrong_is_refused_with_place_and_remedy(write, text, options, message):
    path = write(text)
    with pytest.raises(InputError) as caught:
        read_impact_table(path, **options)
    separator = ", " if message.startswith("line") else ": "
    assert str(caught.value).startswith(f"{path}{separator}{message}")


def test_with_spin_before_the_tangential_ratio_has_no_bound(write):
    table = read_impact_table(write("theta_deg,spin_before,e_t\n2,400,-3.5\n"))
    np.testing.assert_array_equal(table.tangential_restitution, -3.5)
    np.testing.assert_array_equal(table.spin_before, 400.0)


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("theta_deg,e_t", True),
        ("speed,e", True),
        ("v_in,v_out", True),
        ("no,angle,omega", True),
        ("t,angle,e_n", True),
        ("t,x,y", False),
        ("t,x,y,angle,omega", False),
        ("frame,z,v_out", False),
        ("t,omega", False),
        ("x,y", False),
        ("a,b", False),
    ],
)
def test_the_header_tells_impacts_from_recordings(write, header, expected):
    assert (
        is_impact_table(write(header + "\n" + ",".join("1" for _ in header.split(",")) + "\n"))
        is expected
    )


def test_merging_keeps_the_observations_of_each_row(write):
    first = read_impact_table(
        write("theta_deg,e_t,sigma_e_t,a\n10,0.7,0.01,1\n20,0.6,0.02,1\n", "first.csv")
    )
    second = read_impact_table(write("theta_deg,omega,b\n15,300,1\n", "second.csv"), speed=3.85)
    table = merge_tables([first, second])
    np.testing.assert_array_equal(table.impact_angle, [10, 20, 15])
    np.testing.assert_array_equal(table.impact_speed, [np.nan, np.nan, 3.85])
    np.testing.assert_array_equal(table.tangential_restitution, [0.7, 0.6, np.nan])
    np.testing.assert_array_equal(table.spin_after, [np.nan, np.nan, 300])
    np.testing.assert_array_equal(table.sigma["tangential_restitution"], [0.01, 0.02, np.nan])
    assert (table.source, list(table.line)) == (("first", "first", "second"), [2, 3, 2])
    assert (table.name, table.path, table.ignored) == ("first + second", None, ("a", "b"))
    assert merge_tables([first], name="alumina").name == "alumina"
    with pytest.raises(
        InputError, match=r"^there is no table to merge\. Give at least one table of impacts\.$"
    ):
        merge_tables([])


def test_a_table_made_in_python_needs_only_angles():
    table = ImpactTable(
        name="made", impact_angle=np.array([10.0, 20.0]), spin_after=np.array([3.0, np.nan])
    )
    np.testing.assert_array_equal(table.spin_before, 0.0)
    assert np.isnan(table.impact_speed).all()
    assert (table.source, list(table.line), table.measured) == (
        ("made", "made"),
        [1, 2],
        ("spin_after",),
    )
    with pytest.raises(
        InputError,
        match=r"^table 'made': spin_after has 1 values and impact_angle 2\. Give every quantity "
        r"one value for each",
    ):
        ImpactTable(name="made", impact_angle=np.array([10.0, 20.0]), spin_after=np.array([3.0]))
    with pytest.raises(
        InputError, match=r"^table 'made': sigma of spin_after has 1 values and impact_angle 2\."
    ):
        ImpactTable(
            name="made", impact_angle=np.array([10.0, 20.0]), sigma={"spin_after": np.array([3.0])}
        )


@pytest.mark.skipif(
    not KHARAZ.is_dir(),
    reason="the digitised measurements of Kharaz et al. (2001) are not beside the checkout",
)
def test_the_three_columns_of_kharaz_are_one_table_with_their_own_angles():
    files = sorted(KHARAZ.glob("*.csv"))
    assert all(is_impact_table(path) for path in files)
    sigma = {"rebound_angle": 0.3, "spin_after": 10.0, "tangential_restitution": 0.01}
    table = merge_tables([read_impact_table(path, speed=3.85, sigma=sigma) for path in files])
    assert len(table) == 24
    assert table.measured == ("rebound_angle", "spin_after", "tangential_restitution")
    # Kharaz, Gorham and Salman, Powder Technology 120 (2001) 281-291, digitised: the largest spin
    # is near 31 degrees.
    largest = np.nanargmax(table.spin_after)
    assert (
        table.impact_angle[largest],
        table.spin_after[largest],
        table.sigma["spin_after"][largest],
    ) == (31.157, 612.88, 10.0)
    observed = np.isfinite([getattr(table, name) for name in table.measured])
    np.testing.assert_array_equal(observed.sum(axis=0), 1)


@pytest.mark.skipif(not DATA.is_dir(), reason="the measured data are not beside the checkout")
def test_no_measured_recording_is_taken_for_a_table_of_impacts():
    tables = {path.parts[-3] for path in DATA.glob("*/csv/*.csv") if is_impact_table(path)}
    assert tables <= {"tt_rackets_racket_01"}  # whose rows are velocities before and after
