// Tables of the report as HTML, from the same documents as tables/*.json.
"use strict";

FLARE.coverageText = function (cell) {
  const parts = [];
  if (cell.of > 0) parts.push(cell.runs < cell.of || cell.others_lack ? `${cell.runs}/${cell.of}` : `n = ${cell.runs}`);
  if (cell.diverged > 0) parts.push(`${cell.diverged} diverged`);
  return parts.join(", ");
};

// The published value and how ours compares: "paper 0.95 ▲ +0.02".
FLARE.publishedNote = function (cell) {
  if (cell.published === undefined) return null;
  if (typeof cell.published === "string") {
    const mark = cell.agrees === undefined ? "" : cell.agrees ? " =" : " ≠";
    return el("span", {class: "published"}, FLARE.overview.published_label + " " + cell.published + mark);
  }
  const note = el("span", {class: "published"}, FLARE.overview.published_label + " " + fixed(cell.published));
  if (cell.compared === 0) note.append(" =");
  if (cell.compared) {
    note.append(" ", el("span", {class: cell.compared > 0 ? "up" : "down"},
      (cell.compared > 0 ? "▲" : "▼") + " " + signed(cell.difference)));
  }
  return note;
};

FLARE.cellContent = function (cell) {
  const parts = [];
  let text = null;
  if (cell.text !== undefined) text = cell.text;
  if (cell.value !== undefined) text = fixed(cell.value, cell.decimals);
  if (cell.low !== undefined) text = `${fixed(cell.low, cell.decimals)}–${fixed(cell.high, cell.decimals)} (n = ${cell.n})`;
  if (text !== null) parts.push(cell.bold ? el("b", {}, text) : text);
  if (cell.std !== undefined) parts.push(el("span", {class: "std"}, " ± " + fixed(cell.std)));
  const coverage = FLARE.coverageText(cell);
  if (coverage) parts.push(" ", el("span", {class: "cover"}, "(" + coverage + ")"));
  parts.push(FLARE.publishedNote(cell));
  return parts;
};

// Columns of text are aligned to the left, numbers to the right.
FLARE.isText = (table, column) => table.rows.some((row) => row[column.key].text !== undefined);

FLARE.tableHead = function (table) {
  const groups = el("tr"), titles = el("tr");
  let last = null;
  for (const column of table.columns) {
    if (last && column.group && column.group === last.group) {
      last.th.colSpan += 1;
    } else {
      last = {group: column.group, th: el("th", {class: column.group ? "group" : null}, column.group)};
      groups.append(last.th);
    }
    titles.append(el("th", {class: FLARE.isText(table, column) ? "left" : null}, column.title));
  }
  return el("thead", {}, table.columns.some((column) => column.group) ? groups : null, titles);
};

FLARE.tableFiles = function (path) {
  return el("p", {class: "downloads small"}, ["md", "tex", "csv", "json"].map((type) =>
    el("a", {href: `tables/${encodeURI(path)}.${type}`}, {md: "Markdown", tex: "LaTeX", csv: "CSV", json: "JSON"}[type])));
};

// `rule(row, previous)` says where a line separates rows.
FLARE.renderTable = function (table, path, rule = () => false) {
  const body = el("tbody");
  let previous = null;
  for (const row of table.rows) {
    body.append(el("tr", {class: previous && rule(row, previous) ? "rule" : null}, table.columns.map((column) =>
      el("td", {class: FLARE.isText(table, column) ? "left" : null}, FLARE.cellContent(row[column.key])))));
    previous = row;
  }
  return el("div", {},
    el("div", {class: "scroll"}, el("table", {}, FLARE.tableHead(table), body)),
    el("div", {class: "notes"}, el("p", {}, table.caption), table.notes.map((note) => el("p", {}, note))),
    FLARE.tableFiles(path));
};
