// The first view: how far along the sweep is, the main table as a heat map, the hierarchy, the other tables.
"use strict";

FLARE.showOverview = function (view, section) {
  const data = FLARE.overview;
  fill(view,
    el("h1", {}, data.name || "Report"),
    FLARE.findings(data),
    FLARE.progressBar(data),
    FLARE.heatMap(data),
    ...FLARE.axes(data),
    FLARE.comparison(data),
    FLARE.hierarchies(data),
    FLARE.predicted(data),
    ...FLARE.otherTables(data),
    FLARE.files());
  FLARE.drawAxes(data);
  FLARE.drawComparison(data);
  const target = section && document.getElementById(section);
  if (target) {
    if (target.tagName === "DETAILS") target.open = true;
    target.scrollIntoView();
  } else if (!FLARE.keepScroll) scrollTo(0, 0);
};

// What was found, and what is missing.
FLARE.findings = function (data) {
  if (!(data.findings || []).length) return null;
  return el("div", {class: "findings", id: "findings"}, data.findings.map((sentence) => el("p", {}, sentence)),
    [data.missing || []].flat().map((sentence) => el("p", {class: "muted"}, sentence)));
};

// Every table that no other section shows, each under its name; those that lists of all runs would be too long
// for stay closed.
FLARE.kTitles = {"best-loss": "Best losses", "learned": "What was learned", "cost": "Time and cost", "main-long": "Main table with losses and baselines",
  "comparison": "Cell by cell", "wrong-answers": "Wrong answers", "model-sizes": "Model sizes", "test-splits": "Test splits"};
FLARE.otherTables = function (data) {
  const shown = ["main", "predicted"], closed = ["main-long", "comparison", "wrong-answers"];
  const isShown = (name) => (shown.includes(name) && !data.tables[name].rows_in) || name.startsWith("axis-") || (name === "model-sizes" && data.budgets.length < 2);
  const names = Object.keys(data.tables).filter((name) => !isShown(name));
  const title = (name) => FLARE.kTitles[name] || FLARE.sentenceCase(name);
  const isClosed = (name) => closed.includes(name) || data.tables[name].rows_in;
  const parts = (name, table) => [el("h2", {id: name}, title(name)), FLARE.renderTable(table, name)];
  const folded = names.filter(isClosed);
  return [...names.filter((name) => !isClosed(name)).flatMap((name) => parts(name, data.tables[name])),
    ...data.extra_tables.flatMap((table) => parts(table.table, table)),
    folded.length ? el("h2", {}, "In full") : null,
    ...folded.map((name) => FLARE.foldedTable(name, title(name), data.tables[name]))];
};

