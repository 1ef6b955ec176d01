// While `flare report --watch` runs: checks whether the report has changed and, if so, redraws it
// where the reader is.
"use strict";

FLARE.startLive = function () {
  const {refresh} = FLARE.overview;
  if (!refresh) return;
  let stamp = null;
  const look = async () => {
    try {
      const now = await FLARE.load("stamp", "stamp", true);
      if (stamp !== null && now !== stamp) await FLARE.refresh();
      stamp = now;
    } catch { /* the report is being moved or removed: try again later */ }
    if (FLARE.overview.refresh) setTimeout(look, 1000 * refresh);
  };
  look();
};

FLARE.refresh = async function () {
  for (const key of [...FLARE.data.keys()]) if (key.includes("/")) FLARE.data.delete(key);
  await FLARE.load("overview", "overview", true);
  FLARE.keepScroll = true;
  FLARE.route();
  setTimeout(() => { FLARE.keepScroll = false; }, 500);
};
