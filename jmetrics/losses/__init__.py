"""Smooth surrogates of metrics, to be minimised.

A loss names the exact metric that it is a surrogate of and tends to it as its temperature or
smoothing goes to 0. It is a scalar, and 0 with zero gradient if no sample has positive weight.
"""

from jmetrics.losses.agreement import (
    balanced_accuracy_loss as balanced_accuracy_loss,
    cohen_kappa_loss as cohen_kappa_loss,
    mcc_loss as mcc_loss,
)
from jmetrics.losses.auc import auc_loss as auc_loss
from jmetrics.losses.auc_groups import (
    group_auc_loss as group_auc_loss,
    multiclass_auc_loss as multiclass_auc_loss,
)
from jmetrics.losses.average_precision import (
    SoapState as SoapState,
    average_precision_loss as average_precision_loss,
    soap_init as soap_init,
    soap_loss as soap_loss,
)
from jmetrics.losses.calibration import calibration_error_loss as calibration_error_loss
from jmetrics.losses.listwise import (
    listmle_loss as listmle_loss,
    neural_ndcg_loss as neural_ndcg_loss,
    softmax_loss as softmax_loss,
)
from jmetrics.losses.lovasz import (
    lovasz_hinge_loss as lovasz_hinge_loss,
    lovasz_softmax_loss as lovasz_softmax_loss,
)
from jmetrics.losses.overlap import (
    dice_loss as dice_loss,
    fbeta_loss as fbeta_loss,
    jaccard_loss as jaccard_loss,
    tversky_loss as tversky_loss,
)
from jmetrics.losses.pairwise import (
    lambda_loss as lambda_loss,
    pairwise_hinge_loss as pairwise_hinge_loss,
    pairwise_logistic_loss as pairwise_logistic_loss,
)
from jmetrics.losses.partial_auc import partial_auc_loss as partial_auc_loss
from jmetrics.losses.push import (
    p_norm_push_loss as p_norm_push_loss,
    top_push_loss as top_push_loss,
)
from jmetrics.losses.quantile import (
    crossing_penalty as crossing_penalty,
    crps_loss as crps_loss,
    expectile_loss as expectile_loss,
    interval_score_loss as interval_score_loss,
    non_crossing_quantiles as non_crossing_quantiles,
    pinball_loss as pinball_loss,
)
from jmetrics.losses.soft_ranks import (
    approx_average_precision_loss as approx_average_precision_loss,
    approx_mrr_loss as approx_mrr_loss,
    approx_ndcg_loss as approx_ndcg_loss,
    soft_rank as soft_rank,
)
from jmetrics.losses.top_k import soft_top_k_accuracy_loss as soft_top_k_accuracy_loss
from jmetrics.losses.tweedie import (
    gamma_loss as gamma_loss,
    inverse_gaussian_loss as inverse_gaussian_loss,
    poisson_loss as poisson_loss,
    tweedie_loss as tweedie_loss,
    tweedie_nll as tweedie_nll,
)

__all__ = [
    "SoapState",
    "approx_average_precision_loss",
    "approx_mrr_loss",
    "approx_ndcg_loss",
    "auc_loss",
    "average_precision_loss",
    "balanced_accuracy_loss",
    "calibration_error_loss",
    "cohen_kappa_loss",
    "crossing_penalty",
    "crps_loss",
    "dice_loss",
    "expectile_loss",
    "fbeta_loss",
    "gamma_loss",
    "group_auc_loss",
    "interval_score_loss",
    "inverse_gaussian_loss",
    "jaccard_loss",
    "lambda_loss",
    "listmle_loss",
    "lovasz_hinge_loss",
    "lovasz_softmax_loss",
    "mcc_loss",
    "multiclass_auc_loss",
    "neural_ndcg_loss",
    "non_crossing_quantiles",
    "p_norm_push_loss",
    "pairwise_hinge_loss",
    "pairwise_logistic_loss",
    "partial_auc_loss",
    "pinball_loss",
    "poisson_loss",
    "soap_init",
    "soap_loss",
    "soft_rank",
    "soft_top_k_accuracy_loss",
    "softmax_loss",
    "top_push_loss",
    "tversky_loss",
    "tweedie_loss",
    "tweedie_nll",
]
