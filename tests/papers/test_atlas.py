"""results/atlas: its statistics on known cases, its tables on made-up runs, its map. What asks the program
about languages needs FLARE in the environment, its path."""

import csv
import itertools
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

import numpy as np

SOURCE = pathlib.Path(__file__).resolve().parents[2]
ATLAS = SOURCE / "results" / "atlas"
sys.path.insert(0, str(ATLAS))
sys.dont_write_bytecode = True

import analysis  # noqa: E402
import drawing  # noqa: E402
import languages as facts_of  # noqa: E402
import runs as runs_of  # noqa: E402
import stats  # noqa: E402

FLARE = os.environ.get("FLARE")
BINS = ((0, 40), (41, 100), (101, 500))


def logit(p):
    return math.log(p / (1 - p))


class Statistics(unittest.TestCase):
    def test_wilson_bounds_solve_the_score_equation(self):
        # The shares p of which the one seen is z of their own deviations away.
        for successes, n in ((81, 263), (15, 148), (1, 29), (5, 5), (0, 20)):
            for p in stats.wilson(successes, n):
                away = stats.Z**2 * p * (1 - p) / n
                self.assertAlmostEqual((successes / n - p)**2, away if 0 < p < 1 else 0)
        self.assertAlmostEqual(stats.wilson(0, 20)[1], stats.Z**2 / (20 + stats.Z**2))
        self.assertIsNone(stats.wilson(0, 0))
        self.assertEqual(stats.wilson(20, 20)[1], 1)

    def test_holm_by_hand(self):
        for ours, expected in zip(stats.holm([0.01, 0.04, None, 0.03, 0.005]),
                                  [0.03, 0.06, None, 0.06, 0.02]):
            self.assertEqual(ours is None, expected is None)
            self.assertAlmostEqual(ours or 0, expected or 0)

    def test_rank_correlation_by_hand(self):
        # Ranks 1, 2½, 2½, 4 and 1, 3, 2, 4.
        self.assertAlmostEqual(stats.rank_correlation([1, 2, 2, 3], [1, 3, 2, 4]),
                               4.5 / math.sqrt(4.5 * 5))
        self.assertIsNone(stats.rank_correlation([1, 1], [1, 2]))

    def test_a_weight_is_a_repetition(self):
        a, b, weights = [3.0, 1, 2, 2, 5], [0.0, 1, 1, 0, 1], [2, 0, 3, 1, 1]
        repeated = [sum(([x] * w for x, w in zip(values, weights)), []) for values in (a, b)]
        ours = stats.rank_correlations(np.array(a), np.array(b), np.array([weights], float))[0]
        self.assertAlmostEqual(ours, stats.rank_correlation(*repeated))
        x = np.array(a)[:, None]
        weighted = stats.logistic(x, b, np.ones(5), np.array([weights], float))[0]
        plain = stats.logistic(np.array(repeated[0])[:, None], repeated[1], np.ones(7))[0]
        np.testing.assert_allclose(weighted, plain, atol=1e-7)

    def test_permutations_are_near_the_count(self):
        a, b = [1, 2, 3, 4, 5, 6], [1, 3, 2, 5, 4, 6]
        seen = abs(stats.rank_correlation(a, b))
        exact = np.mean([abs(stats.rank_correlation(a, deal)) >= seen - 1e-9
                         for deal in itertools.permutations(b)])
        error = math.sqrt(exact / stats.PERMUTATIONS)
        self.assertAlmostEqual(stats.permutation_p(a, b, "test"), exact, delta=4 * error + 1e-4)
        self.assertIsNone(stats.permutation_p(a, [1] * 6, "test"))

    def test_resamples_have_as_many_units(self):
        weights = stats.weights_of_resamples(7, "test")
        self.assertEqual(weights.shape, (stats.RESAMPLES, 7))
        self.assertTrue((weights.sum(1) == 7).all())
        self.assertAlmostEqual(float(weights.mean()), 1, delta=1e-9)
        self.assertTrue(0.1 < (weights == 0).mean() - 0.2 < 0.2)  # (6/7)⁷ is 0.34

    def test_an_interval_needs_values(self):
        values = np.arange(2000.0)
        self.assertEqual(stats.percentiles(values), (50, 1949))
        values[:99] = np.nan
        self.assertIsNotNone(stats.percentiles(values))
        values[:101] = np.nan
        self.assertIsNone(stats.percentiles(values))

    def test_regression_on_a_table_of_four(self):
        # 3 of 10 where x = 0, 8 of 10 where x = 1: the slope is the logarithm of the odds ratio.
        beta = stats.logistic([[0], [1]], [3, 8], [10, 10], ridge=0)[0]
        np.testing.assert_allclose(beta, [logit(0.3), logit(0.8) - logit(0.3)], atol=1e-9)

    def test_regression_is_where_the_gradient_vanishes(self):
        random = stats.random_stream("test/regression")
        x = random.standard_normal((60, 3))
        trials = random.randint(1, 4, 60)
        successes = np.minimum(random.randint(0, 4, 60), trials)
        beta = stats.logistic(x, successes, trials, ridge=2.0)[0]
        residual = successes - trials / (1 + np.exp(-(beta[0] + x @ beta[1:])))
        self.assertAlmostEqual(residual.sum(), 0, places=5)
        np.testing.assert_allclose(x.T @ residual, 2.0 * beta[1:], atol=1e-6)

    def test_regression_of_classes_that_x_separates(self):
        beta = stats.logistic([[-1]] * 20 + [[1]] * 20, [0] * 20 + [1] * 20, [1] * 40)[0]
        self.assertAlmostEqual(beta[0], 0, places=6)
        # 40 (1 - p) = β where p is the logistic function of β
        self.assertAlmostEqual(40 / (1 + math.exp(beta[1])), beta[1], places=6)


