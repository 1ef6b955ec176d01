// A language: what it is, charts with filters, its full table, the hardest examples, its runs.
"use strict";

FLARE.showLanguage = async function (view, id, options) {
  const language = FLARE.language(id);
  const route = location.hash;
  let data;
  try {
    data = await FLARE.load("language/" + id, language.in);
  } catch (error) {
    fill(view, el("h1", {}, language.title), el("p", {}, `${error.message}: is the folder data complete?`));
    return;
  }
  if (location.hash !== route) return;  // the reader has moved on
  const hasLengths = data.curves.some((curve) => curve.lengths.length > 0);
  const has = (measure) => data.training.some(({curve}) => curve[measure].some((value) => value !== null));
  const measures = [["ce", "cross-entropy"], ["accuracy", "accuracy"], ["loss", "loss"]].filter(([measure]) => has(measure));
  const recognizes = measures.length === 0 || measures[0][0] === "ce";
  const state = {...FLARE.filterState(options), measure: measures.length ? measures[0][0] : "loss"};
  const cards = {
    ce: el("div", {class: "card"}, el("h3", {}, "Cross-entropy and length")),
    accuracy: el("div", {class: "card"}, el("h3", {}, "Accuracy and length")),
    edits: el("div", {class: "card"}, el("h3", {}, "Cross-entropy and edit distance")),
    training: el("div", {class: "card"}, el("h3", {}, "Training")),
  };
  const redraw = () => FLARE.drawLanguage(data, state, cards);
  fill(view,
    FLARE.crumbs(id),
    el("h1", {}, language.title),
    FLARE.languageFacts(language, data),
    FLARE.automaton(data),
    FLARE.learned(data),
    el("h2", {id: "charts"}, "Charts"),
    el("p", {class: "muted small"}, `Each architecture is shown by one run: the one with the lowest ${recognizes ? "cross-entropy" : "loss"} on its validation set or the one with the best ${FLARE.overview.metric.title} on the test set.`,
      hasLengths ? " Curves average over windows of 20 lengths; the band is ± 1 standard deviation over strings, of the only curve or of the one that is pointed at." : ""),
    FLARE.filters(measures, state, redraw),
    el("p", {id: "shown", class: "small muted"}),
    el("div", {class: "grid2"}, cards.ce, cards.accuracy, cards.edits, cards.training),
    data.figures ? el("h2", {id: "by-length"}, "By length") : null,
    data.figures ? el("p", {class: "muted small"}, "Means over the trials behind the main table in bins of lengths, with the lowest and the highest trial; the dashed line is the longest string of training.") : null,
    FLARE.drawings(data.figures),
    el("h2", {id: "full"}, "Full table"),
    FLARE.renderTable(data.full, "full/" + language.file, (row, previous) =>
      row.architecture.text !== previous.architecture.text || row.validation.text !== previous.validation.text),
    FLARE.wrongAnswers(data),
    FLARE.hardest(data),
    FLARE.runsSection(language));
  redraw();
  if (!FLARE.keepScroll) scrollTo(0, 0);
};

FLARE.crumbs = function (id) {
  const {languages} = FLARE.overview;
  const at = languages.findIndex((language) => language.id === id);
  const link = (language, text) => language ? el("a", {href: languageLink(language.id)}, text(language.title)) : el("span");
  return el("nav", {class: "crumbs"}, link(languages[at - 1], (title) => "← " + title), el("a", {href: "#/"}, "Overview"),
    link(languages[at + 1], (title) => title + " →"));
};

FLARE.languageFacts = function (language, data) {
  const facts = el("dl", {class: "facts"});
  const add = (name, ...value) => facts.append(el("dt", {}, name), el("dd", {}, ...value));
  if (language.definition) add("Definition", language.definition);
  add("Class", language.class_title);
  if (language.classes) add("Among regular languages", language.classes);
  if (data.alphabet.length) add("Alphabet", el("code", {}, data.alphabet.join(" ")));
  if (data.baselines) {
    const shown = [["format only", "format_only"], ["majority per length", "majority_per_length"], ["symbol counts", "symbol_counts"], ["n-grams", "ngrams"], ["state merging", "state_merging"]]
      .filter(([, key]) => data.baselines[key] !== null).map(([name, key]) => `${name} ${fixed(data.baselines[key])}`);
    add("Baselines", shown.join(", "), el("span", {class: "muted"}, " (accuracy on the test set)"));
  }
  const strings = (title, list) => el("div", {class: "card"}, el("h3", {}, title),
    el("ul", {class: "strings"}, list.map((text) => el("li", {}, text || "ε"))));
  return el("div", {}, facts, data.members.length + data.others.length === 0 ? null :
    el("div", {class: "grid2"}, strings("In the language", data.members), strings("Not in the language", data.others)));
};

