"""What is known of the languages of the atlas before any training: automaton, classes, invariants and
theorems, as `flare show` and `flare classify` say, and the sensitivity, which is counted here."""

import fractions
import json
import math
import subprocess

SENSITIVITY_LENGTH = 40

# From the most specific class to all: a language is in the group of the first that it belongs to. Each
# class contains those before it (docs/background/classify.md).
CHAIN = (
    ("j-trivial", "Piecewise testable",
     "Which scattered subsequences a string has, up to some length, decides: the monoid is J-trivial."),
    ("r-trivial", "R-trivial", "The automaton never returns to a state that it has left."),
    ("c-rasp", "C-RASP", "Comparing counts of positions decides, for a model that reads after the string."),
    ("c-rasp-last", "C-RASP at the last symbol", "Comparing counts decides, for a model that also sees the last symbol."),
    ("star-free", "Star-free", "Nothing is counted modulo a number: the monoid has no groups."),
    ("ac0", "AC⁰", "Only lengths are counted modulo a number."),
    ("abelian", "Abelian groups", "Symbols are counted modulo 2 or 3, or what acts like it: all groups of the monoid commute."),
    ("solvable", "Not only abelian groups", "A group of the monoid does not commute: S₃, the "
     "permutations of three states."),
)

# Of RULE.md: key, title, whether regressions take the logarithm.
INVARIANTS = (
    ("states", "States", False),
    ("monoid", "Size of monoid", True),
    ("group_order", "Largest group", True),
    ("solvable", "Solvable", False),
    ("r_trivial", "R-trivial", False),
    ("star_free", "Star-free", False),
    ("sensitivity", "Sensitivity", False),
)


def ask(flare, *arguments):
    done = subprocess.run([flare, *arguments], capture_output=True, text=True)
    if done.returncode != 0:
        raise ValueError(f"flare {' '.join(arguments)}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def complete(automaton, alphabet):
    """The targets of every state, symbol by symbol, with a sink if one is needed, and the set of
    accepting states; state 0 is the start."""
    states, sink = automaton["states"], automaton["states"]
    order = [automaton["start"]] + [q for q in range(states) if q != automaton["start"]]
    number = {q: i for i, q in enumerate(order)}
    targets = [[sink] * len(alphabet) for _ in range(states)]
    for edge in automaton["transitions"]:
        targets[number[edge["from"]]][alphabet.index(edge["symbol"])] = number[edge["to"]]
    if any(sink in row for row in targets):
        targets.append([sink] * len(alphabet))
    return targets, {number[q] for q in automaton["accepting"]}


def sensitivity(targets, accepting, length):
    """Of two symbols: in how many of its positions, on average over all strings of this length, another
    symbol makes a member of a non-member or the other way round. It is counted, not drawn."""
    same, pairs = {0: 1}, {}  # how many prefixes lead here; to two states, if one symbol is another
    for _ in range(length):
        next_same, next_pairs = {}, {}
        for state, count in same.items():
            a, b = targets[state]
            for target in (a, b):
                next_same[target] = next_same.get(target, 0) + count
            for pair in ((a, b), (b, a)):
                next_pairs[pair] = next_pairs.get(pair, 0) + count
        for (p, q), count in pairs.items():
            for x in (0, 1):
                pair = (targets[p][x], targets[q][x])
                next_pairs[pair] = next_pairs.get(pair, 0) + count
        same, pairs = next_same, next_pairs
    changed = sum(n for (p, q), n in pairs.items() if (p in accepting) != (q in accepting))
    return float(fractions.Fraction(changed, 2**length))


def group_of(properties, groups):
    holds = {"j-trivial": properties["j_trivial"], "r-trivial": properties["r_trivial"],
             "c-rasp": properties["c_rasp"], "c-rasp-last": properties["c_rasp_last"],
             "star-free": properties["star_free"], "ac0": properties["ac0"],
             "abelian": all(group["abelian"] for group in groups), "solvable": True}
    return next(key for key, _, _ in CHAIN if holds[key])


def facts(flare, name):
    """Everything about one language; `theorems` by read-out, as `flare classify --json` has them."""
    shown = ask(flare, "show", name, "--format", "json")
    classified = {readout: ask(flare, "classify", name, "--json", "--readout", readout)
                  for readout in ("last", "eos")}
    classes = classified["last"]
    if shown["alphabet"] is None or len(shown["alphabet"]) != 2:
        raise ValueError(f"{name}: the atlas is of languages over two symbols")
    targets, accepting = complete(shown["automaton"], shown["alphabet"])
    properties = {key: value["holds"] for key, value in classes["properties"].items()}
    groups = classes["monoid"]["groups"]
    small = shown.get("small") or {}
    return {
        "name": name, "pattern": small.get("pattern") or classes["definition"],
        "known_as": small.get("known_as"), "alphabet": shown["alphabet"], "targets": targets,
        "accepting": sorted(accepting), "classes": classes["classes"],
        "circuit_class": classes["circuit_class"], "group": group_of(properties, groups),
        "holds": sorted(key for key, value in properties.items() if value),
        "invariants": {
            "states": classes["states"], "monoid": classes["monoid"]["size"],
            "group_order": max([group["order"] for group in groups], default=1),
            "solvable": int(properties["solvable"]), "r_trivial": int(properties["r_trivial"]),
            "star_free": int(properties["star_free"]),
            "sensitivity": sensitivity(targets, accepting, SENSITIVITY_LENGTH)},
        "theorems": {readout: [p for p in classified[readout]["predictions"]
                               if p["verdict"] != "no_theorem"] for readout in classified}}


def applying(language, variant):
    """The theorems about a variant: of its architecture, with no options but its own, and of models that
    read where it reads."""
    return [p for p in language["theorems"][variant.readout]
            if p["architecture"] == variant.architecture and p["verdict"] != "other_readout"
            and all(variant.options.get(key) == value for key, value in p["options"].items())]


def in_order(languages):
    """As on the map: along the chain; in a group the smaller automata and monoids first."""
    place = {key: i for i, (key, _, _) in enumerate(CHAIN)}
    return sorted(languages, key=lambda x: (
        place[x["group"]], "group" in x["holds"], x["invariants"]["group_order"],
        x["invariants"]["states"], x["invariants"]["monoid"],
        [int(part) if part.isdigit() else part for part in x["name"].split(":")]))


def regressors(languages):
    """The invariants as regressions see them, a row per language."""
    return [[math.log2(x["invariants"][key]) if logarithm else float(x["invariants"][key])
             for key, _, logarithm in INVARIANTS] for x in languages]
