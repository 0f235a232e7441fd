"""Penalties φ(t) on a difference t, and their derivatives, as what a `PrefixState` can hold.

For t < 0 each is a power of |t| plus or minus a remainder, and for t ≥ 0 the remainder
alone. The remainder is a polynomial in x = exp(−|t|), so a few exponentials give it.
"""

from __future__ import annotations

import functools
from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.typing import DTypeLike
from numpy.polynomial import Chebyshev, Polynomial


class Remainder(NamedTuple):
    """Coefficients of x, and of x^k (1 − x) for k = 1, 2, …"""

    decay: float
    drops: tuple[float, ...] = ()


class Kernel(NamedTuple):
    """A derivative of some order of a member of a family, times a factor.

    The families start with t²/2 below 0 ("hinge"), with −t + exp(t)/2 below 0 and exp(−t)/2
    above ("laplace"), and with log(1 + exp(−t)) ("logistic").
    """

    family: str
    order: int = 0
    factor: float = 1.0
    own: bool = True
    """Whether a point is compared with itself: in a derivative that cancels."""
    mirrored: bool = False
    """Whether it is taken at −t."""

    @property
    def mirror(self) -> Kernel:
        """The same at −t."""
        return self._replace(mirrored=not self.mirrored)

    @property
    def next(self) -> Kernel:
        """The derivative."""
        factor = -self.factor if self.mirrored else self.factor
        return self._replace(order=self.order + 1, factor=factor, own=False)

    @property
    def signs(self) -> tuple[bool, ...]:
        """Which signs of t, False for t < 0, it is not 0 for."""
        return (self.mirrored,) if self.family == "hinge" else (False, True)

    @property
    def power(self) -> int | None:
        """The power of |t| for t < 0, if there is one."""
        power = (2 if self.family == "hinge" else 1) - self.order
        return power if power >= 0 else None

    @property
    def slope(self) -> float:
        """What that power is multiplied by."""
        return (-1.0) ** self.order * (0.5 if self.power == 2 else 1.0)

    @property
    def parity(self) -> float:
        """What the remainder for t < 0 is, over that for t > 0."""
        return (-1.0) ** self.order

    @property
    def smooth(self) -> bool:
        """Whether it has all derivatives everywhere, so that polynomials are near it."""
        return self.family == "logistic"

    def __call__(self, t: Array) -> Array:
        """Values, of a smooth kernel."""
        t = -t if self.mirrored else t
        x = jnp.exp(-jnp.abs(t))
        if self.order == 0:
            tail = jnp.log1p(x)
        else:
            over = jnp.asarray(_numerator(self.order).coef[::-1], x.dtype)
            tail = x * jnp.polyval(over, x) / (1 + x) ** self.order
        power = 0 if self.power is None else self.slope * jnp.abs(t) ** self.power
        return self.factor * jnp.where(t < 0, power + self.parity * tail, tail)

    def remainder(self, dtype: DTypeLike) -> Remainder | None:
        """The remainder for t ≥ 0, if there is one."""
        if self.family == "hinge":
            return None
        if self.family == "laplace":
            return Remainder((-1.0) ** self.order / 2)
        return _logistic_remainder(self.order, np.dtype(dtype).itemsize)


KERNELS = {
    "squared_hinge": Kernel("hinge", 0, 2.0),
    "hinge": Kernel("hinge", 1, -1.0),
    "laplace": Kernel("laplace", 1, -1.0),
    "logistic": Kernel("logistic", 0),
    "sigmoid": Kernel("logistic", 1, -1.0),
}
"""max(−t, 0)² and max(−t, 0); the distribution function of Laplace noise at −t;
log(1 + exp(−t)) and 1 / (1 + exp(t))."""


@functools.cache
def _logistic_remainder(order: int, itemsize: int) -> Remainder:
    """The polynomial through f(x) / x at Chebyshev points in [0, 1].

    f is log(1 + x) or, for later orders, x P(x) / (1 + x)^order. Its nearest singularity is at
    −1, so a term more makes the error 3 + √8 times smaller, of large and small values alike.
    The powers of x alternate in sign and cancel; what each loses to the next does much less.
    """
    over = _numerator(order)

    def ratio(x: np.ndarray) -> np.ndarray:
        return over(x) / (1 + x) ** order if order else np.log1p(x) / x

    terms = (9 if itemsize <= 4 else 22) + 2 * (order > 1)
    fit = Chebyshev.interpolate(ratio, terms - 1, domain=[0, 1])
    powers = fit.convert(kind=Polynomial, domain=[-1, 1], window=[-1, 1]).coef
    later = np.cumsum(powers[::-1])[::-1]  # of each power and all above it
    return Remainder(float(later[0]), tuple((-later[1:]).tolist()))


def _numerator(order: int) -> Polynomial:
    """P of the order: each derivative by t is −x times that by x."""
    x, p = Polynomial([0, 1]), Polynomial([-1])
    for k in range(1, order):
        p = -((p + x * p.deriv()) * (1 + x) - k * x * p)
    return p
