// Tables of the report as HTML, from the same documents as tables/*.json.
"use strict";

FLARE.coverageText = function (cell) {
  const parts = [];
  if (cell.of > 0) parts.push(cell.runs < cell.of || cell.others_lack ? `${cell.runs}/${cell.of}` : `n = ${cell.runs}`);
  if (cell.diverged > 0) parts.push(`${cell.diverged} diverged`);
  if (cell.tried > 1) parts.push(`${cell.tried} settings`);
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

// Columns of text are aligned to the left, numbers to the right, and a word among them as they are.
FLARE.isText = (table, column) => table.rows.some((row) => row[column.key].text !== undefined) &&
  !table.rows.some((row) => row[column.key].value !== undefined);

FLARE.tableHead = function (table, sort = null) {
  const groups = el("tr"), titles = el("tr");
  let last = null;
  for (const column of table.columns) {
    if (last && column.group && column.group === last.group) {
      last.th.colSpan += 1;
    } else {
      last = {group: column.group, th: el("th", {class: column.group ? "group" : null}, column.group)};
      groups.append(last.th);
    }
    titles.append(el("th", {class: FLARE.isText(table, column) ? "left" : null},
      sort ? el("button", {type: "button", class: "sort", title: "sort by this", "data-key": column.key, onclick: () => sort(column)}, column.title) : column.title));
  }
  return el("thead", {}, table.columns.some((column) => column.group) ? groups : null, titles);
};

// What a cell is sorted by: its number, else its text; cells without either come last.
FLARE.sortValue = (cell) => cell.value ?? cell.low ?? cell.text ?? null;

// The rows of a table, a page of them at a time, to be searched and sorted: { element, show }. `draw(row, previous)` makes
// the element of a row, `words(row)` what is searched. Short tables are shown as they are.
FLARE.kPage = 50;
FLARE.pagedRows = function ({table, className, id, draw, words}) {
  const long = table.rows.length > FLARE.kPage;
  const body = el("tbody"), count = el("span", {class: "muted small"}), pager = el("span", {class: "pager"});
  const filter = el("input", {type: "search", placeholder: "filter rows", "aria-label": "Filter rows"});
  let page = 0, key = null, falling = false;
  const show = () => {
    const wanted = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    let rows = wanted.length ? table.rows.filter((row) => wanted.every((word) => words(row).toLowerCase().includes(word))) : table.rows.slice();
    if (key) {
      const value = (row) => FLARE.sortValue(row[key]);
      rows.sort((a, b) => {
        const [x, y] = [value(a), value(b)];
        if (x === null || y === null) return (x === null) - (y === null);
        const order = typeof x === "number" && typeof y === "number" ? x - y : String(x).localeCompare(String(y));
        return falling ? -order : order;
      });
    }
    const pages = Math.max(1, Math.ceil(rows.length / FLARE.kPage));
    page = Math.min(page, pages - 1);
    let previous = null;
    body.replaceChildren(...rows.slice(page * FLARE.kPage, (page + 1) * FLARE.kPage).map((row) => {
      const element = draw(row, key ? null : previous);
      previous = row;
      return element;
    }));
    count.textContent = wanted.length ? `${rows.length} of ${table.rows.length} rows` : `${table.rows.length} rows`;
    const turn = (text, by, label) => el("button", {type: "button", "aria-label": label, disabled: page + by < 0 || page + by >= pages, onclick: () => { page += by; show(); }}, text);
    pager.replaceChildren(turn("‹", -1, "previous page"), `page ${page + 1} of ${pages}`, turn("›", 1, "next page"));
    pager.hidden = pages < 2;
  };
  const sort = (column) => {
    // Numbers fall first: the best is on top.
    const isNumber = table.rows.some((row) => typeof FLARE.sortValue(row[column.key]) === "number");
    if (key !== column.key) { key = column.key; falling = isNumber; } else if (falling === isNumber) { falling = !falling; } else { key = null; }
    page = 0;
    for (const button of head.querySelectorAll(".sort")) button.dataset.order = button.dataset.key !== key ? "" : falling ? "falling" : "rising";
    show();
  };
  const head = FLARE.tableHead(table, table.rows.length > 1 ? sort : null);
  filter.addEventListener("input", () => { page = 0; show(); });
  show();
  return el("div", {}, long ? el("div", {class: "table-tools"}, filter, count, pager) : null,
    el("div", {class: "scroll"}, el("table", {class: className, id}, head, body)));
};

FLARE.tableFiles = function (path) {
  return el("p", {class: "downloads small"}, ["md", "tex", "csv", "json"].map((type) =>
    el("a", {href: `tables/${encodeURI(path)}.${type}`}, {md: "Markdown", tex: "LaTeX", csv: "CSV", json: "JSON"}[type])));
};

// Drawings are white, as paper is; the dark theme turns their lightness round.
FLARE.drawings = function (places) {
  if (!(places || []).length) return null;
  return el("div", {class: "drawings"}, places.map((place) => {
    const file = `figures/${place.split("/").map(encodeURIComponent).join("/")}.svg`;
    return el("a", {href: file}, el("img", {src: file, loading: "lazy", alt: place}));
  }));
};

// `rule(row, previous)` says where a line separates rows.
FLARE.renderTable = function (table, path, rule = () => false) {
  const text = new Set(table.columns.filter((column) => FLARE.isText(table, column)));
  return el("div", {},
    FLARE.drawings(table.figures),
    FLARE.pagedRows({
      table,
      words: (row) => table.columns.map(({key}) => row[key].text ?? "").join(" "),
      draw: (row, previous) => el("tr", {class: previous && rule(row, previous) ? "rule" : null}, table.columns.map((column) =>
        el("td", {class: text.has(column) ? "left" : null}, FLARE.cellContent(row[column.key])))),
    }),
    el("div", {class: "notes"}, el("p", {}, table.caption), table.notes.map((note) => el("p", {}, note))),
    FLARE.tableFiles(path));
};

// A table whose rows are in a file of their own, since they are many: drawn when it is opened.
FLARE.foldedTable = function (name, title, table) {
  const place = el("div");
  const fill = async () => {
    if (!details.open || place.childElementCount > 0) return;
    try {
      place.replaceChildren(FLARE.renderTable(table.rows_in ? await FLARE.load("table/" + name, table.rows_in) : table, name));
    } catch (error) {
      place.replaceChildren(el("p", {}, error.message));
    }
  };
  const details = el("details", {id: name, ontoggle: fill}, el("summary", {}, title), place);
  return details;
};
