"""Modules from outside that a study names: they register measurements, laws, nuisances, surfaces
and exporters, which the study can then choose by name.

A module registers what it holds when it is imported::

    import calibration as cal

    cal.studies.FILE_KINDS.register(ReboundSpeedTables())
    cal.studies.NUISANCES.register(cal.studies.NuisanceChoice("speed gain", SpeedGain))
    cal.studies.RESTITUTION_LAWS.register(...)
    cal.studies.NORMAL_LAWS.register(...)
    cal.studies.FRICTION_LAWS.register(...)
    cal.studies.SURFACES.register(...)
    cal.report.EXPORTERS.register(...)

A study file names the module, ``extensions = ["rebound_speeds"]``: a file ``rebound_speeds.py``
beside the study file, or a module that is installed. Reading such a study runs the code of its
modules, as importing them would.
"""

import importlib
import importlib.util
import os
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

from calibration.errors import InputError
from calibration.runtime.sources import note_source, source_of

SUFFIX = ".py"


def load_extensions(
    names: Sequence[str], *, folder: str | os.PathLike[str] = ""
) -> tuple[str, ...]:
    """Import the modules that a study names; those that are imported already stay as they are.

    Args:
        names: of modules as in an import, or paths of Python files.
        folder: where the files of modules lie, and to which paths are relative: that of the study
            file.

    Returns:
        The names, in place of modules that lie in the folder the paths of their files.

    Raises:
        InputError: a module that does not exist, cannot be imported, or has the name of another.

    Example:
        >>> import calibration as cal
        >>> cal.studies.load_extensions(["calibration.noise"])
        ('calibration.noise',)
    """
    return tuple(_load(name, Path(folder)) for name in names)


def extension_files(names: Sequence[str]) -> tuple[Path, ...]:
    """The files of modules that were loaded, whose changes change results.

    Args:
        names: what ``load_extensions`` returned.
    """
    specs = [None if name.endswith(SUFFIX) else importlib.util.find_spec(name) for name in names]
    origins = [
        name if spec is None else spec.origin for name, spec in zip(names, specs, strict=True)
    ]
    return tuple(Path(origin) for origin in origins if origin is not None)


class Carried(NamedTuple):
    """A module on its way to another process.

    Attributes:
        name: of the module.
        origin: its file, ``None`` for one that is installed there, too.
        source: what the file holds.
    """

    name: str
    origin: str | None
    source: bytes


def carry_extensions(names: Sequence[str]) -> tuple[Carried, ...]:
    """Modules that were loaded, as another process needs them, wherever it runs.

    Args:
        names: what ``load_extensions`` returned.
    """
    return tuple(
        Carried(Path(name).stem, os.path.realpath(name), Path(name).read_bytes())
        if name.endswith(SUFFIX)
        else Carried(name, None, b"")
        for name in names
    )


def make_loader(names: Sequence[str]) -> Callable[[], None]:
    """What a worker of a cluster calls first, to have the modules ``names`` as this process has
    them; arguments as of ``carry_extensions``.
    """
    return partial(load_carried, carry_extensions(names))


def load_carried(modules: Sequence[Carried]) -> None:
    """Import modules that ``carry_extensions`` made in another process.

    Raises:
        InputError: a module that is not installed here, cannot be imported, or has the name of
            another.
    """
    for module in modules:
        if module.origin is None:
            _import_installed(module.name)
        elif not source_of(module.name):  # whether it is the same is asked of each piece
            _import_source(module)


def _load(name: str, folder: Path) -> str:
    """Import one module; how a study in the current directory names it."""
    is_path = name.endswith(SUFFIX)
    path = folder / (name if is_path else f"{name.replace('.', '/')}{SUFFIX}")
    if path.is_file():
        _import_source(Carried(path.stem, os.path.realpath(path), path.read_bytes()))
        return os.path.normpath(path)
    if is_path:
        raise InputError(
            f"extensions: there is no file {name!r}",
            remedy="Check the spelling; paths are relative to the study file.",
        )
    _import_installed(name)
    return name


def _import_installed(name: str) -> None:
    """Import a module that is installed."""
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{name}.".startswith(f"{error.name}."):
            raise _import_error(name, error) from error  # it lacks a module itself
        raise InputError(
            f"extensions: there is no module {name!r}",
            remedy=f"Install it, or put {name}{SUFFIX} beside the study file.",
        ) from None
    except InputError:
        raise
    except Exception as error:
        raise _import_error(name, error) from error
    file = _source(module)
    if file is not None and os.path.isfile(file) and not source_of(name):
        note_source(name, Path(file).read_bytes())


def _import_source(carried: Carried) -> None:
    """Import a file as a module of its name, unless that was done already."""
    name, source = carried.name, str(carried.origin)
    if any(_source(module) == source for module in tuple(sys.modules.values())):
        return
    if name in sys.modules:
        raise InputError(
            f"extensions: another module is called {name!r} already",
            remedy="Rename the file.",
            path=source,
        )
    spec = importlib.util.spec_from_file_location(name, source)
    if spec is None or spec.loader is None:
        raise InputError("extensions: this is no Python file", path=source)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # so that what it defines can be pickled
    try:
        exec(compile(carried.source, source, "exec"), vars(module))
    except Exception as error:
        del sys.modules[name]
        if isinstance(error, InputError):
            raise
        raise _import_error(name, error) from error
    note_source(name, carried.source)


def _source(module: object) -> str | None:
    """The file of a module, where it has one."""
    spec = vars(module).get("__spec__") if isinstance(module, ModuleType) else None
    origin = None if spec is None else spec.origin
    return os.path.realpath(origin) if isinstance(origin, str) else None


def _import_error(name: str, error: Exception) -> InputError:
    return InputError(
        f"extensions: {name!r} cannot be imported ({type(error).__name__}: {error})",
        remedy=f"Try it alone: python -c 'import {name}'.",
    )
