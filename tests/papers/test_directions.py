"""papers/directions.py, and that every paper's published.json states what it should."""

import csv
import importlib.util
import io
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
PAPERS = SOURCE / "papers"

spec = importlib.util.spec_from_file_location("directions", PAPERS / "directions.py")
directions = importlib.util.module_from_spec(spec)
sys.modules["directions"] = directions
spec.loader.exec_module(directions)


def run(accuracy, variant="a", language="parity", state="finished", left_out=""):
    return {"language": language, "variant": variant, "state": state, "left_out": left_out,
            "test_accuracy": str(accuracy)}


def direction(**others):
    return {"statement": "a is above b", "source": "Table 1", "metric": "test_accuracy",
            "languages": ["parity"], "first": {"variant": "a"}, "relation": "above",
            "second": {"variant": "b"}, **others}


def rows_of(rows, **others):
    return directions.table_of([direction(**others)], rows, "p.json")["rows"]


class Directions(unittest.TestCase):
    def test_means_counts_and_pairs_by_hand(self):
        rows = [run(0.9), run(0.7), run(0.8, "b"), run(0.5, "b"), run(0.7, "b")]
        row, = rows_of(rows)
        self.assertAlmostEqual(row["first"]["value"], 0.8)
        self.assertAlmostEqual(row["second"]["value"], 2 / 3)
        self.assertEqual((row["first_n"]["value"], row["second_n"]["value"]), (2, 3))
        # 0.9 beats three, 0.7 beats one and ties with one.
        self.assertAlmostEqual(row["beats"]["value"], 4.5 / 6)
        self.assertEqual(row["verdict"]["text"], "agrees")
        self.assertEqual(rows_of(rows, relation="below")[0]["verdict"]["text"], "contradicts")

    def test_numbers_and_bounds_that_are_met(self):
        for relation, bound, verdict in (("at least", 0.9, "agrees"), ("above", 0.9, "equal"),
                                         ("at most", 0.9, "agrees"), ("below", 0.9, "equal"),
                                         ("at least", 0.91, "contradicts"), ("below", 1, "agrees")):
            row, = rows_of([run(0.9)], relation=relation, second=bound)
            self.assertEqual(row["verdict"]["text"], verdict, (relation, bound))
            self.assertEqual(row["beats"], {})

    def test_the_best_setting_and_the_highest_run(self):
        rows = [run(0.9), run(0.5), run(0.8, "b"), run(0.7, "b"), run(0.1, language="first")]
        for of, n, value in (("all", 4, 0.725), ("best setting", 2, 0.75), ("highest run", 1, 0.9)):
            row, = rows_of(rows, first={}, relation="at least", second=0.72, of=of)
            self.assertEqual(row["first_n"]["value"], n, of)
            self.assertAlmostEqual(row["first"]["value"], value)
        with self.assertRaisesRegex(ValueError, "of 'most'; expected one of all, best setting"):
            rows_of(rows, of="most")

    def test_runs_that_do_not_count(self):
        rows = [run(0.9), run(0.1, left_out="trial"), run(0.2, state="failed"), run("", state="waiting"),
                run(0.3, language="first"), run(0.5, "b")]
        self.assertEqual(rows_of(rows)[0]["first_n"]["value"], 1)
        self.assertEqual(rows_of(rows, languages=["dyck"])[0]["verdict"]["text"], "no runs yet")
        every = direction()
        del every["languages"]
        row, = directions.table_of([every], rows, "p")["rows"]
        self.assertEqual((row["language"]["text"], row["first_n"]["value"]), ("all", 2))

    def test_what_is_wrong_is_named(self):
        for others, word in (({"relation": "beats"}, "beats"), ({"source": ""}, "empty"),
                             ({"first": 0.5}, "first"), ({"frist": {}}, "frist"),
                             ({"metric": "accuracy"}, "no column accuracy"),
                             ({"first": {"layer": "1"}}, "no column layer")):
            with self.assertRaisesRegex(ValueError, word):
                rows_of([run(0.9)], **others)
        lacking = direction()
        del lacking["source"]
        with self.assertRaisesRegex(ValueError, "lacks source"):
            directions.table_of([lacking], [run(0.9)], "p")

    def test_as_a_program(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            text = io.StringIO()
            writer = csv.DictWriter(text, run(0).keys())
            writer.writeheader()
            writer.writerows([run(0.9), run(0.5, "b")])
            (folder / "runs.csv").write_text(text.getvalue())
            (folder / "published.json").write_text(json.dumps({"directions": [direction()]}))
            (folder / "none.json").write_text("{}")
            for published, code in (("published.json", 0), ("none.json", 1), ("missing.json", 1)):
                done = subprocess.run([sys.executable, PAPERS / "directions.py", folder / published,
                                       folder / "runs.csv", "--to", folder / "tables"],
                                      capture_output=True, text=True)
                self.assertEqual(done.returncode, code, done.stderr)
                self.assertEqual(published in done.stderr, code == 1)
            table = json.loads((folder / "tables/directions.json").read_text())
            self.assertEqual(table["notes"][0], "Of 1 comparisons: agrees: 1.")


class Papers(unittest.TestCase):
    def test_each_folder_has_its_files_and_every_statement_a_source(self):
        folders = [f for f in PAPERS.iterdir() if f.is_dir() and f.name != "__pycache__"]
        self.assertGreaterEqual(len(folders), 8)
        for folder in folders:
            readme = (folder / "README.md").read_text(encoding="utf-8")
            self.assertIn("sweep run", readme + "sweep run" * (folder.name == "butoi-2025"))
            published = json.loads((folder / "published.json").read_text(encoding="utf-8"))
            self.assertTrue(published["version"] and published["paper"])
            for i, one in enumerate(published.get("directions", [])):
                directions.check(one, f"{folder.name}: directions[{i}]")
            self.assertTrue(published["values"] or published.get("directions")
                            or published.get("languages"), folder)

    def test_grids_are_named_like_their_folders(self):
        for folder in PAPERS.iterdir():
            if (folder / "grid.toml").exists() and folder.name != "butoi-2025":
                self.assertIn(f'\nname = "{folder.name}"\n',
                              (folder / "grid.toml").read_text(encoding="utf-8"))

    def test_the_suite_of_2608_13433_becomes_a_grid(self):
        make = PAPERS / "crasp-2026/make-grid"
        with tempfile.TemporaryDirectory() as folder:
            suite = pathlib.Path(folder) / "suite.csv"
            suite.write_text("name,source,regex\n1,lower,(bbac)*\nABplus_AABB,lower,(ab|aabb)*\n")
            done = subprocess.run([sys.executable, make, suite], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn('{name = "crasp-abplus-aabb", language = "regex:(ab|aabb)*"},', done.stdout)
            for bad in ("regex\na\n", "name,regex\nx,a.b\n", "name,regex\nx,a\nX,b\n"):
                suite.write_text(bad)
                done = subprocess.run([sys.executable, make, suite], capture_output=True, text=True)
                self.assertEqual(done.returncode, 1, bad)
                self.assertIn("suite.csv", done.stderr)


if __name__ == "__main__":
    unittest.main()
