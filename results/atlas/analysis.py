#!/usr/bin/env python3
"""The tables of the atlas, by RULE.md.

    analysis.py RUNS.csv --flare FLARE --to DIR

reads the runs.csv of a report, or the shorter one beside this file, asks FLARE about the languages, and
writes the tables that `flare report --tables DIR` shows: DIR/summary.json, success, groups, theorems,
correlations, correlations-longest, best-invariant, regression. It needs numpy.
"""

import argparse
import json
import pathlib
import sys

import numpy as np

import languages as facts_of
import runs as runs_of
import stats

LEVEL = 0.05
LEAST_OF_EACH = 10  # languages with a success, and with a failure, for a regression
HERE = pathlib.Path(__file__).resolve().parent


# ---- Cells and tables: those of `flare report --tables`, as Markdown too


def text(value):
    return {"text": value}


def number(value, decimals=0):
    return {} if value is None else {"value": value, "decimals": decimals}


def share(successes, n):
    """12 of 40, with its interval."""
    if n == 0:
        return {}
    low, high = stats.wilson(successes, n)
    return {"text": f"{successes} of {n} ({low:.2f} to {high:.2f})", "value": successes, "n": n,
            "low": low, "high": high}


def within(value, interval, decimals=2, mark=""):
    """A number and what 95 % of the resamples lie between."""
    if value is None:
        return {}
    bounds = "" if interval is None else f" ({signed(interval[0], decimals)} to " \
                                         f"{signed(interval[1], decimals)})"
    return {"text": signed(value, decimals) + bounds + mark, "value": value,
            "low": interval and interval[0], "high": interval and interval[1]}


def signed(value, decimals):
    shown = f"{value:.{decimals}f}"
    return shown[1:].replace("-", "") if float(shown) == 0 and shown[0] == "-" else \
        shown.replace("-", "−")


def p_value(p):
    if p is None:
        return {}
    return {"text": "< 0.0001" if p < 0.0001 else f"{p:.4f}", "value": p}


def shown(cell):
    if "text" in cell:
        return cell["text"]
    return f"{cell['value']:.{cell['decimals']}f}" if "value" in cell else ""


def markdown(table):
    def line(cells):
        return "| " + " | ".join(cells) + " |"

    escape = lambda x: x.replace("|", "\\|").replace("*", "\\*").replace("~", "\\~")
    columns = table["columns"]
    lines = [table["caption"], "",
             line((f"{c['group']}: " if c.get("group") else "") + c["title"] for c in columns),
             "|" + "|".join("---" if c.get("left") else "---:" for c in columns) + "|"]
    lines += [line(escape(shown(row.get(c["key"], {}))) for c in columns) for row in table["rows"]]
    return "\n".join(lines + [""] + table["notes"]) + "\n"


def column(key, title, group="", left=False):
    return {"key": key, "title": title, "group": group, "left": left}


# ---- The atlas: languages with facts, and what came of the runs


class Atlas:
    def __init__(self, runs, languages, marked=(), extracted=None):
        self.runs = runs
        self.extracted = extracted or {}  # rows of extracted.csv by the hash of the model
        self.languages = facts_of.in_order(languages)
        self.marked = set(marked)

    def trained(self, variant):
        return [x for x in self.languages if self.runs.of(x["name"], variant.key)]

    def successes(self, language, variant):
        return sum(run.success for run in self.runs.of(language["name"], variant.key))

    def learned(self, language, variant):
        return self.successes(language, variant) > 0

    def always(self, language, variant):
        return self.successes(language, variant) == len(self.runs.of(language["name"], variant.key))

    def longest(self, language, variant):
        """The accuracy at the longest bin, over seeds."""
        return float(np.mean([run.accuracies[-1]
                              for run in self.runs.of(language["name"], variant.key)]))

    def count(self):
        return sum(map(len, self.runs.by_cell.values()))

    def is_whole(self):
        """Has every seed that counts run everywhere? `flare report --whole-trials` leaves out others,
        but before any seed is whole none."""
        return self.count() == (len(self.languages) * len(self.runs.variants) *
                                len(self.runs.trials))

    def coverage(self):
        seeds = ", ".join(map(str, self.runs.trials)) or "none"
        note = (f"{len(self.languages)} languages, {len(self.runs.variants)} variants, seeds {seeds}: "
                f"{self.count()} runs.")
        if not self.is_whole():
            note += " No seed is whole: nothing can be concluded from this yet."
        if self.runs.partial:
            note += (f" Seeds {', '.join(map(str, self.runs.partial))} are not whole and are left out.")
        return note


