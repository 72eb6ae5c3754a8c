// What the pages do beyond forms and links. Every page works without this file.
"use strict";
(() => {
  // Times follow the browser's language and zone; the exact instant stays in the title.
  const exact = new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "long" });
  const units = [["year", 31536e3], ["month", 2592e3], ["day", 86400], ["hour", 3600], ["minute", 60], ["second", 1]];
  const relative = new Intl.RelativeTimeFormat(undefined, { numeric: "auto" });
  const short = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
  const number = new Intl.NumberFormat();
  const say = (root) => {
    for (const t of root.querySelectorAll("time[datetime]")) {
      const at = new Date(t.dateTime);
      if (isNaN(at)) continue;
      t.title = exact.format(at);
      if (t.dataset.as === "instant") { t.textContent = short.format(at); continue; }
      const seconds = (at - Date.now()) / 1000;
      const [unit, size] = units.find(([, s]) => Math.abs(seconds) >= s) || ["second", 1];
      t.textContent = relative.format(Math.trunc(seconds / size), unit);
    }
    for (const n of root.querySelectorAll("data[value]")) n.textContent = number.format(n.value);
  };
  say(document);
  setInterval(() => say(document), 20000);
  document.addEventListener("htmx:afterSwap", (e) => say(e.target.parentNode || document));
  // A stream of events that drops is told, and resumes by itself.
  const state = document.getElementById("connection-state");
  document.addEventListener("htmx:sseError", () => { if (state) state.hidden = false; });
  document.addEventListener("htmx:sseOpen", () => { if (state) state.hidden = true; });
  document.addEventListener("htmx:sendError", () => { if (state) state.hidden = false; });
})();
