"""``python -m calibration.cli``: the command ``jaxcontact``."""

import sys

from calibration.cli.main import main

sys.exit(main())
