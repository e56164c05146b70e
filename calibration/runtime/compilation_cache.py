"""Where compiled code is kept between runs."""

import hashlib
import os
import platform
import sys
from pathlib import Path

VARIABLE = "JAXCONTACT_CACHE"
_LOG_LEVEL = "TF_CPP_MIN_LOG_LEVEL"
OFF = ("", "0", "off", "no", "none", "false")


def find_cache_folder() -> Path | None:
    """Where compiled code is kept: the folder named by ``JAXCONTACT_CACHE`` (``off``: nowhere),
    else in the user's folder of caches.
    """
    given = os.environ.get(VARIABLE)
    if given is not None and given.strip().lower() in OFF:
        return None
    try:
        folder = Path(given).expanduser() if given is not None else _caches() / "jaxcontact" / "xla"
    except RuntimeError:  # the user has no home
        return None
    return folder / _processor()


def _caches() -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")


def _processor() -> str:
    """A name for the kind of processor. Code for another one would crash, and homes are shared
    between machines.
    """
    features = [platform.machine(), platform.processor()]
    try:
        with open("/proc/cpuinfo") as file:
            features += sorted(
                {line for line in file if line.startswith(("flags", "Features", "model name"))}
            )
    except OSError:  # not Linux
        pass
    return hashlib.sha256("\n".join(features).encode()).hexdigest()[:12]


def silence_hints_of_xla() -> None:
    """Keep XLA from printing pages on every piece of compiled code that it loads: hints for tuning,
    which it takes for features of another processor. JAX reads this when it is imported.
    """
    # "1" is what JAX itself sets, perhaps in the parent process.
    if os.environ.get(_LOG_LEVEL, "1") == "1":
        os.environ[_LOG_LEVEL] = "3"


def enable_compilation_cache() -> Path | None:
    """Let JAX keep compiled code in the folder of ``find_cache_folder``, unless it was given
    another one already.

    Without a folder that can be written to, everything works as with one, only slower.

    Returns:
        The folder that is used, ``None`` for no folder.
    """
    silence_hints_of_xla()
    import jax

    chosen: str | None = jax.config.jax_compilation_cache_dir  # type: ignore[attr-defined]  # options are added at run time
    if chosen is not None:
        return Path(chosen)
    folder = find_cache_folder()
    if folder is None or not _writable(folder):
        return None
    jax.config.update("jax_compilation_cache_dir", str(folder))
    # A fit is made of many pieces that each compile quickly, so all of them are kept.
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)
    jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)
    return folder


def _writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(folder, os.W_OK | os.X_OK)
