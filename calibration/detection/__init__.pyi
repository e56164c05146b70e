from .bounces import DetectedBounces as DetectedBounces
from .bounces import read_bounces as read_bounces
from .dropped_frames import DroppedFrameOptions as DroppedFrameOptions
from .dropped_frames import DroppedFrames as DroppedFrames
from .dropped_frames import find_dropped_frames as find_dropped_frames
from .dropped_frames import with_missing_frames as with_missing_frames
from .flight_fit import Bounce as Bounce
