"""ratios.py - what interleaved timings say: medians of ratios, geometric means over programs, and how sure both are.

A row is one program; its rounds are pairs of runs next to each other in time, so each round gives one ratio. Rounds of
different rows have nothing to do with each other.

interval(): the median over the rounds, and the order statistics around it that cover the true median with >= 95 %, whatever
the distribution (fewer than 6 rounds: the extremes, which cover it with 1 - 2^(1 - rounds)).

geometric_mean(): the exponential of the mean over the rows of each row's median log ratio. The rows are the set that it is
about, not a sample: what is uncertain is each row's ratio, so the bootstrap draws rounds anew within every row on its own
(stratified; Davison and Hinkley 1997, 3.2). Few rounds make a bootstrap too narrow: drawn deviations are n/(n-1) times as large
in variance. A normal interval would rest on the noise's variance, which a disturbed round makes anything.
between_programs(): the same, but rows are drawn as well: what another set of such programs might show. It is wider, and is no
statement about this set.
"""
import math
import random

DRAWS = 4000
COVERS = 0.95


def median(values):
    v, n = sorted(values), len(values)
    return (v[(n - 1) // 2] + v[n // 2]) / 2


def interval(values):
    """(median, low, high)."""
    v, n = sorted(values), len(values)
    tails = [sum(math.comb(n, i) for i in range(k + 1)) / 2**n for k in range(n // 2)]
    low = max(sum(tail <= (1 - COVERS) / 2 for tail in tails) - 1, 0)
    return median(v), v[low], v[n - 1 - low]


def _resampled_medians(logs, rng):
    """DRAWS medians of rounds drawn with replacement from one row, deviations widened for few rounds."""
    n, middle = len(logs), median(logs)
    if n < 2:
        return [middle] * DRAWS
    widen = math.sqrt(n / (n - 1))
    return [middle + widen * (median(rng.choices(logs, k=n)) - middle) for _ in range(DRAWS)]


def _percentiles(middle, draws):
    draws, cut = sorted(draws), int(len(draws) * (1 - COVERS) / 2)
    return math.exp(middle), math.exp(draws[cut]), math.exp(draws[-1 - cut])


def _medians(rows, rng):
    logs = [[math.log(r) for r in row] for row in rows]
    return sum(map(median, logs)) / len(logs), [_resampled_medians(row, rng) for row in logs]


def geometric_mean(rows, seed=1):
    """(mean, low, high) of `rows`, a list of lists of ratios, over just these rows."""
    middle, draws = _medians(rows, random.Random(seed))
    return _percentiles(middle, [sum(d) / len(d) for d in zip(*draws)])


def between_programs(rows, seed=1):
    """The same, as one set of programs of many."""
    rng = random.Random(seed)
    middle, draws = _medians(rows, rng)
    return _percentiles(middle, [sum(d[i] for i in rng.choices(range(len(rows)), k=len(rows))) / len(rows) for d in zip(*draws)])


def verdict(found, limit, words):
    """Where a whole interval lies: words = (above, below, on neither side)."""
    _, low, high = found
    return words[0] if low >= limit else words[1] if high < limit else words[2]