def language(name, group="star-free", star_free=True, verdict=None, **invariants):
    """Facts like those of languages.facts; with a verdict, one theorem about the transformer that reads
    after the string."""
    theorem = {"architecture": "transformer", "options": {"mask": "strict"}, "model": "m", "theorem": "t",
               "direction": "exact", "readout": "eos", "precision": "p", "source": "s",
               "verdict": verdict}
    return {"name": name, "pattern": name + "*", "known_as": None, "alphabet": ["a", "b"],
            "targets": [[0, 1], [1, 0]], "accepting": [0], "classes": ["group"], "circuit_class": "AC0",
            "group": group, "holds": ["star_free"] if star_free else [],
            "invariants": {"states": 2, "monoid": 2, "group_order": 1 if star_free else 2, "solvable": 1,
                           "r_trivial": 0, "star_free": int(star_free), "sensitivity": 1.0,
                           **invariants},
            "theorems": {"eos": [theorem] if verdict else [],
                         "last": [{**theorem, "verdict": "other_readout"}] if verdict else []}}


STRICT = {"variant": "transformer,mask=strict,readout=eos", "architecture": "transformer", "readout": "eos",
          "mask": "strict"}
LAST = {"variant": "transformer,mask=strict", "architecture": "transformer", "readout": "last",
        "mask": "strict"}
RNN = {"variant": "rnn", "architecture": "rnn"}


def row(language, variant=RNN, trial=1, accuracies=(1, 1, 1), state="finished", left_out=""):
    values = {f"test-{low}-{high}_accuracy": "" if accuracies is None else str(accuracies[i])
              for i, (low, high) in enumerate(BINS)}
    sizes = {f"test-{low}-{high}_examples": "100" for low, high in BINS}
    return {"language": language, "readout": "", "mask": "", "positions": "", "eigenvalues": "",
            **variant, "trial": str(trial), "state": state, "left_out": left_out,
            "cpu_seconds": "3600", "format_only": "0.5",
            # As in a report: by name, not by length.
            **dict(sorted({**values, **sizes}.items()))}


