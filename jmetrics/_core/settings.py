"""The settings of JAX that choose dtypes, devices, random bits and the cache."""

from __future__ import annotations

import jax


def x64() -> bool:
    """Return whether arrays of 64 bits are on."""
    return jax.config.jax_enable_x64  # type: ignore[attr-defined, unused-ignore]  # untyped in 0.10


def default_device() -> jax.Device | str | None:
    """Return the device that the user has chosen, if any."""
    return jax.config.jax_default_device  # type: ignore[attr-defined, unused-ignore]


def compilation_cache_folder() -> str | None:
    """Return the folder in which JAX keeps compiled programs, if any."""
    return jax.config.jax_compilation_cache_dir  # type: ignore[attr-defined, unused-ignore]


def prng_implementation() -> str:
    """Return the name of the generator that raw random keys belong to."""
    return jax.config.jax_default_prng_impl  # type: ignore[attr-defined, unused-ignore]