def read_marked(path):
    return path.read_text(encoding="utf-8").split() if path.exists() else []


def span(atlas):
    low, high = atlas.runs.bins[-1]
    return f"every test string of lengths {atlas.runs.bins[0][0]} to {high} is judged right"


def success_table(atlas):
    rows = []
    for variant in atlas.runs.variants:
        trained = atlas.trained(variant)
        unmarked = [x for x in trained if x["name"] not in atlas.marked]
        every = [run for x in trained for run in atlas.runs.of(x["name"], variant.key)]
        rows.append({
            "variant": text(variant.title),
            "learned": share(sum(atlas.learned(x, variant) for x in trained), len(trained)),
            "always": share(sum(atlas.always(x, variant) for x in trained), len(trained)),
            "unmarked": share(sum(atlas.learned(x, variant) for x in unmarked), len(unmarked)),
            "runs": text(f"{sum(run.success for run in every)} of {len(every)}"),
            "longest": number(float(np.mean([run.accuracies[-1] for run in every])), 3),
            "diverged": number(sum(run.diverged for run in every))})
    low, high = atlas.runs.bins[-1]
    return {"table": "success", "caption": f"What is learned: {span(atlas)}.",
            "columns": [column("variant", "Variant", left=True),
                        column("learned", "By a seed", "Languages"),
                        column("always", "By all seeds", "Languages"),
                        column("unmarked", "By a seed, without those of the choice of rates", "Languages"),
                        column("runs", "Successes", "Runs"),
                        column("longest", f"Mean accuracy at {low}–{high}", "Runs"),
                        column("diverged", "Diverged", "Runs")],
            "rows": rows,
            "notes": [atlas.coverage(), "In brackets: Wilson's 95 % intervals over languages."]}


def groups_table(atlas):
    rows = []
    for variant in atlas.runs.variants:
        row = {"variant": text(variant.title)}
        for key, _, _ in facts_of.CHAIN:
            some = [x for x in atlas.trained(variant) if x["group"] == key]
            row[key] = share(sum(atlas.learned(x, variant) for x in some), len(some))
        rows.append(row)
    there = [(key, title) for key, title, _ in facts_of.CHAIN
             if any(x["group"] == key for x in atlas.languages)]
    return {"table": "groups",
            "caption": "Languages that at least one seed learned, by the groups of the map.",
            "columns": [column("variant", "Variant", left=True)] +
                       [column(key, title) for key, title in there],
            "rows": rows,
            "notes": [atlas.coverage(), "In brackets: Wilson's 95 % intervals over languages. A language is in "
                      "the first group that it belongs to; each class contains those before it."]}


VERDICTS = {"excluded": "excluded", "excluded_unless_tc0_is_nc1": "excluded", "recognized": "allowed"}


