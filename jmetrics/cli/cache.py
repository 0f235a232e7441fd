"""Compiled programs, kept from one call of the command to the next."""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path

import jax

from jmetrics._core import settings


def keep_programs() -> None:
    """Keep compiled programs in the user's cache folder, unless JAX keeps them elsewhere."""
    if settings.compilation_cache_folder() is not None:
        return
    with contextlib.suppress(OSError, RuntimeError):  # without a home, nothing is kept
        folder = user_folder() / "jmetrics"
        folder.mkdir(parents=True, exist_ok=True)
        jax.config.update("jax_compilation_cache_dir", str(folder))
        jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)
        jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)


def user_folder() -> Path:
    """Folder of what the user's programs may keep and may lose."""
    if "XDG_CACHE_HOME" in os.environ:
        return Path(os.environ["XDG_CACHE_HOME"])
    if "LOCALAPPDATA" in os.environ:
        return Path(os.environ["LOCALAPPDATA"])
    return Path.home() / ("Library/Caches" if sys.platform == "darwin" else ".cache")
