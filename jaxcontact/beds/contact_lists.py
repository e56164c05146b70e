"""Who may touch whom: a half list of pairs and a list of spheres near walls, with their histories.

Each pair stands in the list once. ``slot[k, n]`` and ``sign[k, n]`` name the contacts of sphere
``n``, so that both ways between spheres and contacts are gathers: ``difference`` and ``total`` from
the spheres to a contact, ``signed_sum`` and ``sum_of_ends`` back. A scatter would cost more than
the rest of a step.

Lists hold what is closer than the *skin*, and are made anew when a sphere has moved half of it.
Rows are then sorted by cell, which keeps neighbours close in memory; three cells of a row are
contiguous.
"""

import dataclasses
import math
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxcontact.beds.cells import Along, cells_along
from jaxcontact.beds.components import Components, dot, each
from jaxcontact.beds.periods import LEAST_CELLS, Period, Repetition
from jaxcontact.parameters import is_whole


@dataclasses.dataclass(frozen=True)
class BedSizes:
    """Room of the lists. What is too small is a status; ``simulate_bed`` finds them by itself
    where it sees numbers.

    Attributes:
        cells: of the grid in x, y and z. Spheres outside belong to the cells at its border: right,
            and slower.
        row: spheres in three neighbouring cells.
        pairs: contacts in the list, about 3.3 N for equal spheres.
        slots: contacts of one sphere.
        wall_contacts: contacts with walls in the list.
        wall_slots: walls that one sphere touches.
        skin: how much further than contact the lists reach [m].

    Example:
        >>> bed = jc.Bed(
        ...     spheres=jc.spheres(radius=5e-3, density=2500.0),
        ...     contact=jc.LinearSpringDashpot(stiffness=1e4, restitution=0.8, coefficient=0.5),
        ...     walls=(jc.Plane(),),
        ... )
        >>> start = jc.state(position=[(0.0, 0.0, 0.006), (0.0, 0.001, 0.017)])
        >>> isinstance(jc.simulate_bed(bed, start, [0.0, 0.01]).sizes, jc.BedSizes)
        True
    """

    cells: tuple[int, int, int]
    row: int
    pairs: int
    slots: int
    wall_contacts: int
    wall_slots: int
    skin: float

    def __post_init__(self) -> None:
        if not isinstance(self.cells, tuple) or len(self.cells) != 3:
            raise TypeError(
                f"BedSizes: cells = {self.cells!r} is no three whole numbers. Give one for each of "
                "x, y and z: (4, 4, 6)."
            )
        rooms = ("row", "pairs", "slots", "wall_contacts", "wall_slots")
        named = [(f"cells in {axis}", cells) for axis, cells in zip("xyz", self.cells, strict=True)]
        for name, room in (*named, *zip(rooms, self.rooms, strict=True)):
            if not is_whole(room) or room < 1:
                raise ValueError(
                    f"BedSizes: {name} = {room!r} is no whole number from 1 on. Take result.sizes "
                    "of a run, and dataclasses.replace what is to be different."
                )
        if not isinstance(self.skin, (int, float)) or not 0.0 < self.skin < math.inf:
            raise ValueError(
                f"BedSizes: skin = {self.skin!r} m is no number in (0, inf). A tenth of the "
                "largest radius is what is taken by itself."
            )

    @property
    def rooms(self) -> tuple[int, ...]:
        """What ``Needs`` is compared with, in its order."""
        return (self.row, self.pairs, self.slots, self.wall_contacts, self.wall_slots)


class Needs(NamedTuple):
    """The most that was needed so far: rooms of lists ``(5,)`` in the order of ``BedSizes``, cells
    ``(3,)``.
    """

    rooms: jax.Array
    cells: jax.Array


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class History:
    """What contacts remember ``(contacts,)``, as their laws lay it down.

    Attributes:
        vectors: of ``i`` against ``j``: they change their sign with the order of the two.
        scalars: the same for both. Of contacts that begin both are 0.
        meaning: names of what is remembered: other laws mean something else by equal numbers.
    """

    vectors: tuple[Components, ...]
    scalars: tuple[jax.Array, ...]
    meaning: tuple[str, ...] = dataclasses.field(metadata={"static": True})


class Pairs(NamedTuple):
    """Pairs ``(pairs,)`` of spheres ``i < j`` (rows): contacts, or close to it.

    Attributes:
        live: whether the entry is used.
        slot: entries of each sphere, ``(slots, spheres)``.
        sign: +1 where the sphere is ``i`` of that entry, -1 where ``j``, 0 unused.
        history: what each remembers.
    """

    i: jax.Array
    j: jax.Array
    live: jax.Array
    slot: jax.Array
    sign: jax.Array
    history: History