// "best-loss" as "Best loss".
FLARE.sentenceCase = function (name) {
  const words = name.replace(/[-_]/g, " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
};

FLARE.progressBar = function (data) {
  const {states, runs} = data;
  const done = states.finished + states.diverged + data.left_out;
  const others = ["diverged", "failed", "damaged", "running", "waiting"].filter((state) => states[state] > 0).map((state) => `${states[state]} ${state}`);
  if (data.left_out > 0) others.unshift(`${data.left_out} left out, of trials that are not whole`);
  return el("div", {},
    el("p", {}, `${done} of ${runs} ${runs === 1 ? "run is" : "runs are"} finished`, others.length ? ` (${others.join(", ")})` : "",
      `: ${[[data.languages.length, "language"], [data.architectures.length, "architecture"], [data.losses.length, "loss"], [data.trials, "trial"]].map(([n, what]) => `${n} ${what}${n === 1 ? "" : what === "loss" ? "es" : "s"}`).join(", ")} each.`),
    el("div", {class: "progress", role: "img", "aria-label": `${done} of ${runs} runs finished`},
      Object.entries(states).map(([state, count]) => el("span", {class: "state-" + state, style: `width:${100 * count / runs}%`, title: `${count} ${state}`})),
      data.left_out > 0 ? el("span", {class: "state-left-out", style: `width:${100 * data.left_out / runs}%`, title: `${data.left_out} left out`}) : null));
};

// A number without zeros at its end.
FLARE.plain = (value) => String(Number(value.toFixed(FLARE.overview.metric.decimals)));

FLARE.heatCell = function (cell, language, architecture, format, isFirst) {
  const classes = [];
  let content = [];
  let shade = "";
  if (cell.value !== undefined) {
    const {worst, best} = FLARE.overview.metric;
    const strength = Math.max(0, Math.min(1, (cell.value - worst) / (best - worst)));
    shade = `background:rgba(var(--heat),${(0.02 + 0.6 * strength ** 1.5).toFixed(3)})`;
    const text = fixed(cell.value, cell.decimals);
    content.push(el("span", {class: "value"}, cell.bold ? el("b", {}, text) : text));
    if (format !== undefined && cell.value <= format) classes.push("no-better");
  } else {
    content.push(el("span", {class: "value muted"}, "–"));
  }
  if (cell.std !== undefined) content.push(el("span", {class: "std"}, " ± " + fixed(cell.std)));
  const note = FLARE.publishedNote(cell);
  if (note) content.push(note);
  const coverage = FLARE.coverageText(cell);
  if (coverage) content.push(el("span", {class: "cover"}, coverage));
  const link = el("a", {class: "cell " + classes.join(" "), href: languageLink(language.id, architecture.id),
    title: `${language.title}, ${architecture.title}` + (cell.value !== undefined ? `: ${cell.value.toFixed(4)}` : "") + (cell.chosen ? `, ${cell.chosen}` : "")}, content);
  return el("td", {style: shade, class: isFirst ? "gap" : null}, link);
};

// The architecture that a column of the main table is of; null: none.
FLARE.architectureOfColumn = function (column) {
  return (column.family && FLARE.architecture(column.family)) || null;
};

FLARE.heatMap = function (data) {
  const table = data.tables.main;
  const hasPublished = table.rows.some((row) => Object.values(row).some((cell) => cell.published !== undefined));
  const byTitle = new Map(data.languages.map((language) => [language.title, language]));
  const languageOf = new Map(table.rows.map((row, i) => [row, table.rows.length === data.languages.length ? data.languages[i] : byTitle.get(row.language.text)]));
  const columns = table.columns.map((column) => ({...column, architecture: FLARE.architectureOfColumn(column)}));
  const many = columns.filter(({architecture}) => architecture).length > 6;
  const draw = (row) => {
    const language = languageOf.get(row), format = row.format_only ? row.format_only.value : undefined;
    return el("tr", {}, columns.map((column, i) => {
      const cell = row[column.key];
      if (column.key === "language") {
        return el("td", {}, language ? el("a", {href: languageLink(language.id)}, cell.text) : cell.text, language ? el("small", {title: language.class_title}, language.class) : null);
      }
      const isFirst = column.group !== columns[i - 1].group;
      if (column.architecture && language) return FLARE.heatCell(cell, language, column.architecture, format, isFirst);
      if (cell.value === undefined && cell.text === undefined) return el("td", {class: isFirst ? "plain gap" : "plain"}, el("span", {class: "muted", title: "not known for this language"}, "–"));
      return el("td", {class: isFirst ? "plain gap" : "plain"}, FLARE.cellContent(cell));
    }));
  };
  const words = (row) => { const language = languageOf.get(row); return language ? `${language.id} ${language.title} ${language.class} ${language.classes}` : row.language.text; };
  const has = (name) => data.tables[name];
  const files = (name, text) => (has(name) ? el("p", {class: "small downloads"}, text, ["md", "tex", "csv", "json"].map((type) => el("a", {href: `tables/${name}.${type}`}, `${name}.${type}`))) : null);
  const usesFormat = table.columns.some(({key}) => key === "format_only");
  return el("section", {id: "main"},
    el("div", {class: "legend"},
      el("span", {}, FLARE.plain(data.metric.worst), " ", el("span", {class: "ramp"}), " ", FLARE.plain(data.metric.best)),
      data.architectures.length > 1 ? el("span", {}, el("b", {}, "bold"), " best of the architectures") : null,
      hasPublished ? el("span", {}, `▲ ▼ above or below what is published (${data.published_label}); a maximum of fewer runs only where it reaches that`) : null,
      usesFormat ? el("span", {}, "○ no better than knowing the format") : null),
    FLARE.pagedRows({table, className: many ? "heat many" : "heat", id: "heat", draw, words}),
    el("div", {class: "notes"}, el("p", {}, table.caption), table.notes.map((note) => el("p", {}, note))),
    FLARE.tableFiles("main"), files("main-long", "With losses and all baselines: "),
    files("comparison", data.published ? `Cell by cell against what is published (${data.published_label}) and the format: ` : "Cell by cell against the format: "));
};

FLARE.comparedCells = function (data, column) {
  return data.tables.main.rows.flatMap((row, i) => data.architectures.flatMap((architecture) => {
    const cell = row[`${column.id}_${architecture.id}`];
    if (cell === undefined || cell.value === undefined || typeof cell.published !== "number") return [];
    return [{x: cell.published, y: cell.value, language: data.languages[i].id, title: data.languages[i].title,
      architecture: architecture.id, experiment: column.title}];
  }));
};

FLARE.comparison = function (data) {
  const section = el("section", {id: "comparison"});
  const columns = data.columns.filter((column) => FLARE.comparedCells(data, column).length > 0);
  if (columns.length === 0) return section;
  section.append(el("h2", {}, `Ours beside what is published (${data.published_label})`),
    el("div", {class: "grid2"}, columns.map((column) =>
      el("div", {class: "card", id: "compare-" + column.id}, el("h3", {}, column.title)))));
  return section;
};

FLARE.drawComparison = function (data) {
  for (const column of data.columns) {
    const card = document.getElementById("compare-" + column.id);
    if (card) FLARE.draw("compare-" + column.id, card, () => FLARE.oursAgainstPublished(FLARE.comparedCells(data, column)));
  }
};

FLARE.hierarchies = function (data) {
  // One class alone is no hierarchy.
  if (data.hierarchy.filter(({languages}) => languages.length > 0).length < 2) return null;
  const hasPublished = data.hierarchy.some(({languages}) => languages.some(({published}) => Object.values(published).some((value) => value !== null)));
  const dot = (language, architecture) => {
    const perfect = language.perfect[architecture.id], theirs = language.published[architecture.id], best = language.best[architecture.id];
    const differs = perfect !== null && theirs !== null && perfect !== theirs;
    const says = perfect === null ? "no run yet" : perfect ? "perfect" : `not perfect: ${best.toFixed(4)}`;
    // A score that the tables round to 1.00 is shown in full.
    const nearly = perfect === false && fixed(best) === "1.00" ? el("small", {class: "muted"}, " " + best.toFixed(4)) : null;
    const {title} = FLARE.language(language.id);
    return el("a", {class: "named", href: languageLink(language.id, architecture.id), title: `${title}: ${says}` + (differs ? ", unlike what is published" : "")},
      el("span", {class: "dot" + (perfect ? " perfect" : "") + (perfect === null ? " none" : "") + (differs ? " differs" : "")}), title, nearly);
  };
  const box = (classes, architecture) => {
    if (classes.length === 0) return null;
    const [outer, ...inner] = classes;
    return el("div", {class: "class"}, el("small", {title: outer.title}, outer.class),
      el("div", {class: "dots"}, outer.languages.map((language) => dot(language, architecture))), box(inner, architecture));
  };
  return el("section", {id: "hierarchy"},
    el("h2", {}, "Chomsky hierarchy"),
    el("p", {class: "muted"}, "A dot per language, filled where some run gets every string of the test set right; a number next to an empty one is a score that the tables round to 1.00." +
      (hasPublished ? " A ring marks what differs from what is published." : "")),
    el("div", {class: "hierarchies"}, data.architectures.map((architecture) =>
      el("div", {class: "hierarchy"}, box(data.hierarchy.filter(({languages}) => languages.length > 0).reverse(), architecture), el("div", {}, architecture.title)))));
};

FLARE.files = function () {
  return el("section", {id: "files"},
    el("h2", {}, "Files"),
    el("p", {}, "Every table as Markdown, LaTeX, CSV and JSON is in ", el("code", {}, "tables/"), "; every figure as SVG and pgfplots in ", el("code", {}, "figures/"),
      " (", el("a", {href: "figures/all.tex"}, "all.tex"), " sets them all); every run, with its settings and scores, in ", el("a", {href: "runs.csv"}, "runs.csv"), "."));
};

// ---- predicted beside observed

// What theory excludes and what was learned, languages grouped by class, with filters by class.
FLARE.predicted = function (data) {
  const table = data.tables.predicted;
  if (!table || table.rows_in) return null;  // there is none, or it is among the long ones
  const classesOf = new Map(data.languages.map((language) => [language.title, language.classes]));
  const groups = [...new Set(table.rows.map((row) => row.class.text))];
  const shown = new Set(groups);
  const place = el("div");
  const count = el("span", {class: "muted small"});
  const filter = el("input", {type: "search", id: "class-filter", placeholder: "filter: star-free, group, strictly local", "aria-label": "Filter by class", style: "padding:.2rem .5rem;width:min(24rem,100%)"});
  const draw = () => {
    const words = filter.value.toLowerCase().split(/[\s,]+/).filter(Boolean);
    const rows = table.rows.filter((row) => shown.has(row.class.text) &&
      words.every((word) => `${row.class.text} ${classesOf.get(row.language.text)}`.toLowerCase().includes(word)));
    count.textContent = ` ${rows.length} of ${table.rows.length} languages`;
    place.replaceChildren(FLARE.renderTable({...table, rows}, "predicted", (row, previous) => row.class.text !== previous.class.text));
  };
  const chips = groups.map((group) => {
    const chip = el("button", {type: "button", class: "chip", "data-filter": "class", "data-value": group, "aria-pressed": "true"}, group);
    chip.addEventListener("click", () => {
      if (!shown.delete(group)) shown.add(group);
      chip.setAttribute("aria-pressed", shown.has(group));
      draw();
    });
    return chip;
  });
  filter.addEventListener("input", draw);
  draw();
  return el("section", {id: "predicted"},
    el("h2", {}, "Predicted beside observed"),
    groups.length < 2 ? null : el("div", {class: "filters"}, el("fieldset", {}, el("legend", {}, "Class"), chips), filter, count),
    place,
    el("p", {class: "small downloads"}, "As a figure: ", ["svg"].map((type) => el("a", {href: "figures/predicted." + type}, "predicted." + type))));
};

// ---- axes

// The metric along settings that the grid varies over numbers: a table for each, a chart per language.
FLARE.axes = function (data) {
  return data.axes.map(({setting, table, plots}) => el("section", {id: "axis-" + setting},
    el("h2", {}, "By ", setting),
    el("div", {class: "grid2"}, plots.map(({language, title}) =>
      el("div", {class: "card", id: `axis-${setting}-${language}`}, el("h3", {}, title)))),
    FLARE.renderTable(table, "axis-" + setting)));
};

FLARE.drawAxes = function (data) {
  for (const {setting, logarithmic, plots} of data.axes) {
    for (const {language, series} of plots) {
      const name = `axis-${setting}-${language}`;
      const card = document.getElementById(name);
      FLARE.draw(name, card, () => FLARE.alongSetting(setting, logarithmic, series));
      // Long legends must not push the curves out of their chart.
      const lines = Math.ceil(series.length / (card.clientWidth > 500 ? 2 : 1));
      if (lines > 3) card.querySelector(".chart").style.height = `${260 + 22 * lines}px`;
    }
  }
};

// As in figures: 1, 2 or 5 times a power of ten, or powers of ten alone where there are many; no zeros behind it.
const logarithmicTick = function (value) {
  const shown = this.max / this.min > 10 ** 2.5 ? "1" : "125";
  return shown.includes(value.toExponential(0)[0]) ? String(Number(value.toPrecision(1))) : "";
};

// Points are [value, mean, lowest, highest].
FLARE.alongSetting = function (setting, logarithmic, series) {
  const edge = {borderWidth: 0, pointRadius: 0, pointHoverRadius: 0, helper: true};
  const config = FLARE.baseConfig({
    datasets: series.flatMap(({title, look, points}) => [
      {...edge, label: "lowest", data: points.map(([x, , low]) => ({x, y: low}))},
      {...edge, label: "highest", data: points.map(([x, , , high]) => ({x, y: high})), fill: "-1", backgroundColor: translucent(colorOfLook(look), 0.2)},
      {label: title, data: points.map(([x, y, low, high]) => ({x, y, low, high})),
        ...lineOf(look, points.length)},
    ]),
    x: {text: setting, ...(logarithmic ? {type: "logarithmic", ticks: {color: style("--muted"), maxRotation: 0, autoSkip: false, callback: logarithmicTick}} : {})},
    y: {text: FLARE.overview.metric.title, ...(FLARE.overview.metric.is_share ? {min: 0, max: 1} : {})},
    tooltip: ({dataset, raw}) => `${dataset.label}: ${fixed(raw.y, 3)}` + (raw.low < raw.high ? `, ${fixed(raw.low, 3)} to ${fixed(raw.high, 3)}` : ""),
  });
  // Curves may have values of their own, which are not to be rounded.
  config.options.interaction = {mode: "nearest", intersect: false, axis: "x"};
  config.options.plugins.tooltip.callbacks.title = ([item]) => (item ? `${setting} ${item.raw.x}` : "");
  return config;
};
