"""Where Exudyn's contact objects do something else than their documentation says: each difference
has a name and can be switched on.
"""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Compatibility:
    """What to take from the program. The defaults are the documentation, ``EXUDYN_1_13`` is what
    the program does.

    Attributes:
        decides_by_data_node: contact and sticking are decided by the gap and the slip of the last
            update, not by the present ones; in between, a contact may pull over a gap. (The
            documented conditions are ``d > 0`` and ``|v_t| < v_reg``.)
        adhesion_needs_plasticity: ``contactPlasticityRatio = 0`` switches pull-off force and
            adhesion off, so that the force jumps by ``constantPullOffForce`` as the ratio goes to
            0. The documented table of parameters says so, and this is the default; the documented
            formula alone, without it, keeps the pull-off force.
        adhesion_exponent_needs_stiffness_exponent: ``adhesionExponent`` counts as 1 when
            ``contactStiffnessExponent`` is exactly 1.
        damping_twice_at_equal_branches: where the unloading and the adhesive branch give exactly
            the same force, the force of first loading acts, and the damping force twice.
        damping_pulls: damping may make a contact attract. The documentation states no cut-off
            either, so this is the default. Without it damping takes away at most what repels, and
            only adhesion attracts.
        friction_under_tension: friction keeps its formula when the normal force attracts, so that
            it drives the sliding. (The documentation has it act against the tangential velocity:
            none under tension.)
        spin_needs_friction: the remembered slip is that of the centres, without spin, when there is
            no contact or no friction.
        impact_needs_a_gap: the impact velocity is remembered only in a step that starts with a
            positive gap, so that a contact that begins with a data node of zeros has none, and no
            damping in the impact models 1 and 2.
        force_output_on_body_0: the output ``Force`` is the force on body 0. (The documentation
            writes its forces for marker 1.)
        torque_output_negated: the output ``Torque`` is minus the torque on body 0. (Documented: the
            torque on marker 0.)
        velocity_output_at_contact: the output ``Velocity`` is zero without contact, and includes
            the spin in a contact with friction. (Documented: the relative velocity of the
            midpoints.)
        gap_alone_in_displacement_local: the output ``DisplacementLocal`` is ``(gap,)``.
            (Documented: ``(0, 0, gap)``.)
        any_slip_sticks: friction is proportional to the slip, without limit, whenever the
            remembered slip is not exactly zero: an error of the versions around April 2025, removed
            by June 2025.

    Example:
        >>> from jaxcontact.systems import exudyn
        >>> both = exudyn.Compatibility(friction_under_tension=True)
        >>> both.friction_under_tension, both.spin_needs_friction
        (True, False)
    """

    decides_by_data_node: bool = False
    adhesion_needs_plasticity: bool = True
    adhesion_exponent_needs_stiffness_exponent: bool = False
    damping_twice_at_equal_branches: bool = False
    damping_pulls: bool = True
    friction_under_tension: bool = False
    spin_needs_friction: bool = False
    impact_needs_a_gap: bool = False
    force_output_on_body_0: bool = False
    torque_output_negated: bool = False
    velocity_output_at_contact: bool = False
    gap_alone_in_displacement_local: bool = False
    any_slip_sticks: bool = False


DOCUMENTED = Compatibility()
"""As the reference manual says."""

EXUDYN_1_13 = Compatibility(
    decides_by_data_node=True,
    adhesion_exponent_needs_stiffness_exponent=True,
    damping_twice_at_equal_branches=True,
    friction_under_tension=True,
    spin_needs_friction=True,
    impact_needs_a_gap=True,
    force_output_on_body_0=True,
    torque_output_negated=True,
    velocity_output_at_contact=True,
    gap_alone_in_displacement_local=True,
)
"""As Exudyn 1.13.6 computes (and 1.11).

Example:
    >>> from jaxcontact.systems import exudyn
    >>> exudyn.EXUDYN_1_13.friction_under_tension
    True
"""

EXUDYN_1_9_APRIL_2025 = dataclasses.replace(EXUDYN_1_13, any_slip_sticks=True)
"""As the versions up to 1.9.191 of spring 2025 compute friction."""
