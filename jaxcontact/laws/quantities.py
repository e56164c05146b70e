"""The quantities that laws are written in: one meaning, unit and admissible interval for each name of an argument.

A law may call an argument by one of these names only if it means this. ``laws.catalogue`` checks the values before tracing; models declare
their parameters with the same entries.
"""

from jaxcontact.field import Parameter, quantity

QUANTITIES: dict[str, Parameter] = {
    # motion
    "overlap": quantity(unit="m", label="overlap", symbol="d"),
    "overlap_rate": quantity(unit="m/s", label="overlap rate", symbol="d'"),
    "impact_speed": quantity(unit="m/s", label="approach speed at touch-down", symbol="v", interval="[0, inf)"),
    "speed": quantity(unit="m/s", label="approach speed at touch-down", symbol="v"),
    "slip": quantity(unit="m/s", label="slip velocity", symbol="s"),
    "slip_increment": quantity(unit="m", label="slip during a step", symbol="ds"),
    "rotation_rate": quantity(unit="rad/s", label="relative angular velocity", symbol="w"),
    "rotation_increment": quantity(unit="rad", label="relative rotation during a step", symbol="dtheta"),
    "spin": quantity(unit="rad/s", label="relative angular velocity about the normal", symbol="w_n"),
    "time_step": quantity(unit="s", label="time step", symbol="dt", interval="(0, inf)"),
    # forces
    "normal_force": quantity(unit="N", label="normal force", symbol="F_n"),
    "force": quantity(unit="N", label="force", symbol="F"),
    "load": quantity(unit="N", label="load", symbol="F"),
    # inertia and geometry
    "mass": quantity(unit="kg", label="effective mass", symbol="m", interval="(0, inf)", transform="log"),
    "radius": quantity(unit="m", label="radius", symbol="R", interval="(0, inf)", transform="log"),
    "effective_radius": quantity(unit="m", label="effective radius", symbol="R*", interval="(0, inf)", transform="log"),
    "contact_radius": quantity(unit="m", label="radius of the contact area", symbol="a", interval="[0, inf)", transform="log"),
    # stiffness
    "stiffness": quantity(unit="N/m^n", label="contact stiffness", symbol="K", interval="[0, inf)", transform="log"),
    "exponent": quantity(
        unit="-",
        label="exponent of the overlap",
        symbol="n",
        interval="(0, inf)",
        transform="log",
        remedy="1 is linear, 1.5 Hertz.",
    ),
    "tangential_stiffness": quantity(unit="N/m", label="tangential stiffness", symbol="k_t", interval="[0, inf)", transform="log"),
    "effective_modulus": quantity(unit="Pa", label="effective modulus", symbol="E*", interval="(0, inf)", transform="log"),
    "effective_shear_modulus": quantity(unit="Pa", label="effective shear modulus", symbol="G*", interval="(0, inf)", transform="log"),
    # damping
    "damping": quantity(unit="N s/m or s/m", label="damping", symbol="c", interval="[0, inf)", transform="log"),
    "tangential_damping": quantity(unit="N s/m", label="tangential damping", symbol="c_t", interval="[0, inf)", transform="log"),
    "damping_ratio": quantity(unit="-", label="damping ratio a of 1 + a d'/v", symbol="a", interval="[0, inf)", transform="log"),
    "zeta": quantity(unit="-", label="damping relative to critical", symbol="zeta", interval="[0, inf)", transform="log"),
    "alpha": quantity(unit="-", label="Tsuji's damping", symbol="alpha", interval="[0, inf)", transform="log"),
    "restitution": quantity(
        unit="-",
        label="restitution",
        symbol="e",
        interval="(0, 1]",
        transform="logit",
        remedy="It is the ratio of the speeds after and before an impact, e.g. 0.9.",
    ),
    # friction
    "coefficient": quantity(unit="-", label="friction coefficient", symbol="mu", interval="[0, inf)", transform="log"),
    "slip_velocity": quantity(
        unit="m/s",
        label="slip velocity of the regularisation",
        symbol="v_s",
        interval="(0, inf)",
        transform="log",
        remedy="Take a small fraction of the slip of interest, e.g. 1e-3.",
    ),
    "specific_impulse": quantity(unit="m/s", label="normal impulse over tangential mass", symbol="J/m_t"),
    "tangential_restitution": quantity(unit="-", label="tangential restitution", symbol="beta_0", interval="[-1, 1]", transform="logit"),
}
