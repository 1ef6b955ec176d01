// Walks through the page as a reader would and writes what it saw into the document, where
// page_test.cc reads it.
"use strict";

(async () => {
  const seen = {};
  const wait = async (condition, what) => {
    for (let i = 0; i < 200; ++i) {
      if (condition()) return;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    throw new Error("waited in vain for " + what);
  };
  const pixels = (name) => {
    const {canvas} = FLARE.charts.get(name);
    const {data} = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    let count = 0;
    for (let i = 3; i < data.length; i += 4) count += data[i] > 0;
    return count;
  };
  const picture = (name) => FLARE.charts.get(name).canvas.toDataURL();
  const lines = (name) => FLARE.charts.get(name).chart.data.datasets.filter((set) => !set.helper).length;
  const title = () => document.querySelector("h1").textContent;
  try {
    seen.title = document.title;
    seen.rows = document.querySelectorAll("#heat tbody tr").length;
    seen.cells = document.querySelectorAll("#heat a.cell").length;
    seen.dots = document.querySelectorAll(".dot").length;
    seen.compare = pixels("compare-expressivity");

    document.querySelector('#heat a.cell[href*="parity"][href*="rnn"]').click();
    await wait(() => title() === "Parity" && FLARE.charts.has("training"), "the cell's language");
    seen.asked_only = lines("cross-entropy-vs-length");
    seen.pressed = document.querySelectorAll('.chip[data-filter="architecture"][aria-pressed="true"]').length;

    location.hash = "#/language/parity";
    await wait(() => FLARE.charts.has("training") && lines("cross-entropy-vs-length") === 3, "all architectures");
    seen.charts = Object.fromEntries([...FLARE.charts.keys()].map((name) => [name, pixels(name)]));
    seen.automaton = document.querySelectorAll(".automaton .node").length;
    seen.samples = document.querySelectorAll(".strings li").length;
    seen.full_rows = document.querySelectorAll("#full ~ div table tbody tr").length;
    seen.shaded = document.querySelectorAll("#hardest .tokens span[style]").length;
    seen.tokens = document.querySelectorAll("#hardest .tokens span").length;

    document.querySelector('.chip[data-filter="by"][data-value="test"]').click();
    seen.choice_changes = ["test", "validation"].map((value) =>
      document.querySelector(`.chip[data-filter="by"][data-value="${value}"]`).getAttribute("aria-pressed")).join() === "true,false";
    document.querySelector('.chip[data-filter="by"][data-value="validation"]').click();
    seen.bands = FLARE.charts.get("cross-entropy-vs-length").chart.data.datasets.filter((set) => set.band && !set.hidden).length;
    const before = picture("cross-entropy-vs-length");
    document.querySelector('.chip[data-filter="architecture"][data-value="lstm"]').click();
    seen.filtered = lines("cross-entropy-vs-length");
    seen.filter_changes = picture("cross-entropy-vs-length") !== before;
    const best = document.getElementById("shown").textContent;
    document.querySelector('.chip[data-filter="validation"][data-value="short"]').click();
    seen.validation_changes = document.getElementById("shown").textContent !== best;
    document.querySelector('.chip[data-filter="loss"][data-value="rec+ns"]').click();
    seen.loss_in_legend = FLARE.charts.get("accuracy-vs-length").chart.data.datasets.every((set) => set.label.includes("R+NS"));
    const light = picture("training");
    document.getElementById("theme").click();
    seen.theme_changes = picture("training") !== light;
    seen.theme = document.documentElement.dataset.theme;

    document.getElementById("runs").open = true;
    await wait(() => document.querySelector("tr.openable"), "the runs");
    seen.runs = document.querySelectorAll("tr.openable").length;
    document.querySelector("tr.openable").click();
    seen.run_settings = document.querySelector("#runs thead").textContent.includes("Learning rate");
    seen.run_detail = document.querySelector("tr.detail").textContent.includes("data sha256");

    const search = document.getElementById("search");
    search.value = "brackets";
    search.dispatchEvent(new Event("input"));
    seen.found = document.querySelectorAll("#search-results a[href]").length;
    search.dispatchEvent(new KeyboardEvent("keydown", {key: "Enter"}));
    await wait(() => title() === "Dyck-(2, 3)", "the language that was searched for");
    location.hash = "#/language/majority";
    await wait(() => title() === "Majority" && FLARE.charts.has("training"), "a language without automaton");
    seen.majority_charts = [...FLARE.charts.keys()].length;
    seen.majority_nulls = document.getElementById("view").innerText.split(/\s+/).includes("null");
    const canvas = FLARE.charts.get("training").canvas;
    await FLARE.refresh();
    await wait(() => FLARE.charts.has("training") && FLARE.charts.get("training").canvas !== canvas, "the page drawn anew");
    seen.refreshed = title();
    location.hash = "#/";
    await wait(() => document.getElementById("heat"), "the overview");
    seen.named_dots = [...document.querySelectorAll(".named")].every((dot) => dot.textContent.length > 3);
    const predicted = () => document.querySelectorAll("#predicted tbody tr").length;
    seen.predicted = predicted();
    seen.excluded = document.querySelector("#predicted").textContent.includes("excluded");
    const narrow = document.getElementById("class-filter");
    narrow.value = "group";
    narrow.dispatchEvent(new Event("input"));
    seen.predicted_by_word = predicted();
    narrow.value = "";
    narrow.dispatchEvent(new Event("input"));
    for (const chip of document.querySelectorAll('.chip[data-filter="class"]')) {
      if (/not in AC|^not regular/.test(chip.dataset.value)) chip.click();
    }
    seen.predicted_by_class = predicted();
    seen.sizes = document.getElementById("model-sizes") !== null;
    seen.nulls = document.getElementById("view").innerText.includes("null");
    for (const [name, hash] of [["unknown", "#/language/none"], ["percent", "#/language/%"]]) {
      location.hash = hash;
      const told = () => document.getElementById("view").textContent.includes("named " + decoded(hash.split("/")[2]) + ".");
      await wait(() => title() === "No such language" && told(), hash);
      seen[name] = told();
    }
    location.hash = "#/";
    await wait(() => document.getElementById("heat"), "the overview again");
    const learned = (validation) => ({architecture: "lstm", loss: "rec", validation, trial: 1, states: 1, classes: [], max_length: 40});
    seen.learned = [...FLARE.learned({learned: ["short", "long"].map(learned)}).querySelectorAll("h3")].map((title) => title.textContent);
    seen.others_lack = FLARE.coverageText({runs: 2, of: 2, diverged: 0, others_lack: true});
    seen.wide = document.documentElement.scrollWidth > document.documentElement.clientWidth;
    seen.from_elsewhere = performance.getEntriesByType("resource").map((entry) => entry.name)
      .filter((name) => !name.startsWith("file:") && !name.startsWith("data:"));
  } catch (error) {
    seen.failed = error.message;
  }
  seen.errors = window.pageErrors;
  document.body.replaceChildren(Object.assign(document.createElement("pre"), {id: "selftest", textContent: JSON.stringify(seen)}));
})();