FLARE.automaton = function (data) {
  if (!data.automaton) return null;
  const {states, transitions, svg, table, start} = data.automaton;
  const drawing = el("div", {class: "card automaton",
    html: svg || `<p class="muted">Too many edges to be drawn.</p>`});
  FLARE.highlightEdges(drawing);
  return el("section", {id: "automaton"}, el("h2", {}, "Automaton"),
    el("p", {class: "muted small"}, `The minimal automaton: ${states} ${states === 1 ? "state" : "states"}, ${transitions} transitions. Point at a state to see where it leads.`),
    drawing,
    el("details", {}, el("summary", {}, "As a table"),
      el("div", {class: "scroll", style: "width:fit-content;max-width:100%"}, el("table", {},
        el("thead", {}, el("tr", {}, el("th", {}, "State"), data.alphabet.map((symbol) => el("th", {}, symbol)))),
        el("tbody", {}, table.map((row, q) => el("tr", {},
          el("td", {}, (q === start ? "→ " : "") + q + (row.accepting ? " accepts" : "")),
          row.targets.map((target) => el("td", {}, target === null ? el("span", {class: "muted"}, "·") : target)))))))));
};

// The automata of the networks, to be seen next to the target's.
FLARE.learned = function (data) {
  if (!data.learned) return null;
  const card = (learned) => {
    const upTo = learned.known_up_to ? ` up to length ${learned.known_up_to}` : "";
    const word = (text) => text === null ? "none" + upTo : el("code", {}, text || "ε");
    const drawing = el("div", {class: "automaton", html: learned.svg || ""});
    FLARE.highlightEdges(drawing);
    return el("div", {class: "card"},
      el("h3", {}, `${runTitle(learned)}, ${learned.validation} validation, trial ${learned.trial}`),
      el("p", {class: "small"}, `${learned.states} ${learned.states === 1 ? "state" : "states"}: ${learned.classes.join("; ") || "of unknown class"}.`,
        learned.limit ? ` The extraction reached its limit of ${learned.limit}: this is the smallest automaton that agrees with the network nearly as often as the best one.` : ""),
      learned.svg ? drawing : null,
      !learned.judged ? null : learned.wrongly_accepted === null && learned.wrongly_rejected === null ?
        el("p", {class: "small"}, `It is the target itself${upTo}.`) :
        el("p", {class: "small"}, "Shortest strings that it wrongly accepts: ", word(learned.wrongly_accepted),
          "; wrongly rejects: ", word(learned.wrongly_rejected), "."));
  };
  return el("section", {id: "learned"}, el("h2", {}, "What was learned"),
    el("p", {class: "muted small"}, `The automaton of the strings that a network accepts, as flare extract found it by asking; a claim about lengths up to ${data.learned[0].max_length}.`),
    el("div", {class: "grid2"}, data.learned.map(card)));
};

// Graphviz titles nodes "q" and edges "q->r".
FLARE.highlightEdges = function (drawing) {
  const title = (group) => group.querySelector("title").textContent;
  const edges = [...drawing.querySelectorAll(".edge")];
  for (const node of drawing.querySelectorAll(".node")) {
    const leaving = edges.filter((edge) => title(edge).startsWith(title(node) + "->"));
    node.addEventListener("mouseenter", () => { drawing.classList.add("pointed"); [node, ...leaving].forEach((part) => part.classList.add("lit")); });
    node.addEventListener("mouseleave", () => { drawing.classList.remove("pointed"); [node, ...leaving].forEach((part) => part.classList.remove("lit")); });
  }
};

FLARE.filterState = function (options) {
  const {architectures, validations} = FLARE.overview;
  const asked = options.get("architecture");
  return {
    architectures: new Set(architectures.map((a) => a.id).filter((id) => !asked || id === asked)),
    loss: "best",
    validation: validations.includes("long") ? "long" : validations[0],
    by: "validation",
  };
};

FLARE.filters = function (measures, state, redraw) {
  const {architectures, losses, validations} = FLARE.overview;
  const chip = (title, isOn, toggle, attributes = {}) => {
    const button = el("button", {type: "button", class: "chip", ...attributes}, title);
    button.update = () => button.setAttribute("aria-pressed", isOn());
    button.addEventListener("click", () => { toggle(); bar.querySelectorAll(".chip").forEach((other) => other.update()); redraw(); });
    return button;
  };
  const choice = (key, value, title) => chip(title, () => state[key] === value, () => { state[key] = value; }, {"data-filter": key, "data-value": value});
  const bar = el("div", {class: "filters"},
    el("fieldset", {}, el("legend", {}, "Architecture"), architectures.map((architecture) =>
      chip(architecture.title, () => state.architectures.has(architecture.id), () => {
        if (!state.architectures.delete(architecture.id)) state.architectures.add(architecture.id);
      }, {"data-filter": "architecture", "data-value": architecture.id, style: colorsOf(architecture.id)}))),
    losses.length > 1 ? el("fieldset", {}, el("legend", {}, "Loss"), choice("loss", "best", "best"), losses.map((loss) => choice("loss", loss.id, loss.title))) : null,
    validations.length > 1 ? el("fieldset", {}, el("legend", {}, "Validation"), validations.map((id) => choice("validation", id, validationTitle(id)))) : null,
    el("fieldset", {}, el("legend", {}, "Run"), choice("by", "validation", "chosen by validation"), choice("by", "test", "best on the test set")),
    measures.length > 1 ? el("fieldset", {}, el("legend", {}, "Training curve"), measures.map(([measure, title]) => choice("measure", measure, title))) : null);
  bar.querySelectorAll(".chip").forEach((button) => button.update());
  return bar;
};

