// Every run of a language with its settings, hashes and scores, loaded when asked for.
"use strict";

FLARE.runsSection = function (language) {
  const place = el("div");
  const details = el("details", {id: "runs", ontoggle: async () => {
    if (!details.open || place.childElementCount > 0) return;
    place.append(el("p", {class: "muted"}, "Loading …"));
    try {
      place.replaceChildren(FLARE.runsTable(await FLARE.load("runs/" + language.id, language.runs_in)));
    } catch (error) {
      place.replaceChildren(el("p", {}, error.message));
    }
  }}, el("summary", {}, "Settings, hashes and scores of every run"), place);
  return el("section", {}, el("h2", {}, "Runs"), details);
};

FLARE.runsTable = function (runs) {
  const manyBudgets = FLARE.overview.budgets.length > 1;
  const heads = ["Architecture", "Loss", "Validation", manyBudgets && "Budget", "Trial", "State", "Seed", "Learning rate", "B", "Epochs", "Val. CE", "L. Test", "Examples/s", "Model"].filter(Boolean);
  const filter = el("input", {type: "search", placeholder: "filter: lstm rec+ns diverged 3f2a…", "aria-label": "Filter runs", style: "padding:.2rem .5rem;width:min(28rem,100%)"});
  const body = el("tbody");
  const rows = runs.map((run) => ({run, words: JSON.stringify(run).toLowerCase()}));
  const show = () => {
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = rows.filter((row) => words.every((word) => row.words.includes(word)));
    body.replaceChildren(...found.map(({run}) => FLARE.runRow(run, manyBudgets, heads.length)));
    count.textContent = `${found.length} of ${rows.length} runs`;
  };
  const count = el("span", {class: "muted small"});
  filter.addEventListener("input", show);
  show();
  return el("div", {}, el("p", {}, filter, " ", count),
    el("div", {class: "scroll", style: "max-height:32rem;overflow:auto"},
      el("table", {class: "runs"}, el("thead", {}, el("tr", {}, heads.map((head) => el("th", {class: "left"}, head)))), body)));
};

FLARE.runRow = function (run, manyBudgets, columns) {
  const setting = (name, show = (text) => text) => (run.settings && run.settings[name] ? show(run.settings[name]) : "–");
  const row = el("tr", {class: "openable", tabindex: 0, title: "show settings and all scores"},
    [FLARE.architecture(run.architecture).title, FLARE.loss(run.loss).title, run.validation, manyBudgets ? run.budget : null, run.trial,
      el("span", {class: "pill " + run.state}, run.state), setting("seed"), setting("learning_rate", (rate) => Number(rate).toPrecision(3)), setting("batch_tokens"),
      run.epochs === undefined ? "–" : run.epochs, fixed(run.validation_ce, 4), fixed(run.test, 4),
      run.examples_per_second === undefined ? "–" : Math.round(run.examples_per_second),
      el("code", {title: run.model_sha256}, (run.model_sha256 || "–").slice(0, 10))]
      .filter((content) => content !== null).map((content) => el("td", {class: "left"}, content)));
  let detail = null;
  const toggle = () => {
    if (detail) { detail.remove(); detail = null; return; }
    detail = el("tr", {class: "detail"}, el("td", {colspan: columns}, FLARE.runDetail(run)));
    row.after(detail);
  };
  row.addEventListener("click", toggle);
  row.addEventListener("keydown", (event) => { if (event.key === "Enter") toggle(); });
  return row;
};

FLARE.runDetail = function (run) {
  const facts = el("dl", {class: "facts small"});
  const add = (name, value) => {
    if (value !== undefined && value !== null && value !== "") facts.append(el("dt", {}, name), el("dd", {class: "mono"}, String(value)));
  };
  add("directory", run.directory);
  add("failure", run.failure);
  if (run.settings) add("settings", Object.entries(run.settings).filter(([, value]) => value !== "").map(([name, value]) => `${name} ${value}`).join(" · "));
  add("data sha256", run.data_sha256);
  add("model sha256", run.model_sha256);
  add("stopped", run.stop_reason);
  add("best epoch", run.best_epoch);
  add("parameters", run.parameters);
  add("seconds", run.seconds);
  add("of processor time", run.cpu_seconds);
  for (const [split, metrics] of Object.entries(run.splits || {})) {
    add(split, Object.entries(metrics).map(([name, value]) => `${name} ${value}`).join(" · "));
  }
  return facts;
};
