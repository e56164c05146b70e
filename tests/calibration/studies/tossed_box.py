"""Tosses of a box, integrated without a line of the packages: eight corner spheres, each with the
force of Hunt and Crossley and regularised Coulomb friction on a level plane, in steps of RK4.
"""

import numpy as np
from scipy.optimize import brentq

GRAVITY = 9.81
CONTACT_STEP, FLIGHT_STEP = 1e-5, 1e-4
"""Steps [s] while a corner touches, and while none does."""


def cross_matrix(w):
    return np.array([[0.0, -w[2], w[1]], [w[2], 0.0, -w[0]], [-w[1], w[0], 0.0]])


def damping(restitution):
    """Damping times the impact speed: ``ln((1 + D)/(1 - e D)) = D (1 + e)``."""

    def lack(d):
        return np.log((1 + d) / (1 - restitution * d)) - d * (1 + restitution)

    return brentq(lack, 1e-6, (1 - 1e-12) / restitution)


class TossedBox:
    """A box above the plane ``z = height``.

    Args:
        half_widths: [m].
        mass: [kg].
        corner_radius: [m].
        restitution, friction, height: the truth.
        stiffness: of each corner [N/m^1.5].
        slip_velocity: at which friction is at ``tanh(1)`` of its limit [m/s].
    """

    def __init__(
        self,
        half_widths,
        mass,
        corner_radius,
        *,
        restitution,
        friction,
        height,
        stiffness,
        slip_velocity,
    ):
        half = np.asarray(half_widths)
        signs = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)
        self.corners = signs * (half - corner_radius)
        self.radius, self.mass = corner_radius, mass
        self.moments = mass / 3 * (np.sum(half**2) - half**2)
        self.damping, self.friction, self.height = damping(restitution), friction, height
        self.stiffness, self.slip_velocity = stiffness, slip_velocity

    def gaps(self, x, turn):
        return x[2] + (self.corners @ turn.T)[:, 2] - self.radius - self.height

    def rates(self, state, began):
        """Derivative of position, orientation matrix, velocity and spin."""
        x, turn, v, w = state
        force, torque = np.array([0.0, 0.0, -GRAVITY * self.mass]), np.zeros(3)
        for gap, corner, speed in zip(self.gaps(x, turn), self.corners, began, strict=True):
            if gap >= 0 or speed == 0:
                continue
            arm = turn @ corner - np.array([0.0, 0.0, self.radius + gap / 2])
            slip = v + np.cross(w, arm)
            normal = self.stiffness * (-gap) ** 1.5 * (1 - self.damping / speed * slip[2])
            normal = max(normal, 0.0)
            along = np.array([slip[0], slip[1], 0.0])
            size = np.linalg.norm(along)
            drag = self.friction * normal * np.tanh(size / self.slip_velocity)
            push = np.array([0.0, 0.0, normal]) - drag * along / max(size, 1e-300)
            force, torque = force + push, torque + np.cross(arm, push)
        inertia = turn @ np.diag(self.moments) @ turn.T
        change = np.linalg.solve(inertia, torque - np.cross(w, inertia @ w))
        return v, cross_matrix(w) @ turn, force / self.mass, change

    def step(self, state, began, dt):
        def after(rates, part):
            return tuple(one + part * dt * rate for one, rate in zip(state, rates, strict=True))

        k1 = self.rates(state, began)
        k2 = self.rates(after(k1, 0.5), began)
        k3 = self.rates(after(k2, 0.5), began)
        k4 = self.rates(after(k3, 1.0), began)
        mean = [(a + 2 * b + 2 * c + d) / 6 for a, b, c, d in zip(k1, k2, k3, k4, strict=True)]
        x, turn, v, w = after(mean, 1.0)
        left, _, right = np.linalg.svd(turn)
        return x, left @ right, v, w

    def approach(self, state):
        """Speed of each corner towards the plane."""
        _, turn, v, w = state
        return -(v + np.cross(w, self.corners @ turn.T))[:, 2]

    def toss(self, position, turn, velocity, spin, times):
        """Positions (n, 3) and orientation matrices (n, 3, 3) at ``times``, the first of which is
        that of the release.
        """
        state = tuple(np.asarray(value, float) for value in (position, turn, velocity, spin))
        began, now, seen = np.zeros(8), times[0], [state]
        for time in times[1:]:
            while now < time - 1e-12:
                touches = self.gaps(*state[:2]) < 0
                began = np.where(touches, began, 0.0)
                dt = min(CONTACT_STEP if touches.any() else FLIGHT_STEP, time - now)
                new = self.step(state, began, dt)
                lands = (self.gaps(*new[:2]) < 0) & ~touches
                if lands.any() and dt > CONTACT_STEP:
                    dt = min(CONTACT_STEP, time - now)
                    new = self.step(state, began, dt)
                    lands = (self.gaps(*new[:2]) < 0) & ~touches
                began = np.where(lands, np.maximum(self.approach(new), 1e-3), began)
                state, now = new, now + dt
            seen.append(state)
        return np.array([one[0] for one in seen]), np.array([one[1] for one in seen])
