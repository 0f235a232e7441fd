"""Smooth surrogates of metrics, to be minimised.

A loss names the exact metric that it stands for and tends to it as its temperature or
smoothing goes to 0. It is one number, and 0 with zero gradient when nothing counts.
"""

from jmetrics.losses.auc import auc_loss as auc_loss
from jmetrics.losses.quantile import pinball_loss as pinball_loss
from jmetrics.losses.tweedie import tweedie_loss as tweedie_loss

__all__ = ["auc_loss", "pinball_loss", "tweedie_loss"]
