// What the pages do beyond forms and links. Every page works without this file.
"use strict";
(() => {
  // Times and numbers follow the browser's language and zone. The exact instant is there for who
  // points at a time, and for who cannot see. A day is the same one in every zone.
  const exact = new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "long" });
  const short = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
  const day = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeZone: "UTC" });
  const relative = new Intl.RelativeTimeFormat(undefined, { numeric: "auto" });
  const number = new Intl.NumberFormat();
  const units = [["year", 31536e3], ["month", 2592e3], ["day", 86400], ["hour", 3600], ["minute", 60], ["second", 1]];
  const sizes = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte", "petabyte"];
  const distance = (at) => {
    const seconds = (at - Date.now()) / 1000;
    const [unit, size] = units.find(([, s]) => Math.abs(seconds) >= s) || ["second", 1];
    return relative.format(Math.trunc(seconds / size), unit);
  };
  const bytes = (n) => {
    const i = Math.min(n < 1000 ? 0 : Math.floor(Math.log10(n) / 3), sizes.length - 1);
    return new Intl.NumberFormat(undefined, { style: "unit", unit: sizes[i], maximumFractionDigits: 1 }).format(n / 1000 ** i);
  };
  const say = (root) => {
    for (const t of root.querySelectorAll("time[datetime]")) {
      const at = new Date(t.dateTime);
      if (isNaN(at)) continue;
      t.lang = exact.resolvedOptions().locale;
      if (t.dataset.as === "day") { t.textContent = day.format(at); continue; }
      t.title = exact.format(at);
      t.textContent = t.dataset.as === "instant" ? short.format(at) : distance(at);
      const whole = document.createElement("span");
      whole.className = "sr";
      whole.textContent = ` (${t.title})`;
      t.append(whole);
    }
    for (const n of root.querySelectorAll("data[value]")) n.textContent = (n.dataset.as === "bytes" ? bytes : number.format)(Number(n.value));
  };
  say(document);
  setInterval(() => say(document), 20000);

  // A part of a page is fetched again from the address in data-part when the host tells an
  // event that data-on names, and the focus stays where it was. "*" is every event that the
  // page waits for, and each half minute.
  const parts = () => [...document.querySelectorAll("[data-part]")];
  const waitsFor = (part) => (part.dataset.on || "").split(" ").filter(Boolean);
  const stops = (part) => [part, ...part.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex]")];
  // A part that says what it said stays: whoever is in it is not disturbed.
  const content = (part) => {
    const copy = part.cloneNode(true);
    for (const proof of copy.querySelectorAll("input[name=proof]")) proof.setAttribute("value", "");
    for (const said of copy.querySelectorAll("time, data")) said.replaceWith(said.getAttribute("datetime") || said.getAttribute("value"));
    return copy;
  };
  const put = (old, made) => {
    if (content(old).isEqualNode(content(made))) return;
    const focused = stops(old).indexOf(document.activeElement);
    old.replaceWith(made);
    say(made);
    if (focused >= 0) (stops(made)[focused] || document.getElementById("content")).focus({ preventScroll: true });
  };
  const renewing = new Map(); // by address: whether it was asked for once more meanwhile
  const renew = async (address) => {
    const at = address.split("#")[0];
    if (renewing.has(at)) { renewing.set(at, true); return; }
    renewing.set(at, false);
    let later = 0;
    try {
      const answer = await fetch(at);
      if (answer.redirected) { location.reload(); return; } // to sign in
      if (answer.status >= 500) throw new Error(answer.statusText);
      const fresh = new DOMParser().parseFromString(answer.ok ? await answer.text() : "", "text/html");
      for (const made of fresh.querySelectorAll("[data-part]")) {
        for (const old of parts()) if (old.dataset.part === made.dataset.part) put(old, document.adoptNode(made));
      }
    } catch { later = 2000; }
    const again = renewing.get(at) || later > 0;
    renewing.delete(at);
    if (again) setTimeout(renew, later, at);
  };
  const told = (name) => {
    for (const part of parts()) {
      if (waitsFor(part).some((on) => on === name || on === "*")) renew(part.dataset.part);
    }
  };
  setInterval(() => told("*"), 30000);

  // A stream of events that drops is told. Once it is back the page shows how things are now:
  // what it missed meanwhile, and before it listened at all, is not told again.
  const shell = document.querySelector("[data-events]");
  if (!shell) return;
  const state = document.getElementById("connection-state");
  let source;
  const listen = () => {
    source = new EventSource(shell.dataset.events);
    for (const name of new Set(["questions", ...parts().flatMap(waitsFor)])) source.addEventListener(name, () => told(name));
    source.addEventListener("reset", () => renew(location.href));
    source.onopen = () => {
      if (!state.hidden || parts().some((part) => part.dataset.on)) renew(location.href);
      state.hidden = true;
    };
    source.onerror = () => {
      state.hidden = false;
      if (source.readyState !== EventSource.CLOSED) return; // it comes again by itself
      renew(location.href);
      setTimeout(listen, 3000);
    };
  };
  listen();
  addEventListener("pagehide", () => source.close());
  addEventListener("pageshow", (e) => { if (e.persisted) listen(); });
})();
