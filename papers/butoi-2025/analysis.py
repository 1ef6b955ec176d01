#!/usr/bin/env python3
"""Tests the sentences of the paper on our runs, and compares our scores with the published ones.

    analysis.py REPORT/runs.csv --to DIR

reads the runs.csv of a report and published.json beside this file, and writes four tables to DIR:
claims, agreement, outside (scores that are not the paper's) and fit (who does not even fit its
training set, by learning rate). `flare report ... --tables DIR` shows them. It needs numpy.

Runs count if runs.csv says that they are comparable with the paper's (column `incomparable` is
empty), have the paper's budget, and are not left out (column `left_out`). Random draws come from
named streams, so that the same runs give the same tables.
"""

import argparse
import csv
import hashlib
import itertools
import json
import math
import pathlib
import sys
from dataclasses import dataclass, field

import numpy as np

ARCHITECTURES = ("transformer", "rnn", "lstm")  # in the order of the paper's tables
BUDGET = 64_000
EXPRESSIVITY_RUNS = 40  # behind a maximum of the main table: ten trials of four losses
REGULAR = ("even-pairs", "repeat-01", "parity", "cycle-navigation", "modular-arithmetic-simple",
           "dyck-2-3", "first")

LEVEL = 0.05  # at which a corrected test decides
VALIDATED = "best_validation_recognition_cross_entropy"  # the column of runs.csv
USEFUL_GAIN = 0.02  # what auxiliary losses must gain on average to be said to help
OVER_FORMAT = 0.01  # by how much a network must beat the format alone to count as better
# The share of cells from which on a loss would be consistently the best. In the paper's own Table 3
# recognition alone is the best in 28 of 54, so that half cannot be meant.
CONSISTENTLY = 0.75

# Sums and differences that are equal on paper may differ here by this much: 1 - 0.98 exceeds 0.02
# by 2e-17. Scores that really differ do so by one of some thousand strings.
ROUNDING = 1e-12
MOST_OUTCOMES = 1 << 18  # up to this many outcomes of chance are enumerated
RANDOM_OUTCOMES = 20_000  # otherwise this many are drawn
RESAMPLES = 10_000
# A run with a lower training accuracy has not fitted its training set. The bound is mild: on fourteen
# languages the format alone passes it.
FITS_FROM = 0.75
RATES = (0.0001, 0.001, 0.0025, 0.005, 0.01)  # bounds of the ranges of learning rates

LEAST_FOR_INTERVAL = 5  # resamples of fewer values say nothing
AGREEING_DEVIATIONS, LEAST_DEVIATION = 2, 0.01  # published deviations are rounded to two decimals


def random_stream(name):
    """A stream of random numbers that depends on its name alone, in every version of numpy."""
    digest = hashlib.sha256(name.encode()).digest()
    return np.random.RandomState(np.frombuffer(digest, dtype="<u4"))


def mean(values):
    return math.fsum(values) / len(values)


def as_shown(values):
    """Hundredths, as the paper rounds."""
    return np.floor(100 * np.asarray(values) + 0.5)


# ---- Statistics


@dataclass
class Interval:
    low: float
    high: float
    n: int


def percentiles(resampled, n):
    """95 % of the resamples lie between the two."""
    ordered = np.sort(resampled)
    tail = len(ordered) // 40
    return Interval(float(ordered[max(tail, 1) - 1]), float(ordered[len(ordered) - tail - 1]), n)


def draw_units(n, stream):
    """Resamples of n units with replacement, one per row."""
    return (random_stream(stream).random_sample((RESAMPLES, n)) * n).astype(int)


def ranks(values):
    """Ranks along the last axis, centered to mean zero. Values that differ only by rounding errors
    share the mean of theirs."""
    values = np.round(np.asarray(values, dtype=float), 11)
    below = (values[..., None, :] < values[..., :, None]).sum(-1)
    equal = (values[..., None, :] == values[..., :, None]).sum(-1)
    return below + (equal + 1) / 2 - (values.shape[-1] + 1) / 2


def rank_correlation(a, b):
    """Spearman's, along the last axis; NaN where all values of one list are equal."""
    a, b = ranks(a), ranks(b)
    norm = np.sqrt((a * a).sum(-1) * (b * b).sum(-1))
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(norm > 0, (a * b).sum(-1) / norm, np.nan)


def holm(p_values):
    """Holm's (1979) adjusted p-values: of m tests the k-th smallest is multiplied by m - k + 1, and
    is no smaller than those before it."""
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    adjusted, least = [0.0] * len(p_values), 0.0
    for k, i in enumerate(order):
        least = max(least, min(1.0, (len(order) - k) * p_values[i]))
        adjusted[i] = least
    return adjusted


@dataclass
class Tails:
    """How probable it is that chance gives this much or more, this little or less; `least` is the
    least that either could have been: one of all outcomes."""
    upper: float
    lower: float
    least: float

    def two_sided(self):
        return min(1.0, 2 * min(self.upper, self.lower))

    def least_two_sided(self):
        return min(1.0, 2 * self.least)


def tails(outcomes, seen, scale):
    slack = 1e-9 * scale
    upper = int((outcomes >= seen - slack).sum())
    lower = int((outcomes <= seen + slack).sum())
    return Tails(upper / len(outcomes), lower / len(outcomes), 1 / len(outcomes))


def sign_flip_test(values, stream):
    """Chance gives every value either sign with equal probability; we look at their sum. It is exact
    for up to 18 values; of drawn outcomes, what was seen counts as one (Phipson, Smyth 2010)."""
    values = np.asarray(values, dtype=float)
    seen, scale = values.sum(), np.abs(values).sum()
    if len(values) < 64 and 1 << len(values) <= MOST_OUTCOMES:
        outcomes = np.zeros(1)
        for x in values:
            outcomes = np.concatenate([outcomes + x, outcomes - x])
    else:
        signs = random_stream(stream).random_sample((RANDOM_OUTCOMES, len(values))) < 0.5
        outcomes = np.append(np.where(signs, -values, values).sum(1), seen)
    return tails(outcomes, seen, scale)


def stratified_difference(strata):
    """The mean over strata of (mean of the first sample - mean of the second)."""
    return mean([mean(first) - mean(second) for first, second in strata])


