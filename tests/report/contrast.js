// The least contrast (WCAG 2) of letters with what is seen behind them, by theme and view.
(async () => {
  const frame = Object.assign(document.createElement("iframe"), {src: "index.html"});
  frame.style.cssText = "width: 1200px; height: 800px; border: 0";
  document.body.append(frame);
  const styleOf = (node) => frame.contentWindow.getComputedStyle(node);
  const parse = (text) => {
    const [r, g, b, alpha = 1] = text.match(/[\d.]+/g).map(Number);
    const scale = text.startsWith("color(") ? 1 : 255;
    return [r / scale, g / scale, b / scale, alpha];
  };
  const over = (top, below) => top.slice(0, 3).map((c, i) => c * top[3] + below[i] * (1 - top[3])).concat(1);
  const background = (node) => node === null ? [1, 1, 1, 1] :
    over(parse(styleOf(node).backgroundColor), background(node.parentElement));
  const opacity = (node) => node === null ? 1 : styleOf(node).opacity * opacity(node.parentElement);
  const lettersOf = (node) => parse(styleOf(node).color).map((c, i) => i < 3 ? c : c * opacity(node));
  const linear = (c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  const luminance = ([r, g, b]) => 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
  const worstIn = (body) => {
    let worst = {contrast: 21}, count = 0;
    for (const node of body.querySelectorAll("*:not(svg *)")) {
      const text = [...node.childNodes].filter((child) => child.nodeType === 3).map((child) => child.data.trim()).join("");
      if (text === "" || node.getClientRects().length === 0) continue;
      ++count;
      const behind = background(node), letters = over(lettersOf(node), behind);
      const [dark, light] = [luminance(behind), luminance(letters)].sort((x, y) => x - y);
      const contrast = (light + 0.05) / (dark + 0.05);
      if (contrast < worst.contrast) worst = {contrast, text: text.slice(0, 40), class: node.className || node.parentElement.className};
    }
    return {...worst, count};
  };
  const seen = {};
  for (const [view, hash, id] of [["overview", "#/", "heat"], ["language", "#/language/parity", "full"]]) {
    frame.contentWindow.location.hash = hash;
    for (let i = 0; i < 200 && !frame.contentDocument?.getElementById(id); ++i)
      await new Promise((done) => setTimeout(done, 50));
    for (const theme of ["light", "dark"]) {
      frame.contentDocument.documentElement.dataset.theme = theme;
      await new Promise((done) => setTimeout(done, 500));  // transitions
      seen[`${view}, ${theme}`] = worstIn(frame.contentDocument.body);
    }
  }
  document.body.replaceChildren(Object.assign(document.createElement("pre"), {id: "selftest", textContent: JSON.stringify(seen)}));
})();
