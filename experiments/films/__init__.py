"""Films of a bouncing ball whose truth is known, as phones take them, and what ``jaxcontact track``
and ``jaxcontact fit`` make of them.

``python -m experiments.films`` renders twenty of them, follows the ball in each, fits what was
written, and prints the table of ``docs/filming.md``. Motion, camera and pictures are plain NumPy
and share no code with the package.
"""