def stratified_test(strata, stream):
    """Chance deals the values of each stratum out to its two samples; we look at the stratified
    difference. It is exact where there are at most MOST_OUTCOMES ways to deal all strata out."""
    seen = stratified_difference(strata)
    scale = max(abs(x) for pair in strata for sample in pair for x in sample)
    ways = math.prod(math.comb(len(first) + len(second), len(first)) for first, second in strata)
    if ways <= MOST_OUTCOMES:
        outcomes = np.zeros(1)
        for first, second in strata:
            pool = np.array(list(first) + list(second))
            chosen = np.array(list(itertools.combinations(range(len(pool)), len(first))))
            sums = pool[chosen].sum(1)
            differences = sums / len(first) - (pool.sum() - sums) / len(second)
            outcomes = (outcomes[:, None] + differences[None, :] / len(strata)).ravel()
    else:
        random = random_stream(stream)
        outcomes = np.zeros(RANDOM_OUTCOMES)
        for first, second in strata:
            pool = np.array(list(first) + list(second))
            dealt = pool[random.random_sample((RANDOM_OUTCOMES, len(pool))).argsort(1, kind="stable")]
            sums = dealt[:, :len(first)].sum(1)
            outcomes += (sums / len(first) - (pool.sum() - sums) / len(second)) / len(strata)
        outcomes = np.append(outcomes, seen)
    return tails(outcomes, seen, scale)


@dataclass
class Evidence:
    """What runs say about a number: an estimate, how sure it is, and how probable a value like it
    would be by chance."""
    n: int = 0  # units: languages or runs
    effect: float | None = None
    interval: Interval | None = None
    p: float | None = None  # two-sided
    least_p: float | None = None  # the least that so many units could have given


def of_mean(values, bound, stream):
    """The mean of one value per unit, against a bound."""
    evidence = Evidence(n=len(values))
    if not values:
        return evidence
    evidence.effect = mean(values)
    if len(values) >= LEAST_FOR_INTERVAL:
        drawn = np.asarray(values)[draw_units(len(values), stream + "/interval")]
        evidence.interval = percentiles(drawn.mean(1), len(values))
    test = sign_flip_test([x - bound for x in values], stream + "/test")
    evidence.p, evidence.least_p = test.two_sided(), test.least_two_sided()
    return evidence


def of_worst(effects, bound, is_above, stream):
    """Of several effects, one list of values per unit each, what is to be said where a claim needs
    every one of them above the bound (or below it): the effect that comes off worst, chosen again in
    every resample. That all are beyond the bound takes every test, so p is the largest; that the
    worst is not is said of one that was chosen, so its p is multiplied by their number."""
    if not effects or not effects[0]:
        return Evidence()
    each = [of_mean(values, bound, f"{stream}/{k}") for k, values in enumerate(effects)]
    worst = (min if is_above else max)(range(len(each)), key=lambda k: each[k].effect)
    evidence = each[worst]
    if evidence.effect > bound if is_above else evidence.effect < bound:
        evidence.p = max(one.p for one in each)
    else:
        evidence.p = min(1.0, evidence.p * len(each))
    evidence.interval = None
    if len(effects[0]) >= LEAST_FOR_INTERVAL:
        drawn = np.asarray(effects)[:, draw_units(len(effects[0]), stream + "/worst")].mean(2)
        evidence.interval = percentiles(drawn.min(0) if is_above else drawn.max(0), evidence.n)
    return evidence


def of_difference(strata, stream):
    """How much higher the first samples are than the second, against 0. An interval needs five runs
    in every sample."""
    if not strata:
        return Evidence()
    sizes = [len(sample) for pair in strata for sample in pair]
    evidence = Evidence(n=sum(sizes), effect=stratified_difference(strata))
    if min(sizes) >= LEAST_FOR_INTERVAL:
        random, drawn = random_stream(stream + "/interval"), np.zeros(RESAMPLES)
        for pair in strata:
            first, second = (
                np.asarray(sample)[(random.random_sample((RESAMPLES, len(sample))) *
                                    len(sample)).astype(int)].mean(1) for sample in pair)
            drawn += (first - second) / len(strata)
        evidence.interval = percentiles(drawn, evidence.n)
    test = stratified_test(strata, stream + "/test")
    evidence.p, evidence.least_p = test.two_sided(), test.least_two_sided()
    return evidence


# ---- Runs and published values


class Published:
    def __init__(self, values):
        self._values = {(v["metric"], v["language"], v["variant"]): v for v in values
                        if v["settings"].get("budget", BUDGET) == BUDGET}
        self.languages = list(dict.fromkeys(v["language"] for v in values))

    def get(self, metric, language, architecture):
        return self._values.get((metric, language, architecture))


@dataclass
class Score:
    value: float
    runs: int
    losses: list


