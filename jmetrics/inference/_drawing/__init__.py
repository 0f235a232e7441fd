"""What is resampled (`units`), and how often each of it is drawn (`draws`, `binomial`)."""