def read(rows):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "runs.csv")
        with open(path, "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
        return runs_of.read(path)


def atlas_of(rows, languages, marked=()):
    return analysis.Atlas(read(rows), languages, marked)


class Reading(unittest.TestCase):
    def test_bins_are_in_the_order_of_lengths(self):
        self.assertEqual(read([row("x")]).bins, list(BINS))

    def test_success_is_every_string_of_every_bin(self):
        for accuracies, bins in (((1, 1, 1), 3), ((1, 0.999, 1), 1), ((0.99, 1, 1), 0), ((1, 1, 0.5), 2)):
            run, = read([row("x", accuracies=accuracies)]).of("x", "rnn")
            self.assertEqual((run.success, run.perfect_bins), (bins == 3, bins))

    def test_runs_that_do_not_count(self):
        runs = read([row("x"), row("x", trial=2, left_out="1"), row("y", state="failed"),
                     row("y", state="waiting"), row("z", state="diverged", accuracies=None)])
        self.assertEqual((runs.languages, runs.trials, runs.partial), (["x", "z"], [1], [2]))
        self.assertEqual(runs.of("z", "rnn")[0].accuracies, [0.5] * 3)
        self.assertFalse(runs.of("z", "rnn")[0].success)

    def test_what_is_wrong_is_named(self):
        for rows, fault in (([row("x"), row("x")], "x/rnn/1 is there twice"),
                            ([row("x", accuracies=None)], "x/rnn/1 is finished and has no accuracy"),
                            ([row("x", state="waiting")], "no run is done"),
                            ([{"language": "x"}], "no column architecture"),
                            ([{k: v for k, v in row("x").items() if "test-" not in k}], "bins")):
            with self.assertRaisesRegex(ValueError, fault):
                read(rows)

    def test_what_is_kept_is_enough(self):
        runs = read([row("x"), row("x", STRICT, 1, (1, 0.25, 0)), row("x", trial=2, left_out="1")])
        with tempfile.TemporaryDirectory() as folder:
            runs_of.write_kept(runs, pathlib.Path(folder, "kept.csv"))
            again = runs_of.read(pathlib.Path(folder, "kept.csv"))
        self.assertEqual([v.key for v in runs.variants], [v.key for v in again.variants])
        for key in ("rnn", STRICT["variant"]):
            self.assertEqual([run.accuracies for run in runs.of("x", key)],
                             [run.accuracies for run in again.of("x", key)])
        self.assertEqual((again.trials, again.partial), ([1], [2]))

    def test_titles_tell_variants_apart(self):
        rows = [row("x", STRICT), row("x", LAST), row("x"),
                row("x", {**RNN, "variant": "rnn,layers=1"})]
        titles = [v.title for v in read(rows).variants]
        self.assertEqual(titles, ["Simple RNN (rnn)", "Simple RNN (rnn,layers=1)",
                                  "Transformer, sinusoidal, strict mask",
                                  "Transformer, sinusoidal, strict mask, end symbol"])


class Tables(unittest.TestCase):
    def test_a_theorem_counts_for_its_read_out_and_options_only(self):
        x = language("x", verdict="excluded")
        runs = read([row("x", STRICT), row("x", LAST), row("x")])
        said = {v.key: len(facts_of.applying(x, v)) for v in runs.variants}
        self.assertEqual(said, {STRICT["variant"]: 1, LAST["variant"]: 0, "rnn": 0})
        causal = read([row("x", {**STRICT, "mask": "causal"})]).variants[0]
        self.assertEqual(facts_of.applying(x, causal), [])

    def test_theorems_by_hand(self):
        languages = [language("a", verdict="excluded"), language("b", verdict="excluded"),
                     language("c", verdict="excluded"), language("d", verdict="recognized"),
                     language("e", verdict="recognized"), language("f", verdict="no_verdict")]
        bad = (1, 0.9, 0.9)
        rows = []
        for name, first, second in (("a", (1, 1, 1), (1, 1, 1)), ("b", bad, (1, 1, 1)), ("c", bad, bad),
                                    ("d", bad, bad), ("e", (1, 1, 1), bad), ("f", (1, 1, 1), bad)):
            rows += [row(name, STRICT, 1, first), row(name, STRICT, 2, second)]
        table = analysis.theorems_table(atlas_of(rows, languages))
        one, = table["rows"]
        expected = {"excluded": 3, "excluded_learned": 2, "excluded_always": 1, "allowed": 2,
                    "allowed_missed": 1, "open": 1, "open_learned": 1}
        self.assertEqual({key: one[key]["value"] for key in expected}, expected)
        self.assertEqual((one["excluded_names"]["names"], one["missed_names"]["names"]),
                         (["a", "b"], ["d"]))
        summary = analysis.summary_table(atlas_of(rows, languages), [])
        self.assertIn("- Of 3 pairs of a variant and a language that a theorem excludes, 2 were learned all "
                      "the same, 1 by all seeds; of 2 that a theorem allows and none excludes, 1 were "
                      "learned by no seed.", summary["notes"])

    def test_what_networks_do_where_theory_and_training_part(self):
        languages = [language("a", verdict="excluded"), language("b", verdict="excluded"),
                     language("c", verdict="recognized"), language("d", verdict="no_verdict")]
        bad = (1, 0.9, 0.9)
        rows = [{**row(name, STRICT, trial, accuracies), "model_sha256": f"{name}{trial}"}
                for name, trial, accuracies in (("a", 1, (1, 1, 1)), ("a", 2, bad), ("b", 1, bad), ("b", 2, bad),
                                                ("c", 1, bad), ("c", 2, (1, 1, 1)), ("d", 1, bad),
                                                ("d", 2, (1, 1, 1)))]
        looked = {"a1": {"sentence": "2 states; differs from the target, a: it accepts b."}}
        atlas = analysis.Atlas(read(rows), languages, extracted=looked)
        self.assertEqual([(x["name"], run.trial, verdict)
                          for _, x, run, verdict in analysis.disagreements(atlas)],
                         [("a", 1, "excluded"), ("c", 1, "allowed")])
        one, = analysis.extracted_table(atlas)["rows"]
        self.assertEqual(one["sentence"]["text"], "2 states; differs from the target: it accepts b.")
        self.assertIn("it accepts b", drawing.page(atlas))

    def test_extractions_are_read_as_they_were_written(self):
        rows = {key: {"language": "a", "variant": "rnn,layers=1", "trial": trial, "model_sha256": key,
                      "sentence": 'it accepts "x", and y'} for key, trial in (("f", "10"), ("e", "9"))}
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "extracted.csv")
            self.assertEqual(runs_of.read_extracted(path), {})
            runs_of.write_extracted(rows, path)
            self.assertEqual(runs_of.read_extracted(path), rows)
            self.assertEqual(list(runs_of.read_extracted(path)), ["e", "f"])
            path.write_text("language\nx\n", encoding="utf-8")
            with self.assertRaisesRegex(ValueError, "columns are not"):
                runs_of.read_extracted(path)

    def test_successes_by_hand(self):
        rows = [row("a"), row("a", trial=2, accuracies=(1, 1, 0.7)), row("b"), row("b", trial=2),
                row("c", accuracies=(1, 0.5, 0.5)), row("c", trial=2, accuracies=(1, 0.5, 0.6))]
        atlas = atlas_of(rows, [language(x) for x in "abc"], marked=["b"])
        one, = analysis.success_table(atlas)["rows"]
        self.assertEqual([(one[key]["value"], one[key]["n"]) for key in ("learned", "always", "unmarked")],
                         [(2, 3), (1, 3), (1, 2)])
        self.assertEqual(one["runs"]["text"], "3 of 6")
        self.assertAlmostEqual(one["longest"]["value"], (1 + 0.7 + 1 + 1 + 0.5 + 0.6) / 6)

    def test_the_invariant_that_decides_predicts_best(self):
        languages, rows = [], []
        for i in range(40):
            # A third is star-free and learned; the size of the monoid has nothing to do with it.
            languages.append(language(f"l{i}", star_free=i % 3 == 0, monoid=2 + i % 4))
            rows.append(row(f"l{i}", accuracies=(1, 1, 1 if i % 3 == 0 else 0.5)))
        atlas = atlas_of(rows, languages)
        found = analysis.correlations(atlas, "success")
        self.assertEqual([one["key"] for one in found], ["monoid", "group_order", "star_free"])
        self.assertAlmostEqual(found[2]["rho"], 1)
        self.assertAlmostEqual(found[1]["rho"], -1)
        self.assertEqual((found[2]["best"], found[0]["best"]), (1, 0))
        self.assertLess(found[2]["corrected"], 0.001)
        self.assertGreater(found[0]["corrected"], 0.05)
        one, = analysis.regression_table(atlas)["rows"]
        self.assertGreater(one["star_free"]["low"], 0)
        self.assertLess(one["monoid"]["low"], 0)
        self.assertGreater(one["monoid"]["high"], 0)

    def test_no_regression_from_few_successes(self):
        for learned, made in ((9, False), (10, True), (30, True), (31, False)):
            languages = [language(f"l{i}", star_free=i % 2 == 0) for i in range(40)]
            rows = [row(f"l{i}", accuracies=(1, 1, 1 if i < learned else 0.5)) for i in range(40)]
            one, = analysis.regression_table(atlas_of(rows, languages))["rows"]
            self.assertEqual("star_free" in one, made, learned)

    def test_whole_and_partial_seeds_are_told(self):
        languages = [language("a"), language("b")]
        whole = atlas_of([row("a"), row("b"), row("a", trial=2, left_out="1")], languages)
        self.assertTrue(whole.is_whole())
        self.assertIn("Seeds 2 are not whole", whole.coverage())
        partial = atlas_of([row("a"), row("b"), row("a", STRICT)], languages)
        self.assertFalse(partial.is_whole())
        notes = analysis.summary_table(partial, [])["notes"]
        self.assertIn("nothing can be concluded", notes[0])
        self.assertEqual([note for note in notes if "Most languages" in note], [])
        for table in analysis.tables_of(partial):
            analysis.markdown(table)
        drawing.page(partial)
        drawing.picture(partial)

    def test_tables_are_those_of_reports(self):
        languages = [language(f"l{i}", star_free=i % 2 == 0, verdict="excluded") for i in range(4)]
        atlas = atlas_of([row(f"l{i}", STRICT, accuracies=(1, 1, i % 2)) for i in range(4)], languages)
        for table in analysis.tables_of(atlas):
            keys = {column["key"] for column in table["columns"]}
            for cells in analysis.as_reported(table)["rows"]:
                self.assertLessEqual(set(cells), keys)
                for cell in cells.values():
                    self.assertIn(set(cell), ({"text"}, {"value", "decimals"}, set()))
        self.assertIn("| l0\\* |", analysis.markdown(
            {"caption": "", "columns": [analysis.column("a", "A")], "rows": [{"a": {"text": "l0*"}}],
             "notes": []}))


