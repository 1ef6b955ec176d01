// Data, elements, routes, theme and search: what the other scripts share.
"use strict";

const FLARE = {
  data: new Map(),
  waiting: new Map(),

  // Data files call this: pages on disk may load scripts but not read files. `documents` has pairs of a key and a
  // document, packed as page.cc says.
  put(shapes, texts, documents) {
    const unpack = (packed) => {
      if (!Array.isArray(packed)) return packed;
      const [kind, ...items] = packed;
      if (kind < 0) return unpack(texts[-kind - 1]);
      return kind === 0 ? items.map(unpack) : Object.fromEntries(shapes[kind - 1].map((name, i) => [name, unpack(items[i])]));
    };
    for (const [key, packed] of documents) {
      FLARE.data.set(key, unpack(packed));
      (FLARE.waiting.get(key) || []).forEach((resolve) => resolve(FLARE.data.get(key)));
      FLARE.waiting.delete(key);
    }
  },

  // The document of that key, from the script that puts it. `fresh` loads it again.
  load(key, file, fresh = false) {
    if (FLARE.data.has(key) && !fresh) return Promise.resolve(FLARE.data.get(key));
    return new Promise((resolve, reject) => {
      FLARE.waiting.set(key, [...(FLARE.waiting.get(key) || []), resolve]);
      const script = document.createElement("script");
      script.src = `data/${file}.js` + (fresh ? "?" + Date.now() : "");
      script.onload = () => script.remove();
      script.onerror = () => { script.remove(); reject(new Error("cannot load " + file)); };
      document.head.append(script);
    });
  },

  get overview() { return FLARE.data.get("overview"); },
  language(id) { return FLARE.overview.languages.find((language) => language.id === id); },
  architecture(id) { return FLARE.overview.architectures.find((a) => a.id === id); },
  loss(id) { return FLARE.overview.losses.find((loss) => loss.id === id) || {id, title: id}; },
};

// An element: el("a", {href: "#", class: "x", onclick: f}, "text", child, [children]).
function el(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "html") element.innerHTML = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return element;
}

const fixed = (value, decimals = 2) => (value === null || value === undefined ? "–" : value.toFixed(decimals));
const signed = (value, decimals = 2) => {
  const text = Math.abs(value).toFixed(decimals);
  return (value < 0 ? "−" : "+") + text;
};
const validationTitle = (id) => FLARE.overview.validation_titles[id] || id;
// Addresses are typed by hand, too: a lone % is itself.
const decoded = (text) => { try { return decodeURIComponent(text); } catch { return text; } };
// Replaces what an element holds; null is nothing.
const fill = (element, ...children) => element.replaceChildren(...children.filter((child) => child !== null));
const languageLink = (id, architecture) =>
  "#/language/" + encodeURIComponent(id) + (architecture ? "?architecture=" + encodeURIComponent(architecture) : "");
const style = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const isDark = () => document.documentElement.dataset.theme === "dark";
const colorOfLook = (look) => (isDark() ? look.bright : look.color);
const lookOf = (architecture) => FLARE.architecture(architecture).look;
const colorOf = (architecture) => colorOfLook(lookOf(architecture));
// For style sheets, which choose between them.
const colorsOf = (architecture) => `--on-white:${lookOf(architecture).color};--on-black:${lookOf(architecture).bright}`;

// ---- theme

FLARE.setTheme = function (theme) {
  document.documentElement.dataset.theme = theme;
  FLARE.redrawCharts();
};
FLARE.initialTheme = function () {
  let stored = null;
  try { stored = localStorage.getItem("flare-theme"); } catch { /* storage may be closed to pages on disk */ }
  return stored || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
};

// ---- routes