class WallContacts(NamedTuple):
    """Spheres at walls ``(wall_contacts,)``; fields as of ``Pairs``."""

    sphere: jax.Array
    wall: jax.Array
    live: jax.Array
    slot: jax.Array
    sign: jax.Array
    history: History


class Particles(NamedTuple):
    """Spheres, row by row in the order of the last sorting.

    Attributes:
        kind: number of the kind of each; 0 where all are of one.
        label: number of each in the order in which they were given.
    """

    position: Components
    velocity: Components
    spin: Components
    radius: jax.Array
    mass: jax.Array
    inertia: jax.Array
    kind: jax.Array
    label: jax.Array


def difference(pairs: Pairs, value: jax.Array) -> jax.Array:
    """``a_i - a_j`` of each pair."""
    return value[pairs.i] - value[pairs.j]


def total(pairs: Pairs, value: jax.Array) -> jax.Array:
    """``a_i + a_j`` of each pair."""
    return value[pairs.i] + value[pairs.j]


def signed_sum(contacts: Pairs | WallContacts, value: jax.Array) -> jax.Array:
    """Sum over the contacts of each sphere of what acts on it: ``+`` as ``i``, ``-`` as ``j``."""
    return jnp.sum(contacts.sign * value[contacts.slot], axis=0)


def sum_of_ends(pairs: Pairs, on_i: jax.Array, on_j: jax.Array) -> jax.Array:
    """Sum over the contacts of each sphere of what acts on it as ``i`` or as ``j``."""
    acts = jnp.where(pairs.sign < 0, on_j[pairs.slot], on_i[pairs.slot])
    return jnp.sum(jnp.abs(pairs.sign) * acts, axis=0)


def no_pairs(sizes: BedSizes, spheres: int, history: History) -> Pairs:
    """A list without pairs."""
    return Pairs(*_empty(sizes.pairs, sizes.slots, spheres), history)


def no_wall_contacts(sizes: BedSizes, spheres: int, history: History) -> WallContacts:
    """A list without contacts."""
    return WallContacts(*_empty(sizes.wall_contacts, sizes.wall_slots, spheres), history)


def _empty(
    room: int, slots: int, spheres: int
) -> tuple[jax.Array, jax.Array, jax.Array, jax.Array, jax.Array]:
    none = jnp.zeros(room, jnp.int32)
    return (
        none,
        none,
        jnp.zeros(room, bool),
        jnp.zeros((slots, spheres), jnp.int32),
        jnp.zeros((slots, spheres), jnp.int8),
    )


