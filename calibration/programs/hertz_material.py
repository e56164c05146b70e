"""Young's modulus of the one material of both bodies, for programs that take no stiffness."""

from calibration.programs.target import Target

POISSON_RATIO = 0.3
"""Of a material of which only the stiffness of the contact is known."""

EXPONENT = 1.5
"""Of Hertz."""


def youngs_modulus(target: Target) -> float:
    """``E = 2 (1 - nu^2) E*`` [Pa] of two bodies of one material, ``K = 4/3 E* sqrt(R)``.

    Args:
        target: the bodies and how stiff their contact is to be.
    """
    from jaxcontact.materials import hertz_stiffness, plane_strain_modulus  # imports JAX

    of_one = float(hertz_stiffness(1.0, target.effective_radius))
    modulus = target.stiffness(EXPONENT) / of_one
    return 2 * modulus / float(plane_strain_modulus(1.0, POISSON_RATIO))