class Runs:
    """Our runs as the paper speaks of them: by language, architecture, loss and validation set."""

    def __init__(self, rows, published):
        self.published = published
        kept = [row for row in rows
                if row["state"] in ("finished", "diverged") and not row["left_out"]
                and not row["incomparable"] and int(row["budget"]) == BUDGET
                and row["variant"] in ARCHITECTURES
                and published.get("inductive_bias", row["language"], row["variant"])]
        # Where an architecture has several cohorts, of different arithmetic, say: the largest.
        cohorts = {}
        for row in kept:
            if row["test_accuracy"]:
                of_variant = cohorts.setdefault(row["variant"], {})
                of_variant[row["cohort"]] = of_variant.get(row["cohort"], 0) + 1
        largest = {variant: max(sizes, key=sizes.get) for variant, sizes in cohorts.items()}
        self._groups, self._format = {}, {}
        for row in kept:
            if row["cohort"] != largest.get(row["variant"], row["cohort"]):
                continue
            key = (row["language"], row["variant"], row["loss"], row["validation"])
            self._groups.setdefault(key, []).append(row)
            if row["format_only"]:
                self._format[row["language"]] = float(row["format_only"])
        self.languages = list(dict.fromkeys(key[0] for key in self._groups))
        self.losses = list(dict.fromkeys(key[2] for key in self._groups))

    def made(self, language, architecture, loss, validation):
        """How many have ended, with a score or, if they diverged too early, without."""
        return len(self._groups.get((language, architecture, loss, validation), []))

    def scored(self, language, architecture, loss, validation):
        return [row for row in self._groups.get((language, architecture, loss, validation), [])
                if row["test_accuracy"]]

    def accuracies(self, language, architecture, loss, validation):
        return [float(row["test_accuracy"])
                for row in self.scored(language, architecture, loss, validation)]

    def inductive_bias(self, language, architecture):
        """Short validation set: the loss with the highest mean. None without a run."""
        samples = {loss: self.accuracies(language, architecture, loss, "short")
                   for loss in self.losses}
        means = {loss: mean(values) for loss, values in samples.items() if values}
        if not means:
            return None
        best = max(means.values())
        losses = [loss for loss, value in means.items() if value >= best - ROUNDING]
        return Score(best, len(samples[losses[0]]), losses)

    def expressivity(self, language, architecture):
        """Long validation set: the highest accuracy of any run. None without a run."""
        samples = {loss: self.accuracies(language, architecture, loss, "long")
                   for loss in self.losses}
        all_values = [x for values in samples.values() for x in values]
        if not all_values:
            return None
        best = max(all_values)
        return Score(best, len(all_values), [loss for loss, values in samples.items() if best in values])

    def with_papers_loss(self, language, architecture):
        """The mean of the loss whose mean the paper prints. Unlike inductive_bias() it does not
        profit from there being several losses to choose from."""
        loss = self.published.get("inductive_bias", language, architecture)["settings"]["loss"]
        values = self.accuracies(language, architecture, loss, "short")
        return Score(mean(values), len(values), [loss]) if values else None

    def with_validated_loss(self, language, architecture):
        """The mean of the loss whose runs have the lowest recognition cross-entropy on the validation
        set, on average: a choice without a look at test strings."""
        samples = {}
        for loss in self.losses:
            rows = self.scored(language, architecture, loss, "short")
            if rows and all(row.get(VALIDATED) for row in rows):
                samples[loss] = mean([float(row[VALIDATED]) for row in rows])
        if not samples:
            return None
        loss = min(samples, key=samples.get)
        values = self.accuracies(language, architecture, loss, "short")
        return Score(mean(values), len(values), [loss])

    def have_equal_runs(self, language, architectures, validation):
        """Have these architectures equally many runs of every loss behind them, and a score each?
        The best of more losses, or of more runs, is higher by chance alone."""
        for architecture in architectures:
            if not any(self.scored(language, architecture, loss, validation)
                       for loss in self.losses):
                return False
        return all(self.made(language, architecture, loss, validation) ==
                   self.made(language, architectures[0], loss, validation)
                   for architecture in architectures for loss in self.losses)

    def format_only(self, language):
        """What knowing the format of the language gives on the test set; None if not known."""
        return self._format.get(language)


# ---- Claims


@dataclass
class Claim:
    key: str
    statement: str
    quantity: str
    unit: str  # of n: "languages" or "runs"
    evidence: Evidence = field(default_factory=Evidence)
    is_above: bool = True  # it says that the effect is above the bound, or below it
    bound: float = 0
    # Or that there is none at all: the effect counts exceptions, and that there is none says
    # something only after as many runs as the paper has, of everything that the claim is about.
    is_none: bool = False
    has_all_runs: bool = False
    adjusted_p: float | None = None
    verdict: str = "cannot be told yet"

    def claimed(self):
        return "none" if self.is_none else f"{'above' if self.is_above else 'below'} {self.bound:g}"


def judge(claims):
    """Corrects the tests for their number. A claim holds, or does not, where the corrected p is at
    most LEVEL. One exception refutes what is said to have none."""
    tested = [claim for claim in claims if claim.evidence.p is not None]
    for claim, p in zip(tested, holm([claim.evidence.p for claim in tested])):
        claim.adjusted_p = p
    for claim in claims:
        effect = claim.evidence.effect
        if effect is None:
            continue
        if claim.is_none:
            if effect > 0:
                claim.verdict = "does not hold"
            elif claim.has_all_runs:
                claim.verdict = "holds"
        elif claim.adjusted_p is not None and claim.adjusted_p <= LEVEL:
            claim.verdict = "holds" if (effect > claim.bound) == claim.is_above else "does not hold"


def stream_of(key):
    return "report/claims/" + key


def over_languages(runs, claim, value_of):
    """Each language gives a value, or None if its runs are not there."""
    values = [value_of(language) for language in runs.languages]
    claim.evidence = of_mean([v for v in values if v is not None], claim.bound,
                             stream_of(claim.key))
    return claim


def outperforms_in_most(runs, key, statement, score, validation, first, second):
    """+1 where the first architecture has the higher score, -1 where the second has. What was chosen
    from different numbers of runs is not compared."""

    def value(language):
        if not runs.have_equal_runs(language, (first, second), validation):
            return None
        difference = score(language, first).value - score(language, second).value
        return 0 if abs(difference) <= ROUNDING else math.copysign(1, difference)

    return over_languages(
        runs, Claim(key, statement,
                    "share of languages where it is better − share where it is worse", "languages"),
        value)


def same_ranking(runs):
    def value(language):
        if not all(runs.have_equal_runs(language, ARCHITECTURES, v) for v in ("short", "long")):
            return None
        correlation = float(rank_correlation(
            [runs.inductive_bias(language, a).value for a in ARCHITECTURES],
            [runs.expressivity(language, a).value for a in ARCHITECTURES]))
        return None if math.isnan(correlation) else correlation

    return over_languages(
        runs, Claim("same-ranking",
                    "Inductive bias and expressivity rank the architectures alike: their rank "
                    "correlation is above 0.", "mean rank correlation of the two", "languages"),
        value)


def paired_gain(pairs):
    """The mean over what both of two kinds of runs have, of (mean of the first - of the second)."""
    gains = [mean(first) - mean(second) for first, second in pairs if first and second]
    return mean(gains) if gains else None


def long_validation_helps(runs):
    return over_languages(
        runs, Claim("long-validation",
                    "With the long validation set, accuracy is higher than with the short.",
                    "mean accuracy, long − short, of the same architecture and loss", "languages"),
        lambda language: paired_gain(
            (runs.accuracies(language, a, loss, "long"), runs.accuracies(language, a, loss, "short"))
            for a in ARCHITECTURES for loss in runs.losses))