def theorems_table(atlas):
    rows = []
    for variant in atlas.runs.variants:
        statements = {}
        for language in atlas.trained(variant):
            for p in facts_of.applying(language, variant):
                # What a theorem says may depend on the read-out, and its direction on nothing.
                statement = statements.setdefault((p["model"], p["theorem"]), {
                    "about": p, "excluded": [], "allowed": [], "open": []})
                statement[VERDICTS.get(p["verdict"], "open")].append(language)
        for (model, theorem), one in statements.items():
            learned = {kind: [x for x in one[kind] if atlas.learned(x, variant)]
                       for kind in ("excluded", "allowed", "open")}
            missed = [x for x in one["allowed"] if not atlas.learned(x, variant)]
            rows.append({
                "variant": text(variant.title), "model": text(model), "theorem": text(theorem),
                "direction": text(one["about"]["direction"]), "precision": text(one["about"]["precision"]),
                "readout": text({"either": "either", "eos": "after the string", "last": "last symbol"}.get(
                    one["about"]["readout"], one["about"]["readout"])),
                "excluded": number(len(one["excluded"])),
                "excluded_learned": number(len(learned["excluded"])),
                "excluded_always": number(sum(atlas.always(x, variant) for x in one["excluded"])),
                "excluded_names": {"text": listed(learned["excluded"]),
                                   "names": [x["name"] for x in learned["excluded"]]},
                "allowed": number(len(one["allowed"])), "allowed_missed": number(len(missed)),
                "missed_names": {"text": listed(missed), "names": [x["name"] for x in missed]},
                "open": number(len(one["open"])), "open_learned": number(len(learned["open"])),
                "source": text(one["about"]["source"])})
    without = [v.title for v in atlas.runs.variants
               if not any(row["variant"]["text"] == v.title for row in rows)]
    return {"table": "theorems",
            "caption": "Theorems with the read-out of the variant, and what was learned: of the languages that a "
                       "theorem excludes, allows (it says that the model can recognize them) and leaves open.",
            "columns": [column("variant", "Variant", left=True), column("model", "Idealization", left=True),
                        column("theorem", "Theorem", left=True), column("readout", "Reads", left=True),
                        column("excluded", "Languages", "Excluded"),
                        column("excluded_learned", "Learned", "Excluded"),
                        column("excluded_always", "Always learned", "Excluded"),
                        column("excluded_names", "Which", "Excluded", left=True),
                        column("allowed", "Languages", "Allowed"),
                        column("allowed_missed", "Learned by no seed", "Allowed"),
                        column("missed_names", "Which", "Allowed", left=True),
                        column("open", "Languages", "Open"), column("open_learned", "Learned", "Open"),
                        column("source", "Source", left=True)],
            "rows": rows,
            "notes": [atlas.coverage(), f"Learned: by at least one seed, where {span(atlas)}. A theorem is about "
                      "an idealization at all lengths: a learned language that it excludes does not refute it."] +
                     ([f"No theorem that we know of applies to {'; '.join(without)}."] if without else [])}


def verdict_of(language, variant):
    """What theorems say of the pair: "excluded" if one does, else "allowed" if one does, else None."""
    verdicts = {VERDICTS.get(p["verdict"]) for p in facts_of.applying(language, variant)}
    return next((word for word in ("excluded", "allowed") if word in verdicts), None)


def disagreements(atlas):
    """The runs in which training and theory part, as (variant, language, run, verdict): a success although
    a theorem excludes the language, or none although one allows it."""
    return [(variant, language, run, verdict)
            for variant in atlas.runs.variants for language in atlas.trained(variant)
            for verdict in (verdict_of(language, variant),)
            for run in atlas.runs.of(language["name"], variant.key)
            if verdict is not None and run.success == (verdict == "excluded")]


def sentence_of(atlas, language, run):
    """What the network does, without the name of the language; None if nobody has looked."""
    row = atlas.extracted.get(run.about.get("model_sha256"))
    return row and row["sentence"].replace(f", {language['name']}", "")


def extracted_table(atlas):
    rows = []
    for variant, language, run, verdict in disagreements(atlas):
        if verdict != "excluded":
            continue
        sentence = sentence_of(atlas, language, run)
        alone = run.about.get("format_only")
        rows.append({"variant": text(variant.title), "language": text(language["pattern"]),
                     "name": text(language["name"]), "trial": number(run.trial),
                     "format": number(float(alone), 3) if alone else {},
                     "sentence": text(sentence or "not looked at")})
    return {"table": "extracted",
            "caption": "Learned although a theorem excludes it: what the network does instead, by the automaton "
                       "extracted from it.",
            "columns": [column("variant", "Variant", left=True), column("language", "Language", left=True),
                        column("name", "Name", left=True), column("trial", "Seed"),
                        column("format", "Format alone is right"),
                        column("sentence", "The network, on strings of up to "
                               f"{runs_of.TRAINED_TO} symbols", left=True)],
            "rows": rows,
            "notes": [atlas.coverage(), "Format alone: the share of the test strings on which the format that "
                      "all members have gives the right answer."]}


def listed(languages, most=6, quote=""):
    named = [quote + x["pattern"] + quote for x in languages[:most]]
    rest = len(languages) - len(named)
    return ", ".join(named) + (f" and {rest} more" if rest else "")


