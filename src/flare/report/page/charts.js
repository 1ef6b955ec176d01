// Charts by Chart.js, each a function of data that can be drawn again when a filter or the theme
// changes.
"use strict";

FLARE.charts = new Map();  // name -> {canvas, make, chart}

FLARE.destroyCharts = function () {
  for (const {chart} of FLARE.charts.values()) if (chart) chart.destroy();
  FLARE.charts.clear();
};

// Draws `make()`, a Chart.js configuration or null for "nothing to show", under this name.
FLARE.draw = function (name, card, make) {
  let entry = FLARE.charts.get(name);
  if (!entry) {
    const canvas = el("canvas", {role: "img", "aria-label": name});
    const empty = el("p", {class: "muted", hidden: true}, "Nothing to show for this choice.");
    card.append(el("div", {class: "chart"}, canvas), empty);
    entry = {canvas, empty, chart: null};
    FLARE.charts.set(name, entry);
  }
  entry.make = make;
  FLARE.drawEntry(entry);
};

FLARE.drawEntry = function (entry) {
  if (entry.chart) entry.chart.destroy();
  const config = entry.make();
  entry.chart = config && new Chart(entry.canvas, config);
  entry.canvas.parentElement.hidden = !config;
  entry.empty.hidden = Boolean(config);
};

FLARE.redrawCharts = function () {
  for (const entry of FLARE.charts.values()) FLARE.drawEntry(entry);
};

// Dashed lines at options.plugins.guides.{x, y}: [{at, label}].
const guides = {
  id: "guides",
  afterDatasetsDraw(chart, _, options) {
    const {ctx, chartArea: area, scales} = chart;
    ctx.save();
    ctx.strokeStyle = ctx.fillStyle = style("--muted");
    ctx.font = "11px system-ui, sans-serif";
    ctx.setLineDash([4, 4]);
    for (const {at, label} of options.y || []) {
      const y = scales.y.getPixelForValue(at);
      if (y < area.top || y > area.bottom) continue;
      ctx.beginPath(); ctx.moveTo(area.left, y); ctx.lineTo(area.right, y); ctx.stroke();
      ctx.textAlign = "right"; ctx.fillText(label, area.right - 2, y - 4);
    }
    for (const {at, label} of options.x || []) {
      const x = scales.x.getPixelForValue(at);
      if (x < area.left || x > area.right) continue;
      ctx.beginPath(); ctx.moveTo(x, area.top); ctx.lineTo(x, area.bottom); ctx.stroke();
      ctx.textAlign = "left"; ctx.fillText(label, x + 3, area.top + 10);
    }
    ctx.restore();
  },
};
const kLog2 = {at: Math.LN2, label: "log 2: ↑ wrong"};
const seenLengths = (lengths) => lengths.map((at) => ({at, label: String(at)}));
const kDashes = {solid: [], dashed: [6, 4], dotted: [2, 3], "dash-dotted": [7, 3, 2, 3]};
const kMarks = {dot: "circle", square: "rect", triangle: "triangle", diamond: "rectRot", ring: "circle", frame: "rect", cross: "crossRot", plus: "cross"};
// A line as figures draw it, with a mark at each how-many-th of its points.
const lineOf = function (look, count, {width = 2, alpha = 1, marks = true} = {}) {
  const color = alpha < 1 ? translucent(colorOfLook(look), alpha) : colorOfLook(look);
  const every = Math.max(1, Math.floor(count / 8));
  const hollow = look.mark === "ring" || look.mark === "frame";
  return {borderColor: color, backgroundColor: color, borderWidth: width, borderDash: kDashes[look.dash], pointStyle: kMarks[look.mark],
    pointBackgroundColor: hollow ? style("--surface") : color, pointBorderColor: color, pointHoverRadius: 5,
    pointRadius: count === 1 ? 3.5 : ({dataIndex}) => (marks && dataIndex % every === 0 ? 3.5 : 0)};
};