def auxiliary_loss_does_not_help(runs, loss, title):
    return over_languages(
        runs, Claim(f"no-gain-{loss}",
                    f"{title} not improve accuracy reliably: the mean gain is below "
                    f"{USEFUL_GAIN:.2f}.", "mean accuracy − that of recognition alone", "languages",
                    is_above=False, bound=USEFUL_GAIN),
        lambda language: paired_gain(
            (runs.accuracies(language, a, loss, v), runs.accuracies(language, a, "rec", v))
            for a in ARCHITECTURES for v in ("short", "long")))


def wins_of_losses(runs):
    """By language: how often each loss is the best one of an architecture (inductive bias), ties
    shared out. Only cells for which all losses have the same number of runs; and only of grids with
    all losses of the paper, since among fewer every one wins more often."""
    every = []
    if len(runs.losses) < 4:
        return every
    for language in runs.languages:
        wins, cells = dict.fromkeys(runs.losses, 0.0), 0
        for architecture in ARCHITECTURES:
            best = runs.inductive_bias(language, architecture)
            counts = {runs.made(language, architecture, loss, "short") for loss in runs.losses}
            if best is None or len(counts) != 1:
                continue
            cells += 1
            for loss in best.losses:
                wins[loss] += 1 / len(best.losses)
        if cells:
            every.append({loss: count / cells for loss, count in wins.items()})
    return every


def no_loss_is_consistently_best(runs):
    claim = Claim("no-uniform-loss",
                  "No loss is consistently the best: none is so in three quarters of the cells.",
                  "share of cells where the most frequent winner is the best", "languages",
                  is_above=False, bound=CONSISTENTLY)
    wins = wins_of_losses(runs)
    shares = [[of_language[loss] for of_language in wins] for loss in runs.losses]
    claim.evidence = of_worst(shares, claim.bound, claim.is_above, stream_of(claim.key))
    return claim


def recognition_wins_most(runs):
    claim = Claim("recognition-wins", "Recognition alone is the most frequent best loss.",
                  "share of cells where it is the best − share of the strongest other loss",
                  "languages")
    wins = wins_of_losses(runs)
    ahead = [[of_language["rec"] - of_language[loss] for of_language in wins]
             for loss in runs.losses if loss != "rec"]
    claim.evidence = of_worst(ahead, claim.bound, claim.is_above, stream_of(claim.key))
    return claim


def outperforms_on(runs, key, statement, languages, first, second):
    """Runs of the first architectures against those of the second, within language and loss.
    Nothing before every language has some: what is said of several is not said of one of them."""
    claim = Claim(key, statement, "difference of accuracies, mean over languages and losses", "runs")
    strata = []
    for language in languages:
        some = [tuple([x for a in architectures
                       for x in runs.accuracies(language, a, loss, "short")]
                      for architectures in (first, second)) for loss in runs.losses]
        some = [pair for pair in some if all(pair)]
        if not some:
            return claim
        strata += some
    claim.evidence = of_difference(strata, stream_of(key))
    return claim


def transformers_struggle_with_sensitivity(runs):
    claim = Claim("sensitivity",
                  "Transformers do well on languages of low sensitivity (even pairs, first) and "
                  "struggle on parity.", "mean accuracy on the two − on parity", "runs")
    strata = [(runs.accuracies("even-pairs", "transformer", loss, "short") +
               runs.accuracies("first", "transformer", loss, "short"),
               runs.accuracies("parity", "transformer", loss, "short")) for loss in runs.losses]
    claim.evidence = of_difference([pair for pair in strata if all(pair)], stream_of(claim.key))
    return claim


def rnn_solves_modular_arithmetic(runs):
    claim = Claim("rnn-modular-arithmetic",
                  "With recognition alone and the short validation set, the simple RNN reaches 1.00 "
                  "on modular arithmetic.", "mean accuracy", "runs",
                  bound=0.995)  # what is shown as 1.00 is no less
    claim.evidence = of_mean(runs.accuracies("modular-arithmetic-simple", "rnn", "rec", "short"),
                             claim.bound, stream_of(claim.key))
    return claim


def right_format_shares(runs, language, architectures, loss):
    """Of each run's wrong answers, the share of strings that were accepted and have the right
    format. Runs of which that was not recorded, or that are never wrong, have none."""
    shares = []
    for architecture in architectures:
        for row in runs.scored(language, architecture, loss, "long"):
            texts = [row.get("test_" + name, "") for name in
                     ("wrong_answers_format_right", "wrong_answers_format_wrong", "false_negatives")]
            if not all(texts):
                continue
            right, wrong, rejected = map(float, texts)
            if right + wrong > 0:
                shares.append((right - rejected) / (right + wrong))
    return shares


def cycle_navigation_errs_in_the_digit(runs):
    claim = Claim("cycle-navigation-errors",
                  "On cycle navigation most wrong answers accept strings of the right format.",
                  "share of such wrong answers", "runs", bound=0.5)
    shares = [x for loss in runs.losses
              for x in right_format_shares(runs, "cycle-navigation", ARCHITECTURES, loss)]
    claim.evidence = of_mean(shares, claim.bound, stream_of(claim.key))
    return claim


def recurrent_errors_have_the_format(runs):
    claim = Claim("binary-addition-errors",
                  "On binary addition, wrong answers of RNN and LSTM, taken together, are strings of "
                  "the right format that were accepted, more often than the transformer's.",
                  "difference of the shares of such wrong answers", "runs")
    strata = [(right_format_shares(runs, "binary-addition", ("rnn", "lstm"), loss),
               right_format_shares(runs, "binary-addition", ("transformer",), loss))
              for loss in runs.losses]
    claim.evidence = of_difference([pair for pair in strata if all(pair)], stream_of(claim.key))
    return claim


def no_exception(runs, key, statement, languages, first_exception):
    """Counts the runs with the long validation set whose accuracy is an exception, which it is from
    first_exception(language) on. Runs of a language of which that is not known do not count; one
    that diverged without a score is none. `languages` are all that the claim is about, whether the
    grid has them or not, and more runs of one do not make up for those that another lacks."""
    claim = Claim(key, statement, "exceptions", "runs", is_none=True, has_all_runs=True)
    exceptions = 0
    for language in languages:
        exception = first_exception(language)
        for architecture in ARCHITECTURES:
            n = 0
            for loss in runs.losses if exception is not None else ():
                n += runs.made(language, architecture, loss, "long")
                exceptions += sum(x >= exception
                                  for x in runs.accuracies(language, architecture, loss, "long"))
            claim.evidence.n += n
            claim.has_all_runs &= n >= EXPRESSIVITY_RUNS
    if claim.evidence.n:
        claim.evidence.effect = exceptions
    return claim


