// What theory excludes and what was learned, languages grouped by class, with filters by class.
"use strict";

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
    el("div", {class: "filters"}, el("fieldset", {}, el("legend", {}, "Class"), chips), filter, count),
    place,
    el("p", {class: "small downloads"}, "As a figure: ", ["svg"].map((type) => el("a", {href: "figures/predicted." + type}, "predicted." + type))));
};