FLARE.baseConfig = function ({type = "line", datasets, x, y, guideLines = {}, tooltip, legend = true}) {
  const axis = (options) => ({
    type: "linear",
    grid: {color: style("--line")},
    ticks: {color: style("--muted"), maxTicksLimit: 8, ...(options.whole ? {precision: 0} : {})},
    ...options,
    title: {display: true, text: options.text, color: style("--muted")},
  });
  return {
    type,
    data: {datasets},
    plugins: [guides],
    options: {
      animation: false,
      responsive: true,
      maintainAspectRatio: false,
      interaction: type === "line" ? {mode: "index", intersect: false, axis: "x"} : {mode: "nearest", intersect: true},
      scales: {x: axis(x), y: axis(y)},
      plugins: {
        guides: guideLines,
        legend: {
          display: legend,
          labels: {color: style("--fg"), usePointStyle: true, boxHeight: 7, filter: (item, data) => !data.datasets[item.datasetIndex].helper},
        },
        tooltip: {filter: (item) => !item.dataset.helper, ...(tooltip ? {callbacks: {label: tooltip}} : {})},
      },
    },
  };
};

const translucent = (color, alpha) => {
  const [r, g, b] = [1, 3, 5].map((i) => parseInt(color.slice(i, i + 2), 16));
  return `rgba(${r},${g},${b},${alpha})`;
};
const runTitle = (curve) => FLARE.architecture(curve.architecture).title +
  (FLARE.overview.losses.length > 1 ? ` (${FLARE.loss(curve.loss).title})` : "");

FLARE.crossEntropyVsLength = function (curves, lengths) {
  const drawn = curves.filter((curve) => curve.lengths.length > 0);
  if (drawn.length === 0) return null;
  const datasets = drawn.flatMap((curve) => {
    const color = colorOf(curve.architecture);
    // Several overlapping bands cannot be read: then one is drawn, that of the curve at the pointer.
    const edge = {borderWidth: 0, pointRadius: 0, pointHoverRadius: 0, helper: true, band: curve, hidden: drawn.length > 1};
    return [
      {...edge, label: "below", data: curve.lengths.map(([n, , ce, std]) => ({x: n, y: Math.max(0, ce - std)}))},
      {...edge, label: "above", data: curve.lengths.map(([n, , ce, std]) => ({x: n, y: ce + std})), fill: "-1", backgroundColor: translucent(color, 0.2)},
      {label: runTitle(curve), curve, data: curve.lengths.map(([n, , ce, std, count]) => ({x: n, y: ce, std, count})),
        ...lineOf(lookOf(curve.architecture), curve.lengths.length)},
    ];
  });
  const config = FLARE.baseConfig({
    datasets,
    x: {text: "length", min: 0, whole: true},
    y: {text: "cross-entropy (lower is better)", min: 0, suggestedMax: 0.8},
    guideLines: {y: [kLog2], x: seenLengths(lengths)},
    tooltip: (item) => `${item.dataset.label}: ${fixed(item.raw.y, 3)} ± ${fixed(item.raw.std, 3)} (${item.raw.count} strings)`,
  });
  if (drawn.length > 1) config.options.onHover = FLARE.showBand;
  return config;
};

FLARE.showBand = function (event, _, chart) {
  const near = chart.getElementsAtEventForMode(event, "nearest", {intersect: false, axis: "xy"}, true)
    .map(({datasetIndex}) => chart.data.datasets[datasetIndex]).find((set) => set.curve);
  if (!near || chart.shownBand === near.curve) return;
  chart.shownBand = near.curve;
  chart.data.datasets.forEach((set, i) => { if (set.band) chart.setDatasetVisibility(i, set.band === near.curve); });
  chart.update("none");
};

FLARE.accuracyVsLength = function (curves, lengths) {
  const drawn = curves.filter((curve) => curve.lengths.length > 0);
  if (drawn.length === 0) return null;
  return FLARE.baseConfig({
    datasets: drawn.map((curve) => ({label: runTitle(curve), data: curve.lengths.map(([n, accuracy]) => ({x: n, y: accuracy})),
      ...lineOf(lookOf(curve.architecture), curve.lengths.length)})),
    x: {text: "length", min: 0, whole: true},
    y: {text: "accuracy", max: 1, suggestedMin: 0.5},
    guideLines: {x: seenLengths(lengths)},
    tooltip: (item) => `${item.dataset.label}: ${fixed(item.raw.y, 3)}`,
  });
};