# ---- Invariants and success


def varying(languages):
    return [(key, title) for key, title, _ in facts_of.INVARIANTS
            if len({x["invariants"][key] for x in languages}) > 1]


MEASURES = {"success": "Share of seeds that succeed", "longest": "Accuracy at the longest bin"}


def measured(atlas, variant, measure):
    trained = atlas.trained(variant)
    if measure == "longest":
        return trained, [atlas.longest(x, variant) for x in trained]
    return trained, [atlas.successes(x, variant) / len(atlas.runs.of(x["name"], variant.key))
                     for x in trained]


def correlations(atlas, measure):
    """For each variant and invariant: the rank correlation, its interval, p, corrected p; and how often, of
    the resamples, an invariant is the one that predicts best."""
    found = []
    for variant in atlas.runs.variants:
        trained, outcome = measured(atlas, variant, measure)
        weights = stats.weights_of_resamples(len(trained), "atlas/resamples")
        resampled = []
        for key, title in varying(trained):
            invariant = [x["invariants"][key] for x in trained]
            drawn = stats.rank_correlations(np.asarray(invariant, float), np.asarray(outcome), weights)
            resampled.append(drawn)
            found.append({"variant": variant, "key": key, "title": title, "n": len(trained),
                          "rho": stats.rank_correlation(invariant, outcome),
                          "interval": stats.percentiles(drawn),
                          "p": stats.permutation_p(invariant, outcome, "atlas/permutations")})
        if resampled:
            strength = np.nan_to_num(np.abs(np.array(resampled)), nan=-1.0)
            # Equally strong ones, as two names of the same classes, count alike.
            best = (strength >= strength.max(0) - 1e-12) & (strength >= 0)
            for one, often in zip(found[-len(resampled):], best.mean(1)):
                one["best"] = float(often)
    for one, p in zip(found, stats.holm([one["p"] for one in found])):
        one["corrected"] = p
    return found


def correlations_table(atlas, measure, found):
    rows = []
    for one in found:
        mark = " *" if one["corrected"] is not None and one["corrected"] < LEVEL else ""
        rows.append({"variant": text(one["variant"].title), "invariant": text(one["title"]),
                     "n": number(one["n"]), "rho": within(one["rho"], one["interval"], 2, mark),
                     "p": p_value(one["p"]), "corrected": p_value(one["corrected"])})
    name = "correlations" if measure == "success" else "correlations-longest"
    return {"table": name, "caption": f"Spearman's rank correlation of an invariant with: {MEASURES[measure]}.",
            "columns": [column("variant", "Variant", left=True), column("invariant", "Invariant", left=True),
                        column("n", "Languages"), column("rho", "Correlation"), column("p", "p"),
                        column("corrected", "Corrected p")],
            "rows": rows, "notes": notes_of_tests(atlas, found)}


def notes_of_tests(atlas, found):
    made = sum(one["p"] is not None for one in found)
    constant = sorted({one["variant"].title for one in found if one["p"] is None})
    notes = [atlas.coverage(),
             f"In brackets 95 % intervals from {stats.RESAMPLES} resamples of languages; p of "
             f"{stats.PERMUTATIONS} permutations, corrected by Holm over {made} tests; * at a corrected p below "
             f"{LEVEL}. An invariant that is the same for all languages is left out."]
    if constant:
        notes.append(f"Without a correlation, as the outcome is the same for all languages: "
                     f"{'; '.join(constant)}.")
    return notes


def best_of(found, variant):
    some = [one for one in found if one["variant"] is variant and one["rho"] is not None]
    return max(some, key=lambda one: abs(one["rho"])) if some else None


def best_table(atlas, primary, secondary):
    rows = []
    for variant in atlas.runs.variants:
        row = {"variant": text(variant.title)}
        for measure, found in (("success", primary), ("longest", secondary)):
            one = best_of(found, variant)
            if one:
                mark = " *" if one["corrected"] < LEVEL else ""
                row |= {measure: text(one["title"]), f"{measure}_often": number(one["best"], 2),
                        f"{measure}_rho": within(one["rho"], one["interval"], 2, mark)}
        rows.append(row)
    columns = [column("variant", "Variant", left=True)]
    for measure, title in MEASURES.items():
        columns += [column(measure, "Invariant", title, left=True),
                    column(f"{measure}_rho", "Correlation", title),
                    column(f"{measure}_often", "Best in resamples", title)]
    return {"table": "best-invariant",
            "caption": "The invariant whose rank correlation is farthest from 0, and in what share of the "
                       "resamples of languages it is so (equal ones count alike).",
            "columns": columns, "rows": rows, "notes": notes_of_tests(atlas, primary)}


