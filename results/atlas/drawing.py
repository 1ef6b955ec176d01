"""The map of the atlas: a page with everything inside it, and the same map as one picture.

Every language is a square, coloured by how far it is learned; groups and their order are those of
RULE.md. page.html is the page without its data.
"""

import html
import json
import pathlib

import analysis
import languages as facts_of
import runs as runs_of

# Steps from nothing to perfect, which stay apart for people who see no red or no green, and in grey: in
# light the darker, in dark the lighter.
LIGHT = ("#e9e7e0", "#d5e5c5", "#9fd3b4", "#56b4bf", "#2b88bd", "#2658a3", "#16145c")
DARK = ("#363c45", "#463f8a", "#35608d", "#21908d", "#39b578", "#8fd744", "#fde725")
DARK_PAGE = {"bg": "#14171b", "surface": "#1b1f25", "fg": "#e4e8ed", "muted": "#a0aab6", "line": "#3a424d",
             "soft": "#262c35", "accent": "#6cb6f5", "up": "#5fd08c", "down": "#ff9568",
             "edge": "#ffffff24"}
COLUMNS = 24
CELL = 5  # of the page's panels: a square of 4 and a gap
GAP = 4  # between bands
# Groups that share a band of the picture: few languages each, or all that counts modulo a number.
BANDS = (("Star-free", ("j-trivial", "r-trivial", "c-rasp", "c-rasp-last", "star-free")),
         ("AC⁰", ("ac0",)), ("Abelian groups", ("abelian",)), ("With S₃", ("solvable",)))


def channels(colour):
    return [int(colour[i:i + 2], 16) for i in (1, 3, 5)]


def ramp(colours, steps):
    """So many colours, the first and the last as they are."""
    out = []
    for i in range(steps):
        place = i * (len(colours) - 1) / max(steps - 1, 1)
        k = min(int(place), len(colours) - 2)
        part = place - k
        mixed = [round(a + (b - a) * part) for a, b in zip(channels(colours[k]), channels(colours[k + 1]))]
        out.append("#" + "".join(f"{x:02x}" for x in mixed))
    return out


def luminance(colour):
    linear = [x / 255 / 12.92 if x / 255 <= 0.04045 else ((x / 255 + 0.055) / 1.055) ** 2.4
              for x in channels(colour)]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def on(colour):
    """Black or white, whichever is told from this better."""
    return "#ffffff" if 1.05 / (luminance(colour) + 0.05) > (luminance(colour) + 0.05) / 0.05 else "#000000"


def variables(colours, counts):
    """Custom properties of the steps of every scale: p perfect up to, l accuracy, c count."""
    out = []
    for name, steps in counts.items():
        for i, colour in enumerate(ramp(colours, steps)):
            out.append(f"--{name}{i}: {colour}; --{name}{i}-on: {on(colour)};")
    return " ".join(out)


