"""The quantities that laws are written in: one meaning, unit and admissible interval for each name
of an argument.

A law may call an argument by one of these names only if it means this. ``jaxcontact.law`` checks
the values before tracing; models declare their parameters with the same entries.
"""

from jaxcontact.parameters import Quantity, quantity

QUANTITIES: dict[str, Quantity] = {
    # motion
    "overlap": quantity(unit="m", label="overlap", symbol="d"),
    "overlap_rate": quantity(unit="m/s", label="overlap rate", symbol="d'"),
    "impact_speed": quantity(
        unit="m/s", label="approach speed at touch-down", symbol="v", interval="[0, inf)"
    ),
    "slip": quantity(unit="m/s", label="slip velocity", symbol="s"),
    "tangential_displacement": quantity(unit="m", label="tangential displacement", symbol="xi"),
    "slip_increment": quantity(unit="m", label="slip during a step", symbol="ds"),
    "rotation_rate": quantity(unit="rad/s", label="relative angular velocity", symbol="w"),
    "rotation_increment": quantity(
        unit="rad", label="relative rotation during a step", symbol="dtheta"
    ),
    "spin": quantity(
        unit="rad/s", label="relative angular velocity about the normal", symbol="w_n"
    ),
    "body_speed": quantity(unit="m/s", label="speed of a body", symbol="v", interval="[0, inf)"),
    "body_acceleration": quantity(
        unit="m/s^2", label="magnitude of a body's acceleration", symbol="a", interval="[0, inf)"
    ),
    "displacement_limit": quantity(
        unit="m", label="displacement allowed in one step", symbol="eps", interval="(0, inf)"
    ),
    "time_step": quantity(unit="s", label="time step", symbol="dt", interval="(0, inf)"),
    "gap": quantity(unit="m", label="gap, negative in overlap", symbol="g"),
    "normal": quantity(unit="-", label="unit normal of the contact", symbol="n", shape=(3,)),
    "boundary_velocity": quantity(
        unit="m/s", label="velocity of the boundary at the contact", symbol="v_b", shape=(3,)
    ),
    # forces
    "normal_force": quantity(unit="N", label="normal force", symbol="F_n"),
    "force": quantity(unit="N", label="force", symbol="F"),
    "load": quantity(unit="N", label="load", symbol="F"),
    "limit": quantity(
        unit="N", label="largest force that a slider carries", symbol="F_max", interval="[0, inf)"
    ),
    "tangential_force": quantity(
        unit="N", label="tangential force", symbol="F_t", interval="[0, inf)"
    ),
    # inertia and geometry
    "mass": quantity(
        unit="kg", label="effective mass", symbol="m", interval="(0, inf)", transform="log"
    ),
    "inertia": quantity(
        unit="kg m^2", label="moment of inertia", symbol="I", interval="(0, inf)", transform="log"
    ),
    "radius": quantity(unit="m", label="radius", symbol="R", interval="(0, inf)", transform="log"),
    "effective_radius": quantity(
        unit="m", label="effective radius", symbol="R*", interval="(0, inf)", transform="log"
    ),
    "contact_radius": quantity(
        unit="m",
        label="radius of the contact area",
        symbol="a",
        interval="[0, inf)",
        transform="log",
    ),
    "contact_area": quantity(
        unit="m^2", label="area of contact", symbol="A", interval="[0, inf)", transform="log"
    ),
    # stiffness
    "stiffness": quantity(
        unit="N/m^n", label="contact stiffness", symbol="K", interval="[0, inf)", transform="log"
    ),
    "exponent": quantity(
        unit="-",
        label="exponent of the overlap",
        symbol="n",
        interval="(0, inf)",
        transform="log",
        remedy="1 is linear, 1.5 Hertz.",
    ),
    "tangential_stiffness": quantity(
        unit="N/m", label="tangential stiffness", symbol="k_t", interval="[0, inf)", transform="log"
    ),
    "effective_modulus": quantity(
        unit="Pa", label="effective modulus", symbol="E*", interval="(0, inf)", transform="log"
    ),
    "effective_shear_modulus": quantity(
        unit="Pa",
        label="effective shear modulus",
        symbol="G*",
        interval="(0, inf)",
        transform="log",
    ),
    # plasticity and adhesion
    "plasticity_ratio": quantity(
        unit="-",
        label="plasticity ratio",
        symbol="l",
        interval="[0, 1)",
        transform="logit",
        remedy="It is 1 minus the stiffness of first loading over that of unloading; 0 is elastic.",
    ),
    "adhesion_stiffness": quantity(
        unit="N/m^m", label="adhesion stiffness", symbol="K_a", interval="[0, inf)", transform="log"
    ),
    "adhesion_exponent": quantity(
        unit="-", label="exponent of the adhesion", symbol="m", interval="[0, inf)", transform="log"
    ),
    "pull_off_force": quantity(
        unit="N",
        label="constant pull-off force",
        symbol="F_0",
        interval="[0, inf)",
        transform="log",
    ),
    "ramp_overlap": quantity(
        unit="m",
        label="overlap over which a force sets in",
        symbol="d_r",
        interval="(0, inf)",
        transform="log",
    ),
    "ramp_speed": quantity(
        unit="m/s",
        label="overlap rate over which damping sets in",
        symbol="v_r",
        interval="(0, inf)",
        transform="log",
    ),
    "work_of_adhesion": quantity(
        unit="J/m^2", label="work of adhesion", symbol="w", interval="[0, inf)", transform="log"
    ),
    "yield_pressure": quantity(
        unit="Pa",
        label="pressure in the middle of the contact at which it yields",
        symbol="p_y",
        interval="(0, inf)",
        transform="log",
        remedy="It is about 1.6 times the yield stress of a tensile test.",
    ),
    "unloading_ratio": quantity(
        unit="-",
        label="stiffness of unloading over that of first loading",
        symbol="k_2/k_1",
        interval="[1, inf)",
        transform="log",
        remedy="It is 1/e^2 for a restitution e; below 1 the contact would create energy.",
    ),
    "hardening": quantity(
        unit="1/m",
        label="growth of the unloading stiffness with the largest force",
        symbol="S",
        interval="[0, inf)",
        transform="log",
    ),
    "width": quantity(
        unit="m",
        label="width of the transition",
        symbol="h",
        interval="(0, inf)",
        transform="log",
        remedy="Take a fraction of the overlaps.",
    ),
    # damping
    "dissipation": quantity(
        unit="s/m",
        label="damping over the elastic force and the overlap rate",
        symbol="d",
        interval="[0, inf)",
        transform="log",
    ),
    "damping": quantity(
        unit="N s/m", label="damping", symbol="c", interval="[0, inf)", transform="log"
    ),
    "tangential_damping": quantity(
        unit="N s/m", label="tangential damping", symbol="c_t", interval="[0, inf)", transform="log"
    ),
    "damping_ratio": quantity(
        unit="-",
        label="damping ratio a of 1 + a d'/v",
        symbol="a",
        interval="[0, inf)",
        transform="log",
    ),
    "zeta": quantity(
        unit="-",
        label="damping relative to critical",
        symbol="zeta",
        interval="[0, inf)",
        transform="log",
    ),
    "alpha": quantity(
        unit="-", label="Tsuji's damping", symbol="alpha", interval="[0, inf)", transform="log"
    ),
    "dissipation_time": quantity(
        unit="s",
        label="dissipation time of the material",
        symbol="A",
        interval="[0, inf)",
        transform="log",
    ),
    "beta": quantity(
        unit="-",
        label="reduced damping of a Hertz contact",
        symbol="beta",
        interval="[0, inf)",
        transform="log",
    ),
    "restitution": quantity(
        unit="-",
        label="restitution",
        symbol="e",
        interval="(0, 1]",
        transform="logit",
        remedy="It is the ratio of the speeds after and before an impact, e.g. 0.9.",
    ),
    "reference_speed": quantity(
        unit="m/s",
        label="speed at which the restitution holds",
        symbol="v_ref",
        interval="(0, inf)",
        transform="log",
    ),
    "velocity_exponent": quantity(
        unit="-",
        label="exponent of the fall of the restitution with speed",
        symbol="q",
        interval="(0, inf)",
        transform="log",
        remedy="1/4 is fully plastic.",
    ),
    "mean_exponent": quantity(
        unit="-",
        label="exponent of the fall of the restitution with speed, at the reference speed",
        symbol="q",
        remedy="Negative: the restitution rises with speed.",
    ),
    "exponent_change": quantity(
        unit="-",
        label="change of that exponent from the reference speed to far above",
        symbol="c",
        remedy="0 is a power law.",
    ),
    "sharpness": quantity(
        unit="-",
        label="sharpness of a transition",
        symbol="n",
        interval="[2, inf)",
        transform="log",
    ),
    "decay_speed": quantity(
        unit="m/s",
        label="speed over which the restitution decays",
        symbol="v_c",
        interval="(0, inf)",
        transform="log",
    ),
    "steepness": quantity(
        unit="-", label="exponent of the decay", symbol="n", interval="[1, inf)", transform="log"
    ),
    "limit_restitution": quantity(
        unit="-",
        label="restitution of fast impacts",
        symbol="e_inf",
        interval="[0, 1]",
        transform="logit",
    ),
    "yield_speed": quantity(
        unit="m/s",
        label="approach speed from which an impact yields",
        symbol="v_y",
        interval="(0, inf)",
        transform="log",
    ),
    "node_speed": quantity(
        unit="m/s", label="speed of a node", symbol="v_i", interval="(0, inf)", transform="log"
    ),
    "node_restitution": quantity(
        unit="-", label="restitution at a node", symbol="e_i", interval="(0, 1]", transform="logit"
    ),
    # friction
    "coefficient": quantity(
        unit="-", label="friction coefficient", symbol="mu", interval="[0, inf)", transform="log"
    ),
    "slip_velocity": quantity(
        unit="m/s",
        label="slip velocity of the regularisation",
        symbol="v_s",
        interval="(0, inf)",
        transform="log",
        remedy="Take a small fraction of the slip of interest, e.g. 1e-3.",
    ),
    "smoothing": quantity(unit="-", label="smoothing, a fraction", symbol="h", interval="(0, 1)"),
    "spin_velocity": quantity(
        unit="rad/s",
        label="spin of the regularisation",
        symbol="w_s",
        interval="(0, inf)",
        transform="log",
        remedy="Take a small fraction of the spins of interest.",
    ),
    "spinning_lever": quantity(
        unit="m",
        label="lever of the spinning friction",
        symbol="lambda",
        interval="[0, inf)",
        transform="log",
        remedy="It is the torque about the normal over the normal force.",
    ),
    "safety": quantity(
        unit="-",
        label="fraction of the torque that stops the spin in one step",
        symbol="C",
        interval="(0, 1]",
        transform="logit",
        remedy="EDEM takes 0.125.",
    ),
    "sliding_resistance": quantity(
        unit="N",
        label="additional sliding resistance",
        symbol="F_r",
        interval="[0, inf)",
        transform="log",
    ),
    "maximum_force": quantity(
        unit="N",
        label="maximum friction force",
        symbol="F_max",
        interval="[0, inf)",
        transform="log",
        remedy="None is no maximum.",
    ),
    "static_coefficient": quantity(
        unit="-",
        label="static friction coefficient",
        symbol="mu_s",
        interval="[0, inf)",
        transform="log",
    ),
    "stribeck_velocity": quantity(
        unit="m/s",
        label="slip velocity over which friction falls to its dynamic value",
        symbol="v_S",
        interval="(0, inf)",
        transform="log",
    ),
    "viscous_coefficient": quantity(
        unit="s/m",
        label="growth of the coefficient with the velocity",
        symbol="c",
        interval="[0, inf)",
        transform="log",
    ),
    # rolling
    "rolling_coefficient": quantity(
        unit="-",
        label="coefficient of rolling resistance",
        symbol="mu_r",
        interval="[0, inf)",
        transform="log",
        remedy="It multiplies the effective radius: torque over normal force and radius.",
    ),
    "rolling_velocity": quantity(
        unit="rad/s",
        label="angular velocity of the regularisation",
        symbol="w_s",
        interval="(0, inf)",
        transform="log",
        remedy="Take a small fraction of the angular velocities of interest.",
    ),
    "rolling_stiffness": quantity(
        unit="N m/rad",
        label="rolling stiffness",
        symbol="k_r",
        interval="[0, inf)",
        transform="log",
    ),
    "rolling_damping": quantity(
        unit="N m s/rad",
        label="rolling damping",
        symbol="C_r",
        interval="[0, inf)",
        transform="log",
    ),
    "mobilized_damping": quantity(
        unit="-",
        label="fraction of the dashpot that acts on a fully mobilised spring",
        symbol="f",
        interval="[0, 1]",
        transform="logit",
    ),
    "specific_impulse": quantity(
        unit="m/s", label="normal impulse over tangential mass", symbol="J/m_t"
    ),
    "tangential_restitution": quantity(
        unit="-",
        label="tangential restitution",
        symbol="beta_0",
        interval="[-1, 1]",
        transform="logit",
    ),
    # Modia3D, under its own names
    "coefficientOfRestitution": quantity(
        unit="-",
        label="coefficient of restitution",
        symbol="cor",
        interval="[0, 1]",
        transform="logit",
        remedy="It is the ratio of the speeds after and before an impact, e.g. 0.7.",
    ),
    "slidingFrictionCoefficient": quantity(
        unit="-",
        label="sliding friction coefficient",
        symbol="mu_k",
        interval="[0, inf)",
        transform="log",
    ),
    "rotationalResistanceCoefficient": quantity(
        unit="-",
        label="rotational resistance coefficient",
        symbol="mu_r",
        interval="[0, inf)",
        transform="log",
    ),
    "vsmall": quantity(
        unit="m/s",
        label="small relative velocity",
        symbol="v_small",
        interval="(0, inf)",
        transform="log",
    ),
    "wsmall": quantity(
        unit="rad/s",
        label="small relative angular velocity",
        symbol="w_small",
        interval="(0, inf)",
        transform="log",
    ),
    "transition_speed": quantity(
        unit="m/s",
        label="width of the transition at the small relative velocity",
        symbol="w",
        interval="(0, inf)",
        transform="log",
        remedy="Take a fraction of vsmall, e.g. 1e-3.",
    ),
    "maximumContactDamping": quantity(
        unit="s/m", label="largest damping", symbol="d_max", interval="(0, inf)", transform="log"
    ),
    "elasticContactReductionFactor": quantity(
        unit="-",
        label="factor of the stiffness",
        symbol="k_red",
        interval="[0, 1.1]",
        transform="log",
        remedy="1 is the stiffness of the materials, 0 is no contact force.",
    ),
    "contactEpsilon": quantity(
        unit="m",
        label="distance that counts as contact",
        symbol="eps",
        interval="[0, inf)",
        transform="log",
    ),
    "contactSphereRadius": quantity(
        unit="m",
        label="radius of the sphere that stands for a surface",
        symbol="r_contact",
        remedy="0 or less is the default of the shape.",
    ),
    "density": quantity(
        unit="kg/m^3", label="density", symbol="rho", interval="[0, inf)", transform="log"
    ),
    "YoungsModulus": quantity(
        unit="Pa",
        label="Young's modulus",
        symbol="E",
        interval="[0, inf)",
        transform="log",
        remedy="0 is no contact force.",
    ),
    "PoissonsRatio": quantity(
        unit="-",
        label="Poisson's ratio",
        symbol="nu",
        interval="[0, 1)",
        transform="logit",
        remedy="0 is no contact force.",
    ),
}
"""What each name of an argument means, its unit and interval.

Example:
    >>> damping = jc.laws.QUANTITIES["damping"]
    >>> print(damping.description)
    damping ``c`` [N s/m], in ``[0, inf)``
"""
