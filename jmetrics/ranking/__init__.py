"""Ranking metrics."""

from jmetrics.ranking.cutoffs import (
    f1_at_k as f1_at_k,
    fall_out_at_k as fall_out_at_k,
    hit_rate_at_k as hit_rate_at_k,
    precision_at_k as precision_at_k,
    r_precision as r_precision,
    recall_at_k as recall_at_k,
)
from jmetrics.ranking.gains import (
    dcg_score as dcg_score,
    expected_reciprocal_rank as expected_reciprocal_rank,
    ndcg_score as ndcg_score,
    rank_biased_precision as rank_biased_precision,
)
from jmetrics.ranking.labels import (
    coverage_error as coverage_error,
    label_ranking_average_precision_score as label_ranking_average_precision_score,
    label_ranking_loss as label_ranking_loss,
)
from jmetrics.ranking.precision import (
    average_precision_at_k as average_precision_at_k,
    bpref as bpref,
    eleven_point_average_precision as eleven_point_average_precision,
    geometric_mean_average_precision as geometric_mean_average_precision,
    interpolated_precision as interpolated_precision,
    reciprocal_rank as reciprocal_rank,
)

__all__ = [
    "average_precision_at_k",
    "bpref",
    "coverage_error",
    "dcg_score",
    "eleven_point_average_precision",
    "expected_reciprocal_rank",
    "f1_at_k",
    "fall_out_at_k",
    "geometric_mean_average_precision",
    "hit_rate_at_k",
    "interpolated_precision",
    "label_ranking_average_precision_score",
    "label_ranking_loss",
    "ndcg_score",
    "precision_at_k",
    "r_precision",
    "rank_biased_precision",
    "recall_at_k",
    "reciprocal_rank",
]
