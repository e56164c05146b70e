"""One impact in the real Exudyn, with the block that is exported."""

import exudyn
import numpy as np
from exudyn.itemInterface import (
    MarkerBodyRigid,
    NodeGenericData,
    NodeRigidBodyRotVecLG,
    ObjectContactSphereSphere,
    ObjectContactSphereTriangle,
    ObjectGround,
    ObjectRigidBody,
)


def velocities_after(block, target, spin, *, step):
    """Of a ball that falls along z with a spin about y, and of the sphere that it meets, if any."""
    given = {}
    exec(block, given)
    contact = given["contact"]
    system = exudyn.SystemContainer()
    mbs = system.AddSystem()
    gap = 1e-3 * target.radius
    ball = _sphere(
        mbs, target.radius, target.mass, (0, 0, target.radius + gap), spin, -target.speed
    )
    data = mbs.AddNode(
        NodeGenericData(initialCoordinates=[0.1, 0, 0, 0], numberOfDataCoordinates=4)
    )
    if target.partner_radius is None:
        wall = mbs.AddMarker(MarkerBodyRigid(bodyNumber=mbs.AddObject(ObjectGround())))
        corners = exudyn.Vector3DList([[-9, -9, 0], [9, -9, 0], [0, 9, 0]])
        mbs.AddObject(
            ObjectContactSphereTriangle(
                markerNumbers=[ball[1], wall],
                nodeNumber=data,
                sphereRadius=target.radius,
                trianglePoints=corners,
                **contact,
            )
        )
        nodes = [ball[0]]
    else:
        place = (0, 0, -target.partner_radius)
        partner = _sphere(mbs, target.partner_radius, target.partner_mass, place, 0, 0)
        mbs.AddObject(
            ObjectContactSphereSphere(
                markerNumbers=[ball[1], partner[1]],
                nodeNumber=data,
                spheresRadii=[target.radius, target.partner_radius],
                **contact,
            )
        )
        nodes = [ball[0], partner[0]]
    mbs.Assemble()
    settings = exudyn.SimulationSettings()
    end = 3 * target.undamped_time(1.5) + 2 * gap / target.speed
    settings.timeIntegration.endTime = end
    settings.timeIntegration.numberOfSteps = int(np.ceil(end / step))
    settings.timeIntegration.discontinuous.useRecommendedStepSize = False
    settings.timeIntegration.verboseMode = 0
    settings.solution.file.write = False
    mbs.SolveDynamic(settings, solverType=exudyn.DynamicSolverType.RK44)
    return [
        np.asarray(mbs.GetNodeOutput(node, exudyn.OutputVariableType.Velocity)) for node in nodes
    ]


def _sphere(mbs, radius, mass, place, spin, velocity):
    """Node and marker."""
    inertia = 0.4 * mass * radius**2
    node = mbs.AddNode(
        NodeRigidBodyRotVecLG(
            referenceCoordinates=[*place, 0, 0, 0], initialVelocities=[0, 0, velocity, 0, spin, 0]
        )
    )
    body = mbs.AddObject(
        ObjectRigidBody(
            mass=mass,
            inertia=[inertia, inertia, inertia, 0, 0, 0],
            nodeNumber=node,
        )
    )
    return node, mbs.AddMarker(MarkerBodyRigid(bodyNumber=body))