class Map(unittest.TestCase):
    def setUp(self):
        self.languages = [language(f"l{i}", facts_of.CHAIN[i % 8][0]) for i in range(30)]
        rows = [row(f"l{i}", variant, trial, (1, 1, i % 2))
                for i in range(30) for variant in (RNN, STRICT) for trial in (1, 2)]
        self.atlas = atlas_of(rows, self.languages, marked=["l3"])

    def test_the_page_needs_nothing_else(self):
        page = drawing.page(self.atlas)
        self.assertNotIn("@DATA@", page)
        self.assertNotIn("@LIGHT@", page)
        addresses = set(re.findall(r"https?://[^\"' ]+", page)) - {"http://www.w3.org/2000/svg"}
        self.assertEqual(addresses, set())
        for forbidden in ("<link", "src=", "@import", "fetch(", "XMLHttpRequest"):
            self.assertNotIn(forbidden, page)

    def test_the_page_has_every_run(self):
        page = drawing.page(self.atlas)
        data = json.loads(re.search(r'type="application/json">(.*?)</script>', page, re.S).group(1))
        self.assertEqual(len(data["languages"]), 30)
        self.assertEqual([x["name"] for x in data["languages"] if x["marked"]], ["l3"])
        for x in data["languages"]:
            expected = 1 if int(x["name"][1:]) % 2 else [1, 1, 0]
            self.assertEqual(x["runs"], [[expected] * 2] * 2)
        self.assertEqual([v["title"] for v in data["variants"]],
                         [v.title for v in self.atlas.runs.variants])

    def test_text_of_languages_cannot_end_the_script(self):
        self.languages[0]["pattern"] = "</script><b>"
        self.assertNotIn("</script><b>", drawing.page(self.atlas))

    def test_a_rare_mistake_is_not_perfect(self):
        self.assertEqual(drawing.rounded([1, 0.99999]), [1, 0.9999])
        self.assertEqual(drawing.rounded([1, 1]), 1)

    def test_the_picture_has_a_square_per_language_and_variant(self):
        picture = drawing.picture(self.atlas)
        root = xml.etree.ElementTree.fromstring(picture)
        paths = [e.get("d") for e in root.iter() if e.tag.endswith("path")]
        self.assertEqual(sum(d.count("M") for d in paths), 60)
        self.assertEqual(picture.count("perfect on 15 of 30"), 2)

    def test_a_language_has_one_place_and_a_place_one_language(self):
        cells, _, rows = drawing.places(self.atlas.languages)
        self.assertEqual(len({(c, r) for c, r, _ in cells}), 30)
        self.assertLess(max(r for _, r, _ in cells), rows)

    def test_steps_are_told_apart_in_grey(self):
        for colours, sign in ((drawing.LIGHT, -1), (drawing.DARK, 1)):
            for steps in (6, 7, 11, 14):
                shades = [sign * drawing.luminance(c) for c in drawing.ramp(colours, steps)]
                self.assertEqual(shades, sorted(shades))
        for colour in drawing.ramp(drawing.LIGHT, 11) + drawing.ramp(drawing.DARK, 11):
            lighter, darker = sorted((drawing.luminance(colour),
                                      drawing.luminance(drawing.on(colour))), reverse=True)
            self.assertGreater((lighter + 0.05) / (darker + 0.05), 4.5, colour)