def regression_table(atlas):
    keys = varying(atlas.languages)
    rows = []
    for variant in atlas.runs.variants:
        trained = atlas.trained(variant)
        chosen = [i for i, (key, _, _) in enumerate(facts_of.INVARIANTS)
                  if key in dict(varying(trained))]
        successes = [atlas.successes(x, variant) for x in trained]
        trials = [len(atlas.runs.of(x["name"], variant.key)) for x in trained]
        row = {"variant": text(variant.title), "n": number(len(trained)),
               "successes": text(f"{sum(successes)} of {sum(trials)}")}
        enough = min(sum(k > 0 for k in successes),
                     sum(k < n for k, n in zip(successes, trials))) >= LEAST_OF_EACH
        if chosen and enough:
            x = stats.standardized(np.asarray(facts_of.regressors(trained))[:, chosen])
            seen = stats.logistic(x, successes, trials)[0]
            drawn = stats.logistic(x, successes, trials,
                                   stats.weights_of_resamples(len(trained), "atlas/resamples"))
            for slope, i in enumerate(chosen, 1):
                interval = stats.percentiles(drawn[:, slope])
                mark = " *" if interval and (interval[0] > 0 or interval[1] < 0) else ""
                row[facts_of.INVARIANTS[i][0]] = within(float(seen[slope]), interval, 2, mark)
        rows.append(row)
    return {"table": "regression",
            "caption": "One logistic regression per variant: by how much the log-odds of success change with one "
                       "standard deviation of an invariant, all others as they are.",
            "columns": [column("variant", "Variant", left=True), column("n", "Languages"),
                        column("successes", "Successes")] +
                       [column(key, title) for key, title in keys],
            "rows": rows,
            "notes": [atlas.coverage(), f"Ridge {stats.RIDGE:g}; in brackets 95 % intervals from "
                      f"{stats.RESAMPLES} resamples of languages; * does not contain 0, not corrected. Size of "
                      "the monoid and order of the group as logarithms. The invariants depend on each other: no "
                      f"slope is the effect of one. Variants with fewer than {LEAST_OF_EACH} languages with a success, or "
                      "with a failure, have none."]}


def summary_table(atlas, primary):
    """Numbers that the text of README.md refers to."""
    variants = atlas.runs.variants
    by_language = {x["name"]: [v.title for v in variants if atlas.learned(x, v)] for x in atlas.languages}
    trained = [x for x in atlas.languages
               if all(atlas.runs.of(x["name"], v.key) for v in variants)]
    nobody = [x for x in trained if not by_language[x["name"]]]
    everybody = [x for x in trained if len(by_language[x["name"]]) == len(variants)]
    alone = {v.title: sum(by_language[x["name"]] == [v.title] for x in trained) for v in variants}
    formats = {}
    for cell, some in atlas.runs.by_cell.items():
        known = some[0].about.get("format_only")
        if known:
            formats[cell[0]] = float(known)
    rows = [("Languages", len(atlas.languages)), ("Variants", len(variants)),
            ("Whole seeds" if atlas.is_whole() else "Seeds, none of them whole", len(atlas.runs.trials)),
            ("Runs", atlas.count()),
            ("Core hours", round(sum(float(run.about.get("cpu_seconds") or 0)
                                     for some in atlas.runs.by_cell.values() for run in some) / 3600, 1)),
            ("Languages that every variant learned", len(everybody)),
            ("Languages that no variant learned", len(nobody)),
            ("Languages on whose test set the format alone is right", sum(x == 1 for x in formats.values()))]
    rows += [(f"Languages that only one variant learned: {title}", n) for title, n in alone.items() if n]
    return {"table": "summary", "caption": "The atlas in numbers.",
            "columns": [column("what", "What", left=True), column("value", "Number")],
            "rows": [{"what": text(what), "value": number(value, 1 if what == "Core hours" else 0)}
                     for what, value in rows],
            "notes": ["- " + sentence for sentence in
                      [atlas.coverage() + f" Learned: by at least one seed, where {span(atlas)}.",
                       *(findings(atlas, primary) if atlas.is_whole() else [])]] +
                     ([f"- No variant learned {listed(nobody, 12, '`')}."] if nobody else [])}