def format_is_the_ceiling(runs):
    def first_exception(language):
        known = runs.format_only(language)
        return None if known is None else known + OVER_FORMAT + ROUNDING

    return no_exception(
        runs, "format-ceilings",
        "On cycle navigation, binary addition, binary multiplication and compute sqrt no run is more "
        f"than {OVER_FORMAT:.2f} above what the format alone gives.",
        ("cycle-navigation", "binary-addition", "binary-multiplication", "compute-sqrt"),
        first_exception)


def claims_of(runs):
    """Measured and judged, in the order of the paper's section 5."""
    rnn, lstm, transformer, recurrent = ("rnn",), ("lstm",), ("transformer",), ("rnn", "lstm")
    bias, power = (runs.inductive_bias, "short"), (runs.expressivity, "long")
    transformers_best = ("even-pairs", "first", "majority")
    together = "On even pairs, first and majority, taken together, the transformer outperforms the "
    claims = [
        outperforms_in_most(runs, "rnn-over-transformer-bias",
                            "The simple RNN outperforms the transformer in most languages "
                            "(inductive bias).", *bias, "rnn", "transformer"),
        outperforms_in_most(runs, "lstm-over-transformer-bias",
                            "The LSTM outperforms the transformer in most languages (inductive "
                            "bias).", *bias, "lstm", "transformer"),
        outperforms_in_most(runs, "rnn-over-transformer-expressivity",
                            "The simple RNN outperforms the transformer in most languages "
                            "(expressivity).", *power, "rnn", "transformer"),
        outperforms_in_most(runs, "lstm-over-transformer-expressivity",
                            "The LSTM outperforms the transformer in most languages "
                            "(expressivity).", *power, "lstm", "transformer"),
        outperforms_on(runs, "transformer-over-rnn", together + "simple RNN.", transformers_best,
                       transformer, rnn),
        outperforms_on(runs, "transformer-over-lstm", together + "LSTM.", transformers_best,
                       transformer, lstm),
        no_exception(runs, "perfect-only-if-regular",
                     "No run is perfect on a language that is neither regular nor majority.",
                     [language for language in runs.published.languages
                      if language not in REGULAR and language != "majority"], lambda language: 1.0),
        transformers_struggle_with_sensitivity(runs),
        outperforms_on(runs, "lstm-long-range",
                       "On even pairs and first, taken together, the LSTM outperforms the simple "
                       "RNN.", ("even-pairs", "first"), lstm, rnn),
        outperforms_on(runs, "lstm-majority", "The LSTM outperforms the simple RNN on majority.",
                       ("majority",), lstm, rnn),
        outperforms_on(runs, "rnn-bucket-sort",
                       "The simple RNN outperforms the LSTM on bucket sort.", ("bucket-sort",), rnn,
                       lstm),
        outperforms_on(runs, "transformer-dyck",
                       "RNN and LSTM, taken together, outperform the transformer on Dyck-(2, 3).",
                       ("dyck-2-3",), recurrent, transformer),
        long_validation_helps(runs),
        same_ranking(runs),
        auxiliary_loss_does_not_help(runs, "rec+lm", "Language modeling does"),
        auxiliary_loss_does_not_help(runs, "rec+ns", "Next-symbol prediction does"),
        auxiliary_loss_does_not_help(runs, "rec+lm+ns", "Both together do"),
        no_loss_is_consistently_best(runs),
        recognition_wins_most(runs),
        rnn_solves_modular_arithmetic(runs),
        format_is_the_ceiling(runs),
        cycle_navigation_errs_in_the_digit(runs),
        recurrent_errors_have_the_format(runs),
    ]
    judge(claims)
    return claims


# ---- Agreement


class Cells:
    """Our scores next to the published ones: one row per language, one column per architecture. The
    last two axes of `ours` are those; axes before them are deals or resamples."""

    def __init__(self, ours, paper, runs, paper_runs, spread=None, format_only=None):
        self.ours, self.paper = np.asarray(ours, float), np.asarray(paper, float)
        deviation = np.maximum(np.zeros_like(self.paper) if spread is None else spread,
                               LEAST_DEVIATION)
        # A mean of n runs and one of N differ by chance with this many standard deviations.
        self.reach = AGREEING_DEVIATIONS * deviation * np.sqrt(
            1 / np.asarray(runs, float) + 1 / np.asarray(paper_runs, float))
        self.format_only = None if format_only is None else np.asarray(format_only, float)

    def agree(self, ours):
        """Is a score within two standard errors of the difference, or the same as shown?"""
        return ((np.abs(ours - self.paper) <= self.reach + ROUNDING) |
                (as_shown(ours) == as_shown(self.paper)))

    def chosen(self, languages):
        some = Cells.__new__(Cells)
        some.ours, some.paper, some.reach = (x[languages] for x in
                                             (self.ours, self.paper, self.reach))
        some.format_only = None if self.format_only is None else self.format_only[languages]
        return some

    def with_a_best(self):
        """The languages for which the paper finds one architecture better than another."""
        shown = as_shown(self.paper)
        return self.chosen((shown != shown[:, :1]).any(1))


def flat(x):
    return x.reshape(*x.shape[:-2], -1)


def count_agreeing(ours, cells):
    return cells.agree(ours).sum((-2, -1)).astype(float)


def mean_distance(ours, cells):
    return np.abs(ours - cells.paper).mean((-2, -1))


def cell_correlation(ours, cells):
    # In blocks, since ranks compare all pairs of cells.
    if ours.ndim == 2:
        return rank_correlation(flat(ours), flat(cells.paper))
    paper = np.broadcast_to(cells.paper, ours.shape)
    return np.concatenate([rank_correlation(flat(ours[i:i + 500]), flat(paper[i:i + 500]))
                           for i in range(0, len(ours), 500)])


def best_architecture_agrees(ours, cells):
    """The share of languages whose best architecture, or one of those that share the first place at
    two decimals, is also one of the paper's best."""
    ours, paper = as_shown(ours), as_shown(cells.paper)
    both = (ours == ours.max(-1, keepdims=True)) & (paper == paper.max(-1, keepdims=True))
    return both.any(-1).mean(-1)