class Languages(unittest.TestCase):
    def test_sensitivity_is_what_enumeration_gives(self):
        automata = [([[0, 1], [1, 0]], {0}), ([[0, 1], [2, 0], [2, 2]], {0}), ([[0, 1], [0, 2], [1, 0]], {1, 2})]
        for targets, accepting in automata:
            def member(word):
                state = 0
                for symbol in word:
                    state = targets[state][symbol]
                return state in accepting

            for length in (1, 4, 7):
                changes = sum(member(w) != member((*w[:i], 1 - w[i], *w[i + 1:]))
                              for w in itertools.product((0, 1), repeat=length) for i in range(length))
                self.assertAlmostEqual(facts_of.sensitivity(targets, accepting, length),
                                       changes / 2**length)
        self.assertEqual(facts_of.sensitivity(*automata[0], 40), 40)

    def test_automata_get_a_sink_and_begin_in_0(self):
        automaton = {"states": 2, "start": 1, "accepting": [0],
                     "transitions": [{"from": 1, "symbol": "a", "to": 0}, {"from": 0, "symbol": "b", "to": 1}]}
        self.assertEqual(facts_of.complete(automaton, ["a", "b"]),
                         ([[1, 2], [2, 0], [2, 2]], {1}))

    def test_the_first_class_of_the_chain(self):
        keys = ("j_trivial", "r_trivial", "c_rasp", "c_rasp_last", "star_free", "ac0")
        for i, (group, _, _) in enumerate(facts_of.CHAIN[:6]):
            self.assertEqual(facts_of.group_of({key: j >= i for j, key in enumerate(keys)}, []), group)
        nothing = dict.fromkeys(keys, False)
        self.assertEqual(facts_of.group_of(nothing, [{"abelian": True}]), "abelian")
        self.assertEqual(facts_of.group_of(nothing, [{"abelian": True}, {"abelian": False}]), "solvable")

    def test_the_rule_has_the_groups_of_the_map(self):
        rule = (ATLAS / "RULE.md").read_text(encoding="utf-8")
        table = rule[rule.index("## Groups of the map"):rule.index("## What is not claimed")]
        counts = [int(n) for n in re.findall(r"\| (\d+) \|$", table, re.M)]
        self.assertEqual((len(counts), sum(counts)), (len(facts_of.CHAIN), 264))

    def test_marked_languages_are_those_of_the_pilot(self):
        pilot = (ATLAS / "pilot.toml").read_text(encoding="utf-8")
        named = re.findall(r'"(small:\d:\d+)"', re.search(r"^languages = .*$", pilot, re.M).group())
        self.assertEqual(sorted(analysis.read_marked(ATLAS / "marked.txt")), sorted(named))


