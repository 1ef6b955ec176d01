"""The statistics of the atlas (RULE.md), with numpy alone. Everything that is drawn comes from a stream
that depends on its name, so that the same runs give the same tables."""

import functools
import hashlib

import numpy as np

Z = 1.959963984540054  # 95 % of a normal law are within Z deviations
RESAMPLES = 2000
PERMUTATIONS = 20_000
RIDGE = 1.0


def random_stream(name):
    digest = hashlib.sha256(name.encode()).digest()
    return np.random.RandomState(np.frombuffer(digest, dtype="<u4"))


def wilson(successes, n):
    """The 95 % interval of a share; None of no observations."""
    if n == 0:
        return None
    share, square = successes / n, Z * Z / n
    middle = (share + square / 2) / (1 + square)
    half = Z / (1 + square) * np.sqrt(share * (1 - share) / n + square / (4 * n))
    # Of no success (all successes) the bound is 0 (1) but for rounding.
    return (0.0 if successes == 0 else float(middle - half),
            1.0 if successes == n else float(middle + half))


def holm(p_values):
    """Holm's (1979) adjusted p-values: of m tests the k-th smallest is multiplied by m - k + 1, and is
    no smaller than those before it. A test that could not be made (None) is not counted."""
    made = sorted((p, i) for i, p in enumerate(p_values) if p is not None)
    adjusted, least = [None] * len(p_values), 0.0
    for k, (p, i) in enumerate(made):
        least = max(least, min(1.0, (len(made) - k) * p))
        adjusted[i] = least
    return adjusted


def percentiles(values):
    """What 95 % of the resamples lie between; None if more than 5 % of them have no value."""
    n = len(values)
    values = np.sort(values[np.isfinite(values)])
    if len(values) < 0.95 * n:
        return None
    tail = len(values) // 40
    return float(values[tail]), float(values[len(values) - 1 - tail])


def weights_of_resamples(n, name):
    """How often each of n units is in each resample: RESAMPLES rows."""
    drawn = (random_stream(name).random_sample((RESAMPLES, n)) * n).astype(int)
    flat = drawn + n * np.arange(RESAMPLES)[:, None]
    return np.bincount(flat.ravel(), minlength=RESAMPLES * n).reshape(RESAMPLES, n).astype(float)


# ---- Rank correlations


def weighted_ranks(values, weights):
    """Ranks of the values in every resample, a row of weights each; equal values share their mean."""
    _, group = np.unique(np.round(values, 11), return_inverse=True)
    in_group = np.zeros((len(values), group.max() + 1))
    in_group[np.arange(len(values)), group] = 1
    count = weights @ in_group
    return (np.cumsum(count, 1) - count + (count + 1) / 2)[:, group]


def weighted_correlation(a, b, weights):
    """Pearson's, row by row; NaN where a list is constant."""
    total = weights.sum(1, keepdims=True)
    a = a - (weights * a).sum(1, keepdims=True) / total
    b = b - (weights * b).sum(1, keepdims=True) / total
    norm = np.sqrt((weights * a * a).sum(1) * (weights * b * b).sum(1))
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(norm > 1e-12, (weights * a * b).sum(1) / norm, np.nan)


def rank_correlations(a, b, weights):
    """Spearman's, of every resample."""
    return weighted_correlation(weighted_ranks(a, weights), weighted_ranks(b, weights), weights)


def rank_correlation(a, b):
    """Spearman's; None where a list is constant."""
    value = float(rank_correlations(np.asarray(a, float), np.asarray(b, float),
                                    np.ones((1, len(a))))[0])
    return None if np.isnan(value) else value


@functools.lru_cache(maxsize=2)
def permutations(n, name):
    return np.argsort(random_stream(name).random_sample((PERMUTATIONS, n)), axis=1)


def permutation_p(a, b, name):
    """Two-sided: how often a rank correlation is as far from 0 if chance deals out the second list; what
    was seen counts as one of the outcomes (Phipson, Smyth 2010)."""
    one = np.ones((1, len(a)))
    a, b = (weighted_ranks(np.asarray(x, float), one)[0] for x in (a, b))
    a, b = a - a.mean(), b - b.mean()
    if not a.any() or not b.any():
        return None
    outcomes = np.abs(b[permutations(len(a), name)] @ a)
    return (1 + int((outcomes >= abs(a @ b) * (1 - 1e-9)).sum())) / (PERMUTATIONS + 1)


# ---- Logistic regression


def standardized(columns):
    """Columns of mean 0 and deviation 1; one that is constant is 0."""
    columns = np.asarray(columns, float)
    centered = columns - columns.mean(0)
    deviation = centered.std(0)
    return np.where(deviation > 1e-12, centered / np.where(deviation > 1e-12, deviation, 1), 0.0)


def log_likelihood(x, successes, trials, weights, beta, ridge):
    """Penalized; a value for every row of weights."""
    logits = beta @ x.T
    fit = successes * logits - trials * np.logaddexp(0, logits)
    return (weights * fit).sum(1) - ridge / 2 * (beta[:, 1:] ** 2).sum(1)


def logistic(columns, successes, trials, weights=None, ridge=RIDGE):
    """Newton's method for many resamples at once: the intercept and a slope per column, a row for each
    row of weights. It maximizes the log-likelihood of `successes` out of `trials`, less ridge/2 times
    the sum of the squared slopes; the intercept is free."""
    columns = np.asarray(columns, float)
    successes, trials = np.asarray(successes, float), np.asarray(trials, float)
    weights = np.ones((1, len(columns))) if weights is None else weights
    x = np.column_stack([np.ones(len(columns)), columns])
    p = x.shape[1]
    products = (x[:, :, None] * x[:, None, :]).reshape(len(x), p * p)
    # All successes, or none, have no finite intercept; this bounds it, and changes nothing else.
    penalty = np.full(p, float(ridge))
    penalty[0] = 1e-9
    beta = np.zeros((len(weights), p))
    value = log_likelihood(x, successes, trials, weights, beta, ridge)
    for _ in range(100):
        mean = 1 / (1 + np.exp(-np.clip(beta @ x.T, -500, 500)))
        gradient = (weights * (successes - trials * mean)) @ x - penalty * beta
        if np.abs(gradient).max() < 1e-8:
            break
        curvature = weights * trials * mean * (1 - mean)
        hessian = (curvature @ products).reshape(-1, p, p) + np.diag(penalty)
        step = np.linalg.solve(hessian, gradient[:, :, None])[:, :, 0]
        step *= np.minimum(1, 10 / np.maximum(np.abs(step).max(1, keepdims=True), 1e-300))
        for _ in range(30):  # shorter where that was too far
            after = log_likelihood(x, successes, trials, weights, beta + step, ridge)
            worse = after < value - 1e-9 * (1 + np.abs(value))
            if not worse.any():
                break
            step[worse] /= 2
        beta, value = beta + step, after
    return beta