def findings(atlas, primary):
    """What was found, in sentences that the tables carry."""
    learned = [(sum(atlas.learned(x, v) for x in atlas.trained(v)), len(atlas.trained(v)), v.title)
               for v in atlas.runs.variants]
    most, least = max(one[0] / one[1] for one in learned), min(one[0] / one[1] for one in learned)
    ends = [", ".join(f"{title} ({n} of {m})" for n, m, title in learned if n / m == end)
            for end in (most, least)]
    pairs = {"excluded": [], "allowed": [], None: []}
    for variant in atlas.runs.variants:
        for x in atlas.trained(variant):
            pairs[verdict_of(x, variant)].append((x, variant))
    found = {kind: sum(atlas.learned(x, v) for x, v in some) for kind, some in pairs.items()}
    always = sum(atlas.always(x, v) for x, v in pairs["excluded"])
    counts = {}
    for variant in atlas.runs.variants:
        one = best_of(primary, variant)
        if one and one["corrected"] < LEVEL:
            counts.setdefault(one["title"], []).append(variant.title)
    sentences = [
        f"Most languages are learned by {ends[0]}" +
        (f", fewest by {ends[1]}." if most > least else ": all alike."),
        f"Of {len(pairs['excluded'])} pairs of a variant and a language that a theorem excludes, "
        f"{found['excluded']} were learned all the same, {always} by all seeds; of {len(pairs['allowed'])} that "
        f"a theorem allows and none excludes, {len(pairs['allowed']) - found['allowed']} were learned by no seed."]
    sentences.append("The invariant that predicts success best, where its correlation is shown: " + "; ".join(
        f"{title} for {', '.join(names)}" for title, names in counts.items()) + "." if counts else
        "No rank correlation of success with an invariant is shown.")
    return sentences


def tables_of(atlas):
    primary, secondary = correlations(atlas, "success"), correlations(atlas, "longest")
    return [summary_table(atlas, primary), success_table(atlas), groups_table(atlas), theorems_table(atlas),
            extracted_table(atlas),
            correlations_table(atlas, "success", primary),
            correlations_table(atlas, "longest", secondary), best_table(atlas, primary, secondary),
            regression_table(atlas)]


def as_reported(table):
    """As `flare report --tables` reads it: a cell is a text, or a number with its decimals."""
    rows = [{key: text(cell["text"]) if "text" in cell else cell for key, cell in row.items()
             if any(key == column["key"] for column in table["columns"])} for row in table["rows"]]
    return {**table, "rows": rows}


def dump(document, path):
    path.write_text(json.dumps(document, ensure_ascii=False, indent=1, allow_nan=False) + "\n",
                    encoding="utf-8")


def values_of(tables):
    """Of every table the rows, and of a cell all that is known."""
    return {table["table"]: [{key: {k: v for k, v in cell.items() if k != "decimals"}
                              for key, cell in row.items()} for row in table["rows"]]
            for table in tables}


def load(runs_csv, flare):
    runs = runs_of.read(runs_csv)
    return Atlas(runs, [facts_of.facts(flare, name) for name in runs.languages],
                 read_marked(HERE / "marked.txt"),
                 runs_of.read_extracted(HERE / "extracted.csv"))


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", metavar="RUNS.csv", type=pathlib.Path)
    parser.add_argument("--flare", metavar="FLARE", required=True)
    parser.add_argument("--to", metavar="DIR", type=pathlib.Path, required=True)
    options = parser.parse_args(arguments)
    try:
        atlas = load(options.runs, options.flare)
        options.to.mkdir(parents=True, exist_ok=True)
        for table in tables_of(atlas):
            dump(as_reported(table), options.to / f"{table['table']}.json")
    except (OSError, ValueError) as error:
        print(f"analysis.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