def best_constant(cells):
    """The score that agrees with the paper in most cells if all cells have it. The number of cells
    changes only at the ends of their intervals."""
    candidates = np.sort(np.concatenate([flat(cells.paper - cells.reach), flat(cells.paper),
                                         flat(cells.paper + cells.reach)]))
    counts = [count_agreeing(np.full_like(cells.paper, x), cells) for x in candidates]
    return float(candidates[int(np.argmax(counts))])


@dataclass
class Chance:
    """What something other than our runs would give of the same statistic."""
    what: str
    value: float  # the mean, if it is random
    range: Interval | None = None  # 95 % of it
    p: float | None = None  # how often it is as good as ours, or better


@dataclass
class AgreementRow:
    key: str
    statistic: str
    ours: float
    interval: Interval | None  # languages resampled
    languages: int
    cells: int
    decimals: int
    chance: list


MEASURES = {  # title, function, whether more is better, decimals
    "agree": ("Cells within two standard errors of the paper's", count_agreeing, True, 1),
    "distance": ("Mean distance from the paper's", mean_distance, False, 3),
    "rank": ("Rank correlation of cells", cell_correlation, True, 2),
    "best": ("Languages whose best architecture is the paper's", best_architecture_agrees, True, 2),
}


def deals(cells, within_languages, stream):
    """Our scores dealt out RESAMPLES times: among all cells, or within each language."""
    shape = cells.ours.shape if within_languages else (1, cells.ours.size)
    order = random_stream(stream).random_sample((RESAMPLES, *shape)).argsort(-1, kind="stable")
    scores = np.broadcast_to(cells.ours.reshape(shape), order.shape)
    return np.take_along_axis(scores, order, -1).reshape(RESAMPLES, *cells.ours.shape)


def chance_of(measure, cells, ours, what, within_languages, stream):
    _, statistic, more, _ = MEASURES[measure]
    values = statistic(deals(cells, within_languages, stream), cells)
    values = values[~np.isnan(values)]
    if not len(values):
        return []
    as_good = int((values >= ours - ROUNDING).sum() if more else (values <= ours + ROUNDING).sum())
    # What was seen is one of the outcomes of chance.
    return [Chance(what, float(values.mean()), percentiles(values, len(values)),
                   (1 + as_good) / (1 + len(values)))]


def agreement_row(measure, cells, experiment):
    """None if the statistic has no value."""
    title, statistic, _, decimals = MEASURES[measure]
    ours = float(statistic(cells.ours, cells)) if len(cells.ours) else math.nan
    if math.isnan(ours):
        return None
    stream, languages, interval = f"report/agreement/{experiment}/{measure}", len(cells.ours), None
    if languages >= LEAST_FOR_INTERVAL:
        some = cells.chosen(draw_units(languages, stream + "/languages"))
        if measure == "rank":
            values = np.concatenate([
                rank_correlation(flat(some.ours[i:i + 500]), flat(some.paper[i:i + 500]))
                for i in range(0, RESAMPLES, 500)])
        else:
            values = statistic(some.ours, some)
        values = values[~np.isnan(values)]
        interval = percentiles(values, languages) if 2 * len(values) >= RESAMPLES else None
    chance = []
    if measure != "best":
        chance += chance_of(measure, cells, ours, "our scores dealt out among all cells", False,
                            stream + "/cells")
    chance += chance_of(measure, cells, ours,
                        "our scores dealt out among the architectures of a language", True,
                        stream + "/architectures")
    # The median is nearest to all of them.
    constant = {"agree": best_constant,
                "distance": lambda cells: float(np.median(cells.paper))}.get(measure)
    if constant:
        scores = np.full_like(cells.paper, constant(cells))
        chance.append(Chance("the best constant score", float(statistic(scores, cells))))
        if cells.format_only is not None:
            scores = np.broadcast_to(cells.format_only[:, None], cells.paper.shape)
            chance.append(Chance("the format alone", float(statistic(scores, cells))))
    return AgreementRow(measure, title, ours, interval, languages, cells.ours.size, decimals, chance)


def agreement_of(cells, experiment, only_order):
    """Of means, all statistics; of maxima, whose size depends on the number of runs, those of
    order."""
    if cells is None:
        return []
    rows = [] if only_order else [agreement_row(m, cells, experiment) for m in ("agree", "distance")]
    rows += [agreement_row("rank", cells, experiment),
             agreement_row("best", cells.with_a_best(), experiment)]
    return [row for row in rows if row is not None]


def cells_of(runs, score_of, metric, validation=None):
    """The languages for which all of the paper's architectures have a score: dealing scores out
    among architectures, and asking for the best, needs all of them. What was chosen from several
    runs (`validation` says from which) counts only if it was from equally many of each."""
    rows = []
    for language in runs.languages:
        if validation and not runs.have_equal_runs(language, ARCHITECTURES, validation):
            continue
        scores = [score_of(language, architecture) for architecture in ARCHITECTURES]
        if None not in scores:
            rows.append((language, scores,
                         [runs.published.get(metric, language, a) for a in ARCHITECTURES]))
    if not rows:
        return None
    known = [runs.format_only(language) for language, _, _ in rows]
    return Cells(ours=[[s.value for s in scores] for _, scores, _ in rows],
                 paper=[[p["value"] for p in papers] for _, _, papers in rows],
                 runs=[[s.runs for s in scores] for _, scores, _ in rows],
                 paper_runs=[[p["runs"] for p in papers] for _, _, papers in rows],
                 spread=[[p.get("spread", 0) for p in papers] for _, _, papers in rows],
                 format_only=None if None in known else known)


# ---- Tables, as `flare report --tables` reads them


def number(value, decimals):
    return {} if value is None else {"value": value, "decimals": decimals}


def probability(p):
    """With as many decimals as it takes not to be shown as 0."""
    decimals = 4
    while p is not None and 0 < p * 10**decimals < 0.5 and decimals < 12:
        decimals += 1
    return number(p, decimals)


def interval_cell(interval, decimals):
    if interval is None:
        return {}
    return {"low": interval.low, "high": interval.high, "n": interval.n, "decimals": decimals}