@unittest.skipUnless(FLARE, "FLARE is not set")
class WithTheProgram(unittest.TestCase):
    def test_facts_of_known_languages(self):
        parity = facts_of.facts(FLARE, "small:2:5")
        self.assertEqual((parity["group"], parity["known_as"], parity["invariants"]["sensitivity"],
                          parity["invariants"]["group_order"]), ("abelian", "not parity", 40, 2))
        # ~(a*b): no sink is left out
        self.assertEqual(facts_of.facts(FLARE, "small:3:216")["group"], "j-trivial")
        with self.assertRaisesRegex(ValueError, "small:9:9"):
            facts_of.facts(FLARE, "small:9:9")

    def test_one_command_makes_all_and_the_same_again(self):
        names = ("small:2:5", "small:2:7", "small:3:79", "small:3:841")
        rows = [row(name, variant, trial, (1, 1, 1 if i % 2 else 0.75))
                for i, name in enumerate(names) for variant in (RNN, STRICT) for trial in (1, 2)]
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            with open(folder / "runs.csv", "w", newline="", encoding="utf-8") as file:
                writer = csv.DictWriter(file, list(rows[0]))
                writer.writeheader()
                writer.writerows(rows)
            for source, to in (("runs.csv", "a"), ("a/runs.csv", "b")):
                done = subprocess.run([ATLAS / "make", FLARE, folder / source, folder / to],
                                      capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, done.stderr)
            files = sorted(p.relative_to(folder / "a") for p in (folder / "a").rglob("*") if p.is_file())
            self.assertEqual(len(files), 4 + 9)
            for name in files:
                self.assertEqual((folder / "a" / name).read_bytes(), (folder / "b" / name).read_bytes())
            done = subprocess.run([ATLAS / "make", FLARE, folder / "none.csv", folder / "c"],
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, 1)
            self.assertIn("none.csv", done.stderr)


if __name__ == "__main__":
    unittest.main()
