"""The pieces every metric is made of: checks, weights, kernels, arithmetic."""