def columns(*all_columns):
    return [{"key": key, "title": title, "group": group, "left": left}
            for key, title, group, left in all_columns]


def whole_trials_note(rows):
    """As the report's own tables have it."""
    if not any(row["left_out"] for row in rows):
        return []
    counted = {row["trial"] for row in rows if not row["left_out"] and row["state"] in
               ("finished", "diverged")}
    return [f"Only trials that are done at every point of the grid count: {len(counted)}."]


def claims_table(runs, notes):
    claims = claims_of(runs)
    rows = []
    for claim in claims:
        evidence, decimals = claim.evidence, 0 if claim.is_none else 3
        rows.append({
            "claim": {"text": claim.statement},
            "effect_of": {"text": claim.quantity},
            "claimed": {"text": claim.claimed()},
            "effect": number(evidence.effect, decimals),
            "effect_interval": interval_cell(evidence.interval, decimals),
            "n": number(evidence.n, 0),
            "unit": {"text": claim.unit},
            "p_least": probability(evidence.least_p),
            "p": probability(evidence.p),
            "p_adjusted": probability(claim.adjusted_p),
            "verdict": {"text": claim.verdict},
        })
    counts = "; ".join(f"{verdict}: {sum(claim.verdict == verdict for claim in claims)}"
                       for verdict in ("holds", "does not hold", "cannot be told yet"))
    tests = sum(claim.evidence.p is not None for claim in claims)
    powerless = sum(claim.evidence.least_p is not None and claim.evidence.least_p * tests > LEVEL
                    for claim in claims)
    return {
        "table": "claims",
        "caption": "Statements modelled on the paper's results section, tested on our runs; "
                   "thresholds, and what is pooled, are ours.",
        "columns": columns(
            ("claim", "Claim", "", True), ("effect_of", "Effect", "", True),
            ("claimed", "Claimed", "", True), ("effect", "Effect", "Ours", False),
            ("effect_interval", "95 %", "Ours", False), ("n", "n", "Ours", False),
            ("unit", "of", "Ours", True), ("p_least", "Least", "Test", False),
            ("p", "p", "Test", False), ("p_adjusted", "Corrected", "Test", False),
            ("verdict", "Verdict", "", True)),
        "rows": rows,
        "notes": [
            f"Of {len(claims)} claims: {counts}.",
            "A claim holds, or does not, where its test, corrected for the number of all tests here "
            f"(Holm), is at most {LEVEL:g}; p is two-sided, of values that lie symmetrically about "
            "the bound. Over languages: signs flipped at random; run by run: runs of a language and "
            "loss dealt out at random. Where all outcomes can be gone through, they are.",
            "Least: the smallest p that so few values could have given at all. Times the "
            f"{tests} tests here it is above {LEVEL:g} for {powerless}: whatever so few runs show, "
            "those claims have no verdict before others have theirs.",
            "95 %: percentile bootstrap over languages, or over runs where every sample has five; "
            "for one claim at a time, and somewhat too narrow for few values: verdicts go by p. A "
            "claim that there is none is refuted by one exception; that there is no exception says "
            "something after as many runs as the paper's.",
            "Run by run, the short validation set is meant; for perfect runs, what the format alone "
            "gives, and wrong answers, the long one; gains of losses are of both. Runs of which it "
            "was not recorded which wrong answers have the right format do not count there. A "
            "language without an order, because all its scores tie, has no rank correlation.",
            "All runs are on one draw of the data. That the same claims are looked at again as runs "
            "come in is not corrected for.",
        ] + notes,
    }


def agreement_table(runs, notes):
    experiments = (
        ("Inductive bias", "inductive_bias",
         cells_of(runs, runs.inductive_bias, "inductive_bias", "short"), False),
        ("Inductive bias, the paper's loss", "inductive_bias_papers_loss",
         cells_of(runs, runs.with_papers_loss, "inductive_bias"), False),
        ("Inductive bias, the loss chosen by validation", "inductive_bias_validated_loss",
         cells_of(runs, runs.with_validated_loss, "inductive_bias", "short"), False),
        ("Expressivity", "expressivity", cells_of(runs, runs.expressivity, "expressivity", "long"),
         True),
    )
    rows = []
    for title, stream, cells, only_order in experiments:
        for row in agreement_of(cells, stream, only_order):
            for i, chance in enumerate(row.chance):
                out = {} if i else {
                    "experiment": {"text": title}, "statistic": {"text": row.statistic},
                    "ours": number(row.ours, row.decimals),
                    "ours_interval": interval_cell(row.interval, row.decimals),
                    "cells": number(row.cells, 0), "rule_above": bool(rows)}
                out |= {"chance": {"text": chance.what},
                        "chance_value": number(chance.value, row.decimals),
                        "chance_range": interval_cell(chance.range, row.decimals),
                        "p": probability(chance.p)}
                rows.append(out)
    return {
        "table": "agreement",
        "caption": "Agreement with the paper, beside what chance and simple predictors give on the "
                   "same cells.",
        "columns": columns(
            ("experiment", "Experiment", "", True), ("statistic", "Statistic", "", True),
            ("ours", "Ours", "", False), ("ours_interval", "95 %", "", False),
            ("cells", "Cells", "", False), ("chance", "Instead of ours", "Beside", True),
            ("chance_value", "Value", "Beside", False),
            ("chance_range", "95 % of chance", "Beside", False), ("p", "p", "Beside", False)),
        "rows": rows,
        "notes": [
            "Languages count of which all of the paper's architectures have a score, chosen from "
            "equally many runs of every loss; for the best architecture, those of which the paper "
            "has one. 95 %: percentile bootstrap over n languages. Of chance: n random deals; p: "
            "how often one of them is as good as ours, or better.",
            "Two standard errors: 2·s·√(1/n + 1/N) between a mean of n runs and the paper's of N, "
            "where s is the paper's standard deviation, at least 0.01; or equal at two decimals.",
            "The paper's loss: our mean of the loss whose mean the paper prints, of however many "
            "runs. The best of several losses is the higher, by chance alone, the fewer trials each "
            "has; this is not chosen by our scores. But the paper chose it by its own: were all "
            "four losses alike, the highest of four means of ten runs would be above theirs by "
            f"1.03·s/√10, which is {papers_choice(runs):.3f} on average over the cells, and ours "
            "would be lower by as much.",
            "The loss chosen by validation: that whose runs have the lowest recognition "
            "cross-entropy on their validation set. The paper chooses by the test set.",
            "Maxima grow with the number of runs, so that of expressivity only the order is "
            "compared.",
        ] + notes,
    }


