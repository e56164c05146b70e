from .film import Region as Region
from .overlay import write_overlay as write_overlay
from .track import track as track
from .tracked import TrackedBall as TrackedBall
