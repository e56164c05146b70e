"""One impact in the real MuJoCo, with the block that is exported."""

import math
from xml.etree import ElementTree

import mujoco


def velocities_after(block, target, spin):
    """Of a ball that falls along z with a spin about y, and of the sphere that it meets, if any."""
    root = ElementTree.fromstring(block)
    root.find("option").set("gravity", "0 0 0")
    world = ElementTree.SubElement(root, "worldbody")
    gap = 1e-3 * target.radius
    _sphere(world, "ball", target.radius, target.mass, target.radius + gap)
    if target.partner_radius is None:
        ElementTree.SubElement(world, "geom", name="wall", type="plane", size="1 1 1")
    else:
        _sphere(
            world, "partner", target.partner_radius, target.partner_mass, -target.partner_radius
        )
    model = mujoco.MjModel.from_xml_string(ElementTree.tostring(root, encoding="unicode"))
    data = mujoco.MjData(model)
    data.qvel[2], data.qvel[4] = -target.speed, spin
    end = 3 * target.undamped_time(1.0) + 2 * gap / target.speed
    for _ in range(math.ceil(end / model.opt.timestep)):
        mujoco.mj_step(model, data)
    return [data.qvel[start : start + 3].copy() for start in range(0, model.nv, 6)]


def _sphere(world, name, radius, mass, height):
    body = ElementTree.SubElement(world, "body", pos=f"0 0 {height!r}")
    ElementTree.SubElement(body, "freejoint")
    ElementTree.SubElement(
        body, "geom", name=name, type="sphere", size=f"{radius!r}", mass=f"{mass!r}"
    )
