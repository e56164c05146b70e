"""The motion of a scene at given times, by a method of choice."""