def papers_choice(runs):
    """By how much the highest of four means of N runs is expected above each of them, if all have the
    published deviation and none a better law: the mean of it over the cells."""
    of_four = 1.0293753730  # the expected maximum of four standard normal variables
    every = [runs.published.get("inductive_bias", language, architecture)
             for language in runs.published.languages for architecture in ARCHITECTURES]
    return mean([of_four * cell["spread"] / math.sqrt(cell["runs"]) for cell in every if cell])


def outside_table(runs, notes):
    """Scores with the paper's loss that do not agree with the paper's: the main table, which shows the
    best of several losses, hides them."""
    rows, judged = [], 0
    for language in runs.languages:
        for architecture in ARCHITECTURES:
            score = runs.with_papers_loss(language, architecture)
            if score is None:
                continue
            published = runs.published.get("inductive_bias", language, architecture)
            judged += 1
            spread = max(published["spread"], LEAST_DEVIATION)
            error = spread * math.sqrt(1 / score.runs + 1 / published["runs"])
            distance = (score.value - published["value"]) / error
            if (as_shown(score.value) == as_shown(published["value"])
                    or abs(distance) <= AGREEING_DEVIATIONS + ROUNDING):
                continue
            rates = sorted(float(row["learning_rate"]) for row in
                           runs.scored(language, architecture, score.losses[0], "short")
                           if row.get("learning_rate"))
            rows.append({
                "language": {"text": language}, "model": {"text": architecture},
                "loss": {"text": score.losses[0]}, "ours": number(score.value, 2),
                "n": number(score.runs, 0), "paper": number(published["value"], 2),
                "spread": number(published["spread"], 2), "errors": number(distance, 1),
                "rates": {"text": ", ".join(f"{rate:.4f}" for rate in rates)}})
    return {
        "table": "outside",
        "caption": "Scores with the paper's own loss (inductive bias) that do not agree with the "
                   "paper's.",
        "columns": columns(
            ("language", "Language", "", True), ("model", "Model", "", True),
            ("loss", "Loss", "", True), ("ours", "Mean", "Ours", False), ("n", "n", "Ours", False),
            ("paper", "Mean", "Paper", False), ("spread", "s", "Paper", False),
            ("errors", "Standard errors", "", False), ("rates", "Learning rates", "Ours", True)),
        "rows": rows,
        "notes": [f"{len(rows)} of {judged} scores, of which "
                  f"{sum(row['errors']['value'] < 0 for row in rows)} are below the paper's. A mean "
                  "of n runs agrees with one of N within 2·s·√(1/n + 1/N), or if both are equal at "
                  "two decimals."] + notes,
    }


def fit_table(runs, notes):
    """How many runs do not fit their training set, by the learning rate that they drew."""
    rows = []
    for architecture in ARCHITECTURES:
        every = [row for language in runs.languages for loss in runs.losses
                 for validation in ("short", "long")
                 for row in runs.scored(language, architecture, loss, validation)
                 if row.get("train_accuracy") and row.get("learning_rate")]
        for low, high in zip(RATES, RATES[1:]):
            some = [row for row in every if low <= float(row["learning_rate"]) < high]
            if not some:
                continue
            unfit = sum(float(row["train_accuracy"]) < FITS_FROM for row in some)
            rows.append({
                "model": {"text": architecture}, "rate": {"text": f"{low:g} to {high:g}"},
                "runs": number(len(some), 0), "unfit": number(unfit, 0),
                "share": number(unfit / len(some), 2),
                "test": number(mean([float(row["test_accuracy"]) for row in some]), 2),
                "rule_above": bool(rows) and low == RATES[0]})
    return {
        "table": "fit",
        "caption": "Runs that do not fit their training set, by the learning rate that they drew.",
        "columns": columns(
            ("model", "Model", "", True), ("rate", "Learning rate", "", True),
            ("runs", "Runs", "", False), ("unfit", "Not fitted", "", False),
            ("share", "Share", "", False), ("test", "Mean test accuracy", "", False)),
        "rows": rows,
        "notes": [f"Not fitted: a training accuracy below {FITS_FROM:g}. All languages, losses and "
                  "validation sets together, whose mixture differs a little between the rows."] + notes,
    }


NEEDED = ("language", "variant", "loss", "validation", "budget", "trial", "state", "cohort",
          "left_out", "incomparable", "format_only")


def read_rows(path):
    """The rows of runs.csv, each a dict of texts. Raises ValueError naming what is wrong."""
    with open(path, newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file, strict=True)
        missing = [name for name in NEEDED if name not in (reader.fieldnames or ())]
        if missing:
            raise ValueError(f"{path}: no column {', '.join(missing)}; expected the runs.csv of a "
                             "report of this version")
        rows = []
        for row in reader:
            if None in row or None in row.values():
                raise ValueError(f"{path}:{reader.line_num}: expected {len(reader.fieldnames)} "
                                 "fields")
            row.setdefault("test_accuracy", "")
            rows.append(row)
    return rows


def read_published(path):
    with open(path, encoding="utf-8") as file:
        return Published(json.load(file)["values"])


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", metavar="runs.csv", type=pathlib.Path)
    parser.add_argument("--to", metavar="DIR", type=pathlib.Path, required=True)
    parser.add_argument("--published", metavar="FILE", type=pathlib.Path,
                        default=pathlib.Path(__file__).with_name("published.json"))
    options = parser.parse_args(arguments)
    try:
        rows = read_rows(options.runs)
        runs = Runs(rows, read_published(options.published))
        options.to.mkdir(parents=True, exist_ok=True)
        notes = whole_trials_note(rows)
        for table in (claims_table(runs, notes), agreement_table(runs, notes),
                      outside_table(runs, notes), fit_table(runs, notes)):
            text = json.dumps(table, ensure_ascii=False, indent=1, allow_nan=False) + "\n"
            (options.to / (table["table"] + ".json")).write_text(text, encoding="utf-8")
    except (OSError, ValueError, KeyError) as error:
        print(f"analysis.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
