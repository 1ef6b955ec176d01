// The metric along settings that the grid varies over numbers: a table for each, a chart per language.
"use strict";

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