def places(languages):
    """Column and band of every language: bands below each other, filled row by row."""
    out, row, starts = [], 0, []
    bands = [(title, [x for x in languages if x["group"] in keys]) for title, keys in BANDS]
    for band, (title, some) in enumerate(entry for entry in bands if entry[1]):
        starts.append((title, row, band))
        out += [(i % COLUMNS, row + i // COLUMNS, band) for i in range(len(some))]
        row += -(-len(some) // COLUMNS)
    return out, starts, row


def rounded(accuracies):
    """1 for a run without a mistake; never 1 for another, however rare its mistakes."""
    if all(x == 1 for x in accuracies):
        return 1
    return [1 if x == 1 else min(round(x, 4), 0.9999) for x in accuracies]


LETTERS = {"excluded": "x", "excluded_unless_tc0_is_nc1": "x", "recognized": "r"}


def document(atlas):
    """What the page reads."""
    theorems, numbers = [], {}

    def number_of(p):
        key = (p["model"], p["theorem"], p["source"])
        if key not in numbers:
            numbers[key] = len(theorems)
            theorems.append({name: p[name] for name in ("model", "theorem", "precision", "source")})
        return numbers[key]

    languages = []
    for x in atlas.languages:
        cells = [atlas.runs.of(x["name"], v.key) for v in atlas.runs.variants]
        formats = [run.about["format_only"] for cell in cells for run in cell
                   if run.about.get("format_only")]
        group = next(title for key, title, _ in facts_of.CHAIN if key == x["group"])
        words = [x["name"], x["pattern"], x["known_as"] or "", group, x["circuit_class"] or "",
                 *x["classes"], *(name.replace("_", "-") for name in x["holds"])]
        languages.append({
            "name": x["name"], "pattern": x["pattern"], "known": x["known_as"], "group": x["group"],
            "classes": "; ".join(x["classes"]), "circuit": circuit(x["circuit_class"]),
            "alphabet": x["alphabet"], "targets": x["targets"], "accepting": x["accepting"],
            "invariants": {k: round(v, 6) for k, v in x["invariants"].items()},
            "format": float(formats[0]) if formats else None, "marked": x["name"] in atlas.marked,
            "search": " ".join(words).lower(),
            "runs": [[rounded(run.accuracies) for run in cell] for cell in cells],
            "extracted": [[analysis.sentence_of(atlas, x, run) for run in cell] for cell in cells],
            "theory": [[[number_of(p), LETTERS.get(p["verdict"], "o")]
                        for p in facts_of.applying(x, v)] for v in atlas.runs.variants]})
    cells, _, rows = places(atlas.languages)
    bands = max(band for _, _, band in cells) + 1
    return {"bins": atlas.runs.bins, "trials": atlas.runs.trials, "trained": runs_of.TRAINED_TO,
            "states": max(x["invariants"]["states"] for x in atlas.languages),
            "coverage": atlas.coverage(),
            "variants": [{"key": v.key, "title": v.title} for v in atlas.runs.variants],
            "groups": [{"key": key, "title": title, "text": sentence}
                       for key, title, sentence in facts_of.CHAIN],
            "layout": {"columns": COLUMNS, "height": rows * CELL - 1 + (bands - 1) * GAP,
                       "cells": [(c, r * CELL + band * GAP) for c, r, band in cells]},
            "theorems": theorems, "languages": languages}


def circuit(name):
    return {"AC0": "in AC⁰", "ACC0": "in ACC⁰, not in AC⁰", "NC1-complete": "complete for NC¹"}.get(name, name)


def counts_of(atlas):
    return {"p": len(atlas.runs.bins) + 1, "l": 6, "c": len(atlas.runs.variants) + 1}


def page(atlas):
    template = (pathlib.Path(__file__).with_name("page.html")).read_text(encoding="utf-8")
    data = json.dumps(document(atlas), ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    dark = " ".join(f"--{name}: {value};" for name, value in DARK_PAGE.items())
    counts = counts_of(atlas)
    return (template.replace("@LIGHT@", "  --edge: #0000001f; " + variables(LIGHT, counts))
            .replace("@DARKVARS@", dark + " " + variables(DARK, counts))
            .replace("@DATA@", data.replace("<", "\\u003c")))


# ---- The picture

ACROSS, SQUARE, PITCH, BAND_GAP = 5, 6, 7, 5


def lines_of(title):
    """A title on one line or two, of which neither is longer than need be."""
    cuts = [i + 1 for i, letter in enumerate(title) if letter == ","]
    if len(title) <= 25 or not cuts:
        return [title]
    cut = min(cuts, key=lambda i: max(i, len(title) - i))
    return [title[:cut], title[cut + 1:]]


def picture(atlas):
    """One panel per variant; in every panel a language is at the same place."""
    steps = len(atlas.runs.bins) + 1
    cells, starts, rows = places(atlas.languages)
    width, height = COLUMNS * PITCH - 1, rows * PITCH - 1 + (len(starts) - 1) * BAND_GAP
    left, head, line = 16, 54, 14
    panel_height = 2 * line + 6 + height + 22
    panels = len(atlas.runs.variants) + 1
    across = min(ACROSS, panels)
    total_width = left * 2 + across * width + (across - 1) * 18
    # Where there are few languages, the legend is higher than a panel.
    legend_height = 13 + 11 + -(-steps // 2) * 15 + 30 + len(starts) * 14
    total_height = head + (panels - 1) // across * panel_height + max(panel_height, legend_height) + 14
    style = [f".s{i}{{fill:{c}}}" for i, c in enumerate(ramp(LIGHT, steps))]
    dark = [f".s{i}{{fill:{c}}}" for i, c in enumerate(ramp(DARK, steps))]
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {total_width} {total_height}" width="{total_width}" '
        f'height="{total_height}" role="img" font-family="system-ui, Segoe UI, Helvetica, Arial, sans-serif">',
        f"<title>{html.escape(headline(atlas))}</title>",
        "<style>.bg{fill:#fcfcfb;stroke:#d5dae0}.t{fill:#1c2128}.m{fill:#59626d}.n{fill:none;stroke:#9aa3ad}"
        + "".join(style) + "@media (prefers-color-scheme: dark){.bg{fill:#14171b;stroke:#3a424d}.t{fill:#e4e8ed}"
        ".m{fill:#a0aab6}.n{stroke:#68727e}" + "".join(dark) + "}</style>",
        f'<rect class="bg" x=".5" y=".5" width="{total_width - 1}" height="{total_height - 1}" rx="8"/>',
        f'<text class="t" x="{left}" y="27" font-size="17" font-weight="600">{html.escape(headline(atlas))}</text>',
        f'<text class="m" x="{left}" y="46" font-size="12">{html.escape(underline(atlas))}</text>']
    band_y = {band: row * PITCH + band * BAND_GAP for _, row, band in starts}
    first_row = {band: row for _, row, band in starts}

    def place(i):
        return left + (i % across) * (width + 18), head + (i // across) * panel_height

    for i, variant in enumerate(atlas.runs.variants):
        x0, y0 = place(i)
        paths, learned, there = {}, 0, 0
        for (column, row, band), language in zip(cells, atlas.languages):
            some = atlas.runs.of(language["name"], variant.key)
            x, y = x0 + column * PITCH, y0 + 2 * line + 6 + band_y[band] + (row - first_row[band]) * PITCH
            name = f"s{max(run.perfect_bins for run in some)}" if some else "n"
            paths.setdefault(name, []).append(f"M{x} {y}h{SQUARE}v{SQUARE}h-{SQUARE}z")
            there += bool(some)
            learned += any(run.success for run in some)
        titles = lines_of(variant.title)
        for k, words in enumerate(titles):
            y = y0 + line * (k + 2 - len(titles)) + 13
            out.append(f'<text class="t" x="{x0}" y="{y}" font-size="12.5" font-weight="600">{html.escape(words)}</text>')
        out += [f'<path class="{name}" d="{"".join(d)}"/>' for name, d in sorted(paths.items())]
        out.append(f'<text class="m" x="{x0}" y="{y0 + 2 * line + 6 + height + 13}" font-size="11.5">perfect on '
                   f'{learned} of {there}</text>')
    x0, y0 = place(len(atlas.runs.variants))
    out += legend(atlas, x0, y0 + 13, starts, steps)
    return "\n".join(out + ["</svg>"]) + "\n"


def headline(atlas):
    return f"{len(atlas.languages)} small regular languages, {len(atlas.runs.variants)} networks"


def underline(atlas):
    seeds = len(atlas.runs.trials)
    return (f"A square is a language, at the same place in every panel. Trained on lengths up to {runs_of.TRAINED_TO}, "
            f"tested up to {atlas.runs.bins[-1][1]}; " +
            ("one seed" if seeds == 1 else f"the best of {seeds} seeds") +
            ("." if atlas.is_whole() else ", not all runs are done."))


def legend(atlas, x0, y0, starts, steps):
    low, high = atlas.runs.bins[0]
    names = [f"not {low} to {high}"] + [f"{high}" for _, high in atlas.runs.bins]
    out = [f'<text class="t" x="{x0}" y="{y0}" font-size="12.5" font-weight="600">Perfect up to length</text>']
    half = -(-steps // 2)
    for i, name in enumerate(names):
        x, y = x0 + (i // half) * 108, y0 + 11 + (i % half) * 15
        out.append(f'<rect class="s{i}" x="{x}" y="{y}" width="10" height="10"/>'
                   f'<text class="m" x="{x + 15}" y="{y + 9}" font-size="11">{html.escape(name)}</text>')
    y = y0 + 11 + half * 15 + 15
    out.append(f'<text class="t" x="{x0}" y="{y}" font-size="12.5" font-weight="600">From above</text>')
    for i, (title, _, _) in enumerate(starts):
        keys = dict(BANDS)[title]
        count = sum(x["group"] in keys for x in atlas.languages)
        out.append(f'<text class="m" x="{x0}" y="{y + 15 + i * 14}" font-size="11">{html.escape(title)} ({count})</text>')
    return out