FLARE.drawLanguage = function (data, state, cards) {
  const curves = data.curves.filter((curve) => state.architectures.has(curve.architecture) && curve.validation === state.validation &&
    (state.loss === "best" ? curve.best : curve.of_loss).includes(state.by) && (state.loss === "best" || curve.loss === state.loss));
  const losses = new Map(curves.map((curve) => [curve.architecture, curve.loss]));
  const trials = data.training.filter((run) => run.validation === state.validation && losses.get(run.architecture) === run.loss);
  const perfect = (curve) => curve.longest_perfect_length === null ? "" :
    curve.longest_perfect_length < 0 ? ", wrong already at length 0" : `, no mistake up to length ${curve.longest_perfect_length}`;
  document.getElementById("shown").textContent = curves.length === 0 ? "No run with these settings has a score yet." :
    "Shown: " + curves.map((curve) => `${runTitle(curve)}, trial ${curve.trial}, ${FLARE.overview.metric.title} ${fixed(curve.score, 4)}${perfect(curve)}`).join("; ") + ".";
  // A chart that no choice could fill is left out: only regular languages have edit distances, and only networks
  // that recognize have an accuracy at each length.
  const draw = (name, card, has, make) => {
    card.hidden = !has;
    if (has) FLARE.draw(name, card, make);
  };
  const some = (key) => data.curves.some((curve) => curve[key].length > 0);
  draw("cross-entropy-vs-length", cards.ce, some("lengths"), () => FLARE.crossEntropyVsLength(curves, data.seen_lengths));
  draw("accuracy-vs-length", cards.accuracy, some("lengths"), () => FLARE.accuracyVsLength(curves, data.seen_lengths));
  draw("edit-distance", cards.edits, some("edits"), () => FLARE.crossEntropyVsEdits(curves));
  draw("training", cards.training, data.training.length > 0, () => FLARE.trainingCurves(trials, curves, state.measure));
};

const sigmoid = (x) => 1 / (1 + Math.exp(-x));

FLARE.tokens = function (example) {
  const tokens = example.text === "" ? [] : example.text.split(" ");
  const {prefix} = example;
  const cell = (text, p) => p === undefined || p === null ? el("span", {}, text) : el("span", {
    title: `p = ${p.toFixed(3)} after “${text}”`,
    style: `background:rgba(var(${p >= 0.5 ? "--accept" : "--reject"}),${(Math.abs(p - 0.5) * 1.3).toFixed(2)})`}, text);
  // One more probability than symbols: the first is that of the empty prefix.
  const shift = prefix.length > tokens.length ? 1 : 0;
  const parts = shift ? [cell("ε", prefix[0])] : [];
  tokens.forEach((token, i) => parts.push(" ", cell(token, prefix[i + shift])));
  return el("div", {class: "tokens"}, parts.length ? parts : "ε");
};

// For runs that were evaluated with the language's format.
FLARE.wrongAnswers = function (data) {
  const table = data.wrong_answers;
  if (!table || !table.rows.some((row) => row.format_right.value !== undefined)) return null;
  return el("section", {id: "wrong-answers"}, el("h2", {}, "Wrong answers"),
    FLARE.renderTable(table, "wrong-answers", (row, previous) => row.validation.text !== previous.validation.text));
};

FLARE.hardest = function (data) {
  const groups = data.hardest.filter((group) => group.examples.length > 0);
  if (groups.length === 0) return null;
  const along = groups.some((group) => group.examples.some((example) => example.prefix.length > 0));
  return el("section", {id: "hardest"},
    el("h2", {}, "Hardest examples"),
    el("p", {class: "muted small"}, "The strings of the test set with the highest cross-entropy for the run that is chosen by validation. ",
      along ? "Each symbol is shaded by the model’s probability that the string so far is a member: blue above ½, orange below." : ""),
    groups.map((group) => el("details", {open: group === groups[0]},
      el("summary", {}, `${runTitle(group)}, trial ${group.trial}`),
      el("div", {class: "card"}, group.examples.map((example) => el("div", {class: "example"},
        el("div", {class: "small"}, el("span", {class: "badge"}, "example " + (example.index + 1)),
          `is ${example.label ? "a member" : "not a member"}; the model says ${fixed(sigmoid(example.logit), 3)}`,
          el("span", {class: "muted"}, `, length ${example.text === "" ? 0 : example.text.split(" ").length}`)),
        FLARE.tokens(example)))))));
};
