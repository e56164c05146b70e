"""The laws of the library: all that are registered but those that a test has entered."""

import jaxcontact.systems
from jaxcontact.laws.core.registry import LAWS as REGISTERED

assert jaxcontact.systems  # its laws are registered now

LAWS = {
    name: law
    for name, law in REGISTERED.items()
    if law.function.__module__.startswith("jaxcontact.")
}