FLARE.crossEntropyVsEdits = function (curves) {
  const drawn = curves.filter((curve) => curve.edits.length > 0);
  if (drawn.length === 0) return null;
  return FLARE.baseConfig({
    type: "scatter",
    datasets: drawn.map((curve) => {
      const color = colorOf(curve.architecture);
      return {label: runTitle(curve), data: curve.edits.map(([x, y, length]) => ({x, y, length})),
        backgroundColor: translucent(color, 0.65), borderColor: color, pointStyle: kMarks[lookOf(curve.architecture).mark], pointRadius: 3.5, pointHoverRadius: 6};
    }),
    x: {text: "edit distance to the language", min: 0, whole: true},
    y: {text: "cross-entropy (lower is better)", min: 0, suggestedMax: 0.8},
    guideLines: {y: [kLog2]},
    tooltip: (item) => `${item.dataset.label}: ${fixed(item.raw.y, 3)} at distance ${item.raw.x}, length ${item.raw.length}`,
  });
};

const kTrainingMeasures = {
  ce: {text: "validation cross-entropy", min: 0},
  accuracy: {text: "validation accuracy", max: 1},
  loss: {text: "training loss"},
};

// `shown` are the runs that the other charts show: drawn thick among the other trials.
FLARE.trainingCurves = function (runs, shown, measure) {
  const isShown = (run) => shown.some((curve) => ["architecture", "loss", "validation", "trial"].every((key) => curve[key] === run[key]));
  const drawn = runs.filter((run) => run.curve.epoch.length > 0);
  if (drawn.length === 0) return null;
  return FLARE.baseConfig({
    datasets: drawn.map((run) => {
      const thick = isShown(run);
      return {label: `${runTitle(run)}, trial ${run.trial}`, data: run.curve.epoch.map((x, i) => ({x, y: run.curve[measure][i]})),
        ...lineOf(lookOf(run.architecture), run.curve.epoch.length, thick ? {width: 2.5} : {width: 1, alpha: 0.35, marks: false}),
        spanGaps: true, order: thick ? 0 : 1};
    }),
    x: {text: "epoch", min: 0, whole: true},
    y: kTrainingMeasures[measure],
    guideLines: measure === "ce" ? {y: [kLog2]} : {},
    legend: drawn.length <= 6,
    tooltip: (item) => `${item.dataset.label}: ${fixed(item.raw.y, 3)}`,
  });
};

// One dot per cell of the main table that both have.
FLARE.oursAgainstPublished = function (cells) {
  if (cells.length === 0) return null;
  const {is_share: isShare, worst} = FLARE.overview.metric, values = cells.flatMap(({x, y}) => [x, y]);
  const min = isShare ? Math.max(0, worst - 0.1) : Math.min(...values), max = isShare ? 1 : Math.max(...values);
  const architectures = FLARE.overview.architectures.filter((a) => cells.some((cell) => cell.architecture === a.id));
  const config = FLARE.baseConfig({
    type: "scatter",
    datasets: architectures.map((architecture) => {
      const color = colorOf(architecture.id);
      return {label: architecture.title,
        data: cells.filter((cell) => cell.architecture === architecture.id),
        backgroundColor: translucent(color, 0.65), borderColor: color, pointStyle: kMarks[architecture.look.mark], pointRadius: 4, pointHoverRadius: 7, clip: 8};
    }).concat([{type: "line", label: "equal", helper: true, data: [{x: min, y: min}, {x: max, y: max}], pointRadius: 0, pointHoverRadius: 0,
      borderColor: style("--muted"), borderWidth: 1, borderDash: [4, 4]}]),
    x: {text: `published (${FLARE.overview.published_label})`, min, max},
    y: {text: "ours", min, max},
    tooltip: (item) => `${item.raw.title}, ${item.dataset.label}, ${item.raw.experiment}: ${fixed(item.raw.y, 3)}, ${FLARE.overview.published_label} ${fixed(item.raw.x)}`,
  });
  config.options.onClick = (event, items, chart) => {
    if (items.length === 0) return;
    const point = chart.data.datasets[items[0].datasetIndex].data[items[0].index];
    if (point.language) location.hash = languageLink(point.language, point.architecture);
  };
  return config;
};