FLARE.route = function () {
  const [path, query] = location.hash.replace(/^#\/?/, "").split("?");
  const parts = path.split("/").map(decoded);
  const options = new URLSearchParams(query || "");
  FLARE.destroyCharts();
  const view = document.getElementById("view");
  if (parts[0] === "language" && FLARE.language(parts[1])) {
    FLARE.showLanguage(view, parts[1], options);
  } else if (parts[0] === "language") {
    fill(view, el("h1", {}, "No such language"), el("p", {}, "This report has none named ", el("code", {}, parts[1] || ""), ". ",
      el("a", {href: "#/"}, "Overview")));
  } else {
    FLARE.showOverview(view, parts[0]);
  }
};

// ---- search

FLARE.searchEntries = function () {
  const {languages} = FLARE.overview;
  const entries = languages.map((language) => ({
    title: language.title,
    detail: [language.class_title, language.definition].filter(Boolean).join(" · "),
    words: [language.id, language.title, language.class, language.class_title, language.definition,
      language.classes].join(" "),
    href: languageLink(language.id),
  }));
  for (const [id, title] of [["main", "Main table"], ...FLARE.overview.axes.map(({setting}) => ["axis-" + setting, "By " + setting]), ["hierarchy", "Chomsky hierarchy"], ["predicted", "Predicted beside observed"],
    ...Object.keys(FLARE.overview.tables).filter((name) => FLARE.kTitles[name] && (name !== "model-sizes" || FLARE.overview.budgets.length > 1)).map((name) => [name, FLARE.kTitles[name]]), ["files", "Files to download"]]) {
    entries.push({title, detail: "overview", words: title + " table overview " + id, href: "#/" + id});
  }
  return entries;
};

FLARE.startSearch = function () {
  const input = document.getElementById("search");
  const results = document.getElementById("search-results");
  const find = () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = words.length === 0 ? [] : FLARE.searchEntries()
      .filter((entry) => words.every((word) => entry.words.toLowerCase().includes(word)));
    results.hidden = words.length === 0;
    results.replaceChildren(...found.slice(0, 20).map((entry, i) =>
      el("a", {href: entry.href, class: i === 0 ? "active" : null, onclick: close}, entry.title, el("small", {}, entry.detail))));
    if (words.length > 0 && found.length === 0) results.append(el("a", {class: "muted"}, "nothing found"));
  };
  function close() { results.hidden = true; input.value = ""; }
  input.addEventListener("input", find);
  input.addEventListener("keydown", (event) => {
    const first = results.querySelector("a[href]");
    if (event.key === "Enter" && first) { location.hash = first.getAttribute("href"); close(); }
    if (event.key === "Escape") close();
  });
  document.addEventListener("click", (event) => { if (!event.target.closest(".search")) results.hidden = true; });
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && document.activeElement.tagName !== "INPUT") { event.preventDefault(); input.focus(); }
  });
};

// ---- live

// While `flare report --watch` runs: checks whether the report has changed and, if so, redraws it
// where the reader is.
FLARE.startLive = function () {
  const {refresh} = FLARE.overview;
  if (!refresh) return;
  let stamp = null;
  const look = async () => {
    try {
      const now = await FLARE.load("stamp", "stamp-1", true);
      if (stamp !== null && now !== stamp) await FLARE.refresh();
      stamp = now;
    } catch { /* the report is being moved or removed: try again later */ }
    if (FLARE.overview.refresh) setTimeout(look, 1000 * refresh);
  };
  look();
};

FLARE.refresh = async function () {
  for (const key of [...FLARE.data.keys()]) if (key.includes("/")) FLARE.data.delete(key);
  await FLARE.load("overview", "overview-1", true);
  FLARE.keepScroll = true;
  FLARE.route();
  setTimeout(() => { FLARE.keepScroll = false; }, 500);
};

// ---- start

FLARE.start = function () {
  const {name, version} = FLARE.overview;
  document.title = name ? `${name} – FLaRe++ report` : "FLaRe++ report";
  document.getElementById("sweep-name").textContent = name;
  document.getElementById("foot").textContent = `Made by flare ${version}. Everything on this page is also in the files next to it.`;
  document.documentElement.dataset.theme = FLARE.initialTheme();
  document.getElementById("theme").addEventListener("click", () => {
    const theme = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
    try { localStorage.setItem("flare-theme", theme); } catch { /* as above */ }
    FLARE.setTheme(theme);
  });
  FLARE.startSearch();
  window.addEventListener("hashchange", () => { FLARE.route(); });
  FLARE.route();
  FLARE.startLive();
};
