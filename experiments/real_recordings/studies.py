"""The study of each set."""

from collections.abc import Callable
from pathlib import Path

from experiments.real_recordings import cube, discs, drops, launches, oblique_impacts, racket
from experiments.real_recordings.finding import Outcome

STUDIES: dict[str, Callable[[Path, Path], Outcome]] = {
    "pingpong_drop_table": drops.run,
    "aimy_mn5008_no_spin": launches.run,
    "aimy_mn5008_backspin": launches.run,
    "aimy_mn5008_topspin": launches.run,
    "kharaz2001_table": oblique_impacts.run,
    "marked_discs": discs.run,
    "contactnets_cube": cube.run,
    "tt_rackets_racket_01": racket.run,
}
"""From the folder of the set and the folder for the results to the conclusions."""
