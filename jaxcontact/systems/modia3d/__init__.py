"""Modia3D's contact force law: elastic response of two solids with damping, sliding friction and
rolling resistance.

Two solids with shapes and names of materials make a contact; its response follows from the motions
of both and a memory of one number, the speed at which the contact started::

    ball = Solid(shape=Sphere(diameter=0.06), solidMaterial="BilliardBall")
    table = Solid(
        shape=Box(lengthX=3.0, lengthY=0.5, lengthZ=0.02),
        solidMaterial="DryWood",
        contactMaterial="BilliardTable",
    )
    contact = elastic_contact(ball, table)
    response, memory = sphere_flat_response(
        ContactMemory(), contact, motion1, motion2, surface_normal=(0.0, 0.0, 1.0)
    )

Defaults are as documented. Named options give what the program does instead (``tension``,
``contactEpsilon``), the restitution that is asked for (``restitution_law="exact"``) and forms
without jumps (``transition_speed``); see ``ElasticContact``.

Known differences between the program and its documentation: the stiffness is reduced by ``k_red``
once; the force has no maximum and may pull; the damping is in s/m; the torque resists the whole
relative angular velocity, spinning included, on both solids, also while sliding; ``cor`` counts for
speeds above ``vsmall``, not at it.

Source: Modia3D (MIT licence), documentation "Contact Force Law" and the behaviour of its elastic
response; A. Neumayr and M. Otter, Collision Handling with Elastic Response Calculation and
Zero-Crossing Functions, EOOLT 2019, 57-65.

Example:
    >>> from jaxcontact.systems import modia3d
    >>> ball = modia3d.Solid(shape=modia3d.Sphere(diameter=0.06), solidMaterial="Steel")
    >>> contact = modia3d.elastic_contact(ball, ball)
    >>> print(f"restitution {contact.pairMaterial.coefficientOfRestitution}")
    restitution 0.7
"""

from jaxcontact.systems.modia3d.contact_model import contact_model
from jaxcontact.systems.modia3d.contact_pair_material import (
    ElasticContactPairMaterial,
    ObserverContactPairMaterial,
    contact_pair_material,
    contactPairMaterialPalette,
    pair_key,
)
from jaxcontact.systems.modia3d.damping import (
    RESTITUTIONS,
    current_restitution,
    damping_coefficient,
    smooth_current_restitution,
    smooth_damping_coefficient,
)
from jaxcontact.systems.modia3d.elastic_contact import (
    ElasticContact,
    elastic_contact,
)
from jaxcontact.systems.modia3d.geometry_factors import GeometryFactors, geometry_factors
from jaxcontact.systems.modia3d.normal_force import normal_force
from jaxcontact.systems.modia3d.response import (
    ContactMemory,
    Response,
    contact_response,
    contact_start,
    reg,
    regularized_unit_vector,
    response_calculation,
)
from jaxcontact.systems.modia3d.response_material import (
    ElasticContactPairResponseMaterial,
    response_material,
)
from jaxcontact.systems.modia3d.shape import (
    SHAPES,
    Beam,
    Box,
    Capsule,
    Cone,
    Cylinder,
    Ellipsoid,
    FileMesh,
    Sphere,
)
from jaxcontact.systems.modia3d.solid import Solid
from jaxcontact.systems.modia3d.solid_material import (
    SolidMaterial,
    resultant_modulus,
    solid_material,
    solidMaterialPalette,
)
from jaxcontact.systems.modia3d.sphere_planes import sphere_flat_plane, sphere_sphere_plane
from jaxcontact.systems.modia3d.spheres import sphere_flat_response, sphere_sphere_response

__all__ = [
    "RESTITUTIONS",
    "SHAPES",
    "Beam",
    "Box",
    "Capsule",
    "Cone",
    "ContactMemory",
    "Cylinder",
    "ElasticContact",
    "ElasticContactPairMaterial",
    "ElasticContactPairResponseMaterial",
    "Ellipsoid",
    "FileMesh",
    "GeometryFactors",
    "ObserverContactPairMaterial",
    "Response",
    "Solid",
    "SolidMaterial",
    "Sphere",
    "contactPairMaterialPalette",
    "contact_model",
    "contact_pair_material",
    "contact_response",
    "contact_start",
    "current_restitution",
    "damping_coefficient",
    "elastic_contact",
    "geometry_factors",
    "normal_force",
    "pair_key",
    "reg",
    "regularized_unit_vector",
    "response_calculation",
    "response_material",
    "resultant_modulus",
    "smooth_current_restitution",
    "smooth_damping_coefficient",
    "solidMaterialPalette",
    "solid_material",
    "sphere_flat_plane",
    "sphere_flat_response",
    "sphere_sphere_plane",
    "sphere_sphere_response",
]