def first_sizes(
    position: np.ndarray,
    radius: np.ndarray,
    walls: int,
    *,
    period: Period,
    skin: float | None = None,
) -> BedSizes:
    """Sizes for spheres ``(spheres, 3)`` of these radii ``(spheres,)`` [m], of which any could
    prove too small.

    Args:
        position: [m].
        radius: [m].
        walls: number of walls.
        period: of the bed [m].
        skin: [m]; ``None`` for a twentieth of the largest diameter: more makes the lists longer,
            less makes them anew more often.
    """
    spheres = len(radius)
    skin = 0.1 * float(np.max(radius)) if skin is None else skin
    edge = 2.0 * float(np.max(radius)) + skin
    cells = [
        int(extent / edge) + 2 if length is None else max(LEAST_CELLS, int(float(length) / edge))
        for extent, length in zip(np.ptp(position, axis=0), period, strict=True)
    ]
    return BedSizes(
        cells=allowed_cells(np.asarray(cells), spheres),
        row=12,
        pairs=max(1, min(spheres * (spheres - 1) // 2, int(3.6 * spheres) + 16)),
        slots=max(1, min(spheres - 1, 14)),
        wall_contacts=max(1, min(walls * spheres, int(1.5 * walls * spheres ** (2 / 3)) + 16)),
        wall_slots=max(1, min(walls, 3)),
        skin=skin,
    )


def allowed_cells(cells: np.ndarray, spheres: int) -> tuple[int, int, int]:
    """As many cells as asked for ``(3,)``, of the longest sides fewer where these are far more than
    there are spheres.
    """
    most = max(1000, 8 * spheres)
    asked = [max(1, int(side)) for side in cells]
    while math.prod(asked) > most:
        longest = asked.index(max(asked))
        asked[longest] = max(1, (4 * asked[longest]) // 5)
    return (asked[0], asked[1], asked[2])


def enlarged(sizes: BedSizes, needs: Needs, spheres: int) -> BedSizes | None:
    """Sizes with room for what was needed, and some more; ``None`` where all sufficed."""
    wanted = [int(number) for number in np.asarray(needs.rooms)]
    if all(need <= room for need, room in zip(wanted, sizes.rooms, strict=True)):
        return None
    row, pairs, slots, wall_contacts, wall_slots = (
        room if need <= room else int(1.3 * need) + 1
        for need, room in zip(wanted, sizes.rooms, strict=True)
    )
    cells = sizes.cells
    if row > sizes.row:
        reached = np.maximum(np.asarray(needs.cells) + 1, sizes.cells)
        cells = allowed_cells(reached, spheres)
        row = row if cells == sizes.cells else sizes.row  # more cells may be all it takes
    return BedSizes(cells, row, pairs, slots, wall_contacts, wall_slots, sizes.skin)


class Origin(NamedTuple):
    """Where the entries of a new list stood in the old one.

    Attributes:
        entry: place in the old list.
        same: 1 where the contact was there, -1 where its spheres have changed places, 0 where it
            is new.
    """

    entry: jax.Array
    same: jax.Array

    def vector(self, old: Components) -> Components:
        """What points from ``j`` to ``i`` or acts on ``i``, carried over; 0 of new contacts."""
        return each(lambda value: value[self.entry] * self.same, old)

    def history(self, old: History) -> History:
        """Carried over; nothing of new contacts."""
        return History(
            tuple(self.vector(vector) for vector in old.vectors),
            tuple(self.even(scalar) for scalar in old.scalars),
            old.meaning,
        )

    def ends(self, on_i: Components, on_j: Components) -> tuple[Components, Components]:
        """What acts on ``i`` and on ``j``, carried over; 0 of new contacts."""
        swapped = self.same < 0

        def of(one: Components, other: Components) -> Components:
            return each(lambda a, b: jnp.where(swapped, self.even(b), self.even(a)), one, other)

        return of(on_i, on_j), of(on_j, on_i)

    def even(self, old: jax.Array) -> jax.Array:
        """What is the same for both, carried over; 0 of new contacts."""
        return old[self.entry] * jnp.abs(self.same).astype(old.dtype)


class Listed(NamedTuple):
    """What making lists anew gives; histories are those of before, carried over."""

    particles: Particles
    pairs: Pairs
    walls: WallContacts
    origin: Origin
    wall_origin: Origin
    needs: Needs


def rebuilt(
    particles: Particles,
    pairs: Pairs,
    contacts: WallContacts,
    needs: Needs,
    wall_distance: jax.Array,
    sizes: BedSizes,
    repetition: Repetition,
) -> Listed:
    """Spheres sorted by cell, the lists of what is near, and where these stood in the old ones;
    ``wall_distance`` is that of each sphere from each wall ``(walls, spheres)`` [m].
    """
    edge = 2.0 * jax.lax.stop_gradient(jnp.max(particles.radius)) + sizes.skin
    place = jax.lax.stop_gradient(particles.position)
    repetition = jax.lax.stop_gradient(repetition)
    place = repetition.below(place)
    x, y, z = (
        cells_along(along, length, edge=edge, room=room)
        for along, length, room in zip(place, repetition.lengths, sizes.cells, strict=True)
    )
    above = x
    if repetition.shift is not None:
        slid = place[0] - repetition.shift
        above = cells_along(slid, repetition.lengths[0], edge=edge, room=sizes.cells[0])
    nx, ny, _ = sizes.cells
    order = _sorted(x.place + nx * (y.place + ny * z.place))[1]
    sorted_particles = jax.tree.map(lambda column: column[order], particles)
    x, y, z, above = (along._replace(place=along.place[order]) for along in (x, y, z, above))
    other, near, row = _neighbours(x, y, z, sizes, above=above)
    found, rooms = _paired(sorted_particles, other, near, sizes, repetition)
    gap = wall_distance[:, order] - sorted_particles.radius
    at_walls, wall_rooms = _at_walls(jax.lax.stop_gradient(gap), sizes)
    # A side of more cells than an integer counts is one of spheres that fly apart.
    wanted = jnp.stack([along.wanted for along in (x, y, z)])
    cells = jnp.clip(wanted, 1, 1e8).astype(jnp.int32)
    grown = Needs(
        jnp.maximum(needs.rooms, jnp.stack([row, *rooms, *wall_rooms])),
        jnp.maximum(needs.cells, cells),
    )
    origin = _origin(pairs, found, order)
    wall_origin = _origin_at_walls(contacts, at_walls, order)
    return Listed(
        sorted_particles,
        Pairs(*found, origin.history(pairs.history)),
        WallContacts(*at_walls, wall_origin.history(contacts.history)),
        origin,
        wall_origin,
        grown,
    )


def _sorted(key: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Sorted keys and their places."""
    size = key.shape[0]
    index = jnp.arange(size, dtype=jnp.int32)
    if jax.dtypes.canonicalize_dtype(np.int64) != np.int64:  # without float64
        keys, places = jax.lax.sort((key, index), num_keys=1)
        return keys, places
    # One integer for each entry sorts five times faster on a CPU than key and place do. It is taken
    # apart by its bits: XLA writes a division into every step of a search among the keys.
    bits = _bits(size)
    both = jnp.sort((key.astype(jnp.int64) << bits) | index)
    return (both >> bits).astype(jnp.int32), (both & ((1 << bits) - 1)).astype(jnp.int32)


def _bits(count: int) -> int:
    """Binary digits of the numbers below ``count``."""
    return (count - 1).bit_length()


def _neighbours(
    x: Along, y: Along, z: Along, sizes: BedSizes, *, above: Along
) -> tuple[jax.Array, jax.Array, jax.Array]:
    """For each sphere the rows ``(5 row, spheres)`` of those behind it in neighbouring cells,
    which of them are there, and the room that they need. ``above`` are the cells in x, as the
    repetition above has them.
    """
    nx, ny, nz = sizes.cells
    key = x.place + nx * (y.place + ny * z.place)
    start = jnp.searchsorted(
        key, jnp.arange(nx * ny * nz + 1, dtype=jnp.int32), method="scan_unrolled"
    ).astype(jnp.int32)
    last = key.shape[0] - 1
    after = jnp.arange(1, last + 2, dtype=jnp.int32)
    lows, counts, ends, lengths = [], [], [], []
    # The rows of cells ahead of this one.
    for dy, dz in ((0, 0), (1, 0), (-1, 1), (0, 1), (1, 1)):
        (row_y, in_y), (row_z, in_z) = y.beside(dy), z.beside(dz)
        inside = in_y & in_z
        row = jnp.where(inside, nx * (row_y + ny * row_z), 0)
        crosses = (dz == 1) & z.repeats & (row_z == 0)
        here = x._replace(place=jnp.where(crosses, above.place, x.place))
        beyond = start[row + here.place + 1]  # the first after the cell here
        if x.repeats:
            left, right = (here.beside(by)[0] for by in (-1, 1))
            to_the_right = beyond + start[row + right + 1] - start[row + right]
            low = start[row + left]
            count = to_the_right - start[row + here.place] + start[row + left + 1] - low
            ends.append(start[row + x.used])
            lengths.append(ends[-1] - start[row])
        else:
            to_the_right = start[row + jnp.minimum(x.place + 1, nx - 1) + 1]
            low = start[row + jnp.maximum(x.place - 1, 0)]
            count = to_the_right - low
        if (dy, dz) == (0, 0):
            low, count = after, to_the_right - after
        lows.append(low)
        counts.append(jnp.where(inside, count, 0))
    count = jnp.stack(counts)[:, None]
    step = jnp.arange(sizes.row, dtype=jnp.int32)[:, None]
    place = jnp.stack(lows)[:, None] + step
    if x.repeats:  # behind the last cell of a row comes its first
        end, length = jnp.stack(ends)[:, None], jnp.stack(lengths)[:, None]
        place = jnp.where(place < end, place, place - length)
    other, there = (
        each_row.reshape(-1, last + 1) for each_row in (jnp.clip(place, 0, last), step < count)
    )
    return other, there, jnp.maximum(jnp.max(count), 0)


class Packed(NamedTuple):
    """Hits ``(m, spheres)``, packed sphere after sphere.

    Attributes:
        row: of each ``(room,)``.
        sphere: of each.
        live: whether there is one.
        first: place of the first of each sphere ``(spheres,)``.
        hits: of each sphere.
    """

    row: jax.Array
    sphere: jax.Array
    live: jax.Array
    first: jax.Array
    hits: jax.Array


def _packed(hit: jax.Array, room: int) -> Packed:
    """``hit``, with room for so many."""
    rows, spheres = hit.shape
    count = hit.sum(0, dtype=jnp.int32)
    first = jnp.cumsum(count, dtype=jnp.int32) - count

    # Row after row: XLA's cumulative sum along the first axis takes seven times as long on a CPU.
    def placed(place: jax.Array, row: jax.Array) -> tuple[jax.Array, jax.Array]:
        return place + row.astype(jnp.int32), jnp.where(row, place, room)

    _, place = jax.lax.scan(placed, first, hit)
    bits = _bits(spheres)
    row, sphere = (jnp.arange(number, dtype=jnp.int32) for number in (rows, spheres))
    source = (
        jnp.zeros(room, jnp.int32)
        .at[place.ravel()]
        .set(((row[:, None] << bits) | sphere).ravel(), mode="drop", unique_indices=True)
    )
    live = jnp.arange(room) < count.sum(dtype=jnp.int32)
    return Packed(source >> bits, source & ((1 << bits) - 1), live, first, count)


class Entries(NamedTuple):
    """A new list; fields as of ``Pairs`` or ``WallContacts``, without histories."""

    first: jax.Array
    second: jax.Array
    live: jax.Array
    slot: jax.Array
    sign: jax.Array


def _paired(
    particles: Particles,
    other: jax.Array,
    near: jax.Array,
    sizes: BedSizes,
    repetition: Repetition,
) -> tuple[Entries, tuple[jax.Array, jax.Array]]:
    """The list of pairs within the skin, and the room that it needs."""
    spheres = particles.radius.shape[0]
    place, radius = jax.lax.stop_gradient((particles.position, particles.radius))
    apart = repetition.to_nearest(each(lambda x: x - x[other], place))
    hit = near & (dot(apart, apart) < (radius + radius[other] + sizes.skin) ** 2)
    row, sphere, live, first, count = _packed(hit, sizes.pairs)
    i = jnp.where(live, sphere, 0)
    j = jnp.where(live, other[row, sphere], 0)
    sorted_j, by_j = _sorted(jnp.where(live, j, spheres))
    edge = jnp.searchsorted(
        sorted_j, jnp.arange(spheres + 1, dtype=jnp.int32), method="scan_unrolled"
    ).astype(jnp.int32)
    k = jnp.arange(sizes.slots, dtype=jnp.int32)[:, None]
    behind = edge[1:] - edge[:-1]
    forward, used = k < count, k < count + behind
    as_j = by_j[jnp.clip(edge[:-1] + k - count, 0, sizes.pairs - 1)]
    slot = jnp.where(forward, first + k, jnp.where(used, as_j, 0))
    slot = jnp.minimum(slot, sizes.pairs - 1)
    sign = jnp.where(forward, 1, jnp.where(used, -1, 0)).astype(jnp.int8)
    return Entries(i, j, live, slot, sign), (count.sum(dtype=jnp.int32), jnp.max(count + behind))


def _origin(old: Pairs, new: Entries, order: jax.Array) -> Origin:
    """Where pairs stood in the old list."""
    i, j = order[new.first], order[new.second]
    entry = old.slot[:, i]
    same = (old.i[entry] + old.j[entry] - i == j) & new.live
    match = jnp.where(same, old.sign[:, i], 0)
    which = jnp.take_along_axis(entry, jnp.argmax(jnp.abs(match), 0)[None], 0)[0]
    return Origin(which, match.sum(0))


def _at_walls(gap: jax.Array, sizes: BedSizes) -> tuple[Entries, tuple[jax.Array, jax.Array]]:
    """The list of spheres within the skin of a wall, and the room that it needs, from gaps
    ``(walls, spheres)`` [m].
    """
    walls, spheres = gap.shape
    if not walls:
        none, zero = jnp.zeros((), jnp.int32), jnp.zeros(sizes.wall_contacts, jnp.int32)
        slots = jnp.zeros((sizes.wall_slots, spheres), jnp.int32)
        return Entries(zero, zero, zero > 0, slots, slots.astype(jnp.int8)), (none, none)
    wall, sphere, live, first, count = _packed(gap < sizes.skin, sizes.wall_contacts)
    k = jnp.arange(sizes.wall_slots, dtype=jnp.int32)[:, None]
    slot = jnp.minimum(jnp.where(k < count, first + k, 0), sizes.wall_contacts - 1)
    found = Entries(
        jnp.where(live, sphere, 0),
        jnp.where(live, wall, 0),
        live,
        slot,
        (k < count).astype(jnp.int8),
    )
    return found, (count.sum(dtype=jnp.int32), jnp.max(count))


def _origin_at_walls(old: WallContacts, new: Entries, order: jax.Array) -> Origin:
    """Where contacts with walls stood in the old list."""
    sphere = order[new.first]
    entry = old.slot[:, sphere]
    match = jnp.where((old.wall[entry] == new.second) & new.live, old.sign[:, sphere], 0)
    which = jnp.take_along_axis(entry, jnp.argmax(match, 0)[None], 0)[0]
    return Origin(which, match.sum(0))
