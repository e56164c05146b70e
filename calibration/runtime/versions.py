"""Versions of the packages on which results depend."""

import importlib.metadata
import platform

_PACKAGES = ("jaxcontact", "jax", "optimistix", "numpy")


def installed_versions() -> dict[str, str | None]:
    """The installed version of each package, and of ``python``; ``None`` for a package that runs
    from a checkout that is not installed.
    """
    return {name: _version(name) for name in _PACKAGES} | {"python": platform.python_version()}


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None
