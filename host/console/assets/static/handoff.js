// Shows a page that a run has handed to its owner, and sends what the owner does there. It keeps
// nothing: a picture is drawn over by the next one, and what is typed is gone once it is sent.
"use strict";
(() => {
  const stage = document.getElementById("handoff");
  if (!stage || !window.createImageBitmap || !window.ReadableStream) return;
  const part = (name) => document.getElementById(`handoff-${name}`);
  const canvas = part("page"), pen = canvas.getContext("2d", { alpha: false });
  const wait = (ms) => new Promise((ok) => { setTimeout(ok, ms); });
  const plain = (text) => text.replace(/[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, "");
  const say = (when) => { for (const p of part("says").children) p.hidden = p.dataset.when !== when; };

  const post = (path, token, body, signal) => fetch(stage.dataset.at + path, {
    method: "POST", body, signal, cache: "no-store", redirect: "error",
    headers: { "X-Pdpp-Proof": stage.dataset.proof, ...(token && { Authorization: `Handoff ${token}` }), ...(body && { "Content-Type": "application/json" }) },
  });
  const refused = async (answer) => (answer.ok ? "" : answer.json().then((a) => a.error.code, () => "unknown"));

  // What the owner does goes out in order, one batch at a time, and not faster than the host takes
  // it. Of places and turns of a wheel the newest one counts.
  let token = "", queue = [], sending = false, refusedAt = 0;
  const newest = new Set(["move", "touch_move"]);
  const put = (e) => {
    if (!token) return; // what is shown may be old
    const last = queue.at(-1);
    if (last && last.do === e.do && newest.has(e.do)) queue[queue.length - 1] = e;
    else if (last && last.do === "wheel" && e.do === "wheel") Object.assign(last, { x: e.x, y: e.y, dx: bounded(last.dx + e.dx), dy: bounded(last.dy + e.dy) });
    else if (last && last.do === "text" && e.do === "text" && last.text.length + e.text.length <= mostText) last.text += e.text;
    else queue.push(e);
    send();
  };
  const mostText = 1000, mostBatch = 16, mostBytes = 8000, rate = 50; // a second
  const bounded = (n) => Math.max(-10000, Math.min(10000, Math.round(n)));
  const batch = () => {
    for (let n = Math.min(queue.length, mostBatch); ; n--) {
      const body = new TextEncoder().encode(JSON.stringify(queue.slice(0, n)));
      if (body.length <= mostBytes || n === 1) return [queue.splice(0, n), body];
    }
  };
  const send = async () => {
    if (sending) return;
    sending = true;
    while (token && queue.length > 0) {
      const [events, body] = batch();
      try {
        const by = token, code = await refused(await post("/input", by, body));
        if (code === "handoff.too_fast") {
          if (by === token) queue.unshift(...events); // another view's page may be another
          await wait(1000);
        } else if (by === token && code) {
          say("refused");
          refusedAt = Date.now();
        } else if (by === token && refusedAt && Date.now() - refusedAt > 4000) {
          say(told);
          refusedAt = 0;
        }
      } catch { /* the view ends as well, and says so */ }
      await wait(Math.max(40, events.length * 1000 / rate));
    }
    sending = false;
  };
  const type = (text, how) => {
    const clean = [...text.replace(/\r\n?/g, "\n")].filter((c) => c === "\n" || c === "\t" || !/\p{Cc}/u.test(c));
    for (let i = 0; i < clean.length; i += mostText) put({ do: how, text: clean.slice(i, i + mostText).join("") });
  };
  const press = (key) => { put({ do: "key_down", key }); put({ do: "key_up", key }); };

  // Pictures: the newest one is drawn, and those that came meanwhile are not.
  let waiting = null, drawing = false;
  const draw = async (jpeg) => {
    waiting = jpeg;
    if (drawing) return;
    drawing = true;
    while (waiting) {
      const next = waiting;
      waiting = null;
      try {
        const picture = await createImageBitmap(new Blob([next], { type: "image/jpeg" }));
        if (canvas.width !== picture.width || canvas.height !== picture.height) [canvas.width, canvas.height] = [picture.width, picture.height];
        pen.drawImage(picture, 0, 0);
        picture.close();
      } catch { /* half a picture: the next one comes */ }
    }
    drawing = false;
  };
  const wipe = () => { waiting = null; queue = []; canvas.width = canvas.height = 1; stage.hidden = true; };

  // The state of the pages.
  let state = null, told = "", size = [1, 1], greeted = false;
  const options = (select, list, chosen) => { // one that is open stays so where nothing changed
    const is = JSON.stringify(list);
    if (select.dataset.list !== is) select.replaceChildren(...list.map(([value, text]) => new Option(text, value)));
    select.dataset.list = is;
    select.value = chosen;
  };
  const know = (now) => {
    const first = state === null;
    state = now;
    const pages = now.pages || [], asked = now.refused || [];
    size = now.viewport.split("x").map(Number);
    const left = document.querySelector(".lede time");
    if (left) left.dateTime = now.deadline; // who looks on has longer than who does not come
    part("host").textContent = plain(now.host) || part("host").dataset.none;
    canvas.style.maxWidth = `${Math.round(Math.min(size[0], innerHeight * 0.75 * size[0] / size[1]))}px`; // so that a finger finds a place beside it
    part("size").value = now.viewport;
    options(part("pages"), pages.map((p) => [String(p.page), plain(p.title || p.host).slice(0, 60) || String(p.page)]), String(now.page));
    part("choice").hidden = part("close").hidden = pages.length < 2;
    const hosts = asked.map(plain), list = part("refused").querySelector("ul");
    if (list.dataset.hosts !== hosts.join(" ")) {
      list.dataset.hosts = hosts.join(" ");
      list.replaceChildren(...asked.map((host) => {
        const row = part("refused").querySelector("template").content.cloneNode(true);
        row.querySelector("code").textContent = plain(host);
        row.querySelector(".sr").textContent = ` ${plain(host)}`;
        row.querySelector("button").addEventListener("click", () => put({ do: "allow", host }));
        return row;
      }));
      part("refused").hidden = hosts.length === 0;
    }
    if (now.told !== told || !greeted) say(told = now.told);
    greeted = true;
    if (first) fit();
  };
  // A phone shows a phone's page, unless its owner chooses another.
  const fit = () => {
    const small = matchMedia("(max-width: 760px)").matches ? "390x844" : matchMedia("(max-width: 1024px) and (pointer: coarse)").matches ? "820x1180" : "";
    if (small && small !== state.viewport) put({ do: "viewport", viewport: small });
  };

  // A frame is a byte that says its kind, four of length, and its body.
  const mostFrame = 16 << 20;
  let ended = "";
  const read = async (reader, heard) => {
    let rest = new Uint8Array(0);
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const all = new Uint8Array(rest.length + value.length);
      all.set(rest);
      all.set(value, rest.length);
      rest = all;
      while (rest.length >= 5) {
        const length = new DataView(rest.buffer, rest.byteOffset).getUint32(1);
        if (length > mostFrame) throw new Error("a frame is too large");
        if (rest.length < 5 + length) break;
        const kind = String.fromCharCode(rest[0]), body = rest.slice(5, 5 + length);
        rest = rest.subarray(5 + length);
        heard();
        if (kind === "J") draw(body);
        if (kind !== "S") continue;
        const now = JSON.parse(new TextDecoder().decode(body));
        if (now.ended) { ended = now.ended; return; }
        know(now);
        stage.hidden = false;
      }
    }
  };

  // A view that breaks is opened again, for a while, by a right of its own.
  const patience = 15000;
  let viewing = null, leaving = false;
  const open = async () => {
    seen = 0;
    let answer = await post("/attach");
    let code = await refused(answer);
    if (code) return code;
    const right = (await answer.json()).token;
    viewing = new AbortController();
    greeted = false;
    answer = await post("/view", right, undefined, viewing.signal);
    code = await refused(answer);
    if (code) return code;
    token = right;
    await read(answer.body.getReader(), () => { seen = Date.now(); });
    return "";
  };
  // The host says something each ten seconds.
  let seen = 0; // when it last did; 0: not yet
  setInterval(() => { if (token && seen && Date.now() - seen > 25000) viewing.abort(); }, 5000);
  const finals = { "handoff.taken": "taken", taken_over: "taken_over" };
  const show = async () => {
    for (const p of [part("after"), part("reopen"), part("over")]) p.hidden = true;
    part("ending").hidden = false;
    ended = "";
    state = null;
    say("opening");
    for (let broke = Date.now(); ;) {
      let code = "";
      try { code = await open(); } catch { /* it broke */ }
      if (seen) broke = Date.now();
      token = "";
      queue = [];
      if (leaving) return;
      if (["handoff.ended", "handoff.unknown", "owner.signed_out", "web.in_the_clear"].includes(code)) { location.reload(); return; } // the page says why
      const final = ended || finals[code];
      if (final || Date.now() - broke > patience) { end(final || "away"); return; }
      say("again");
      await wait(1000);
    }
  };
  const end = (why) => {
    const over = !["taken", "taken_over", "away"].includes(why);
    leave();
    wipe();
    say(why);
    part("after").hidden = false;
    part("reopen").hidden = over;
    part("over").hidden = !over;
    part("ending").hidden = over;
    part(over ? "over" : "reopen").focus();
  };

  // The pointer and the fingers.
  const place = (e) => {
    const at = canvas.getBoundingClientRect();
    const on = (n, from, length, most) => Math.max(0, Math.min(most - 1, Math.round((n - from) * most / length)));
    return { x: on(e.clientX, at.left, at.width, size[0]), y: on(e.clientY, at.top, at.height, size[1]) };
  };
  // A second press is a double click where it is let go at once, and else the press that holds or draws.
  let down = false, twice = null, holding = 0, last = { at: -Infinity };
  const hold = () => {
    clearTimeout(holding);
    if (twice) put(twice);
    twice = null;
  };
  canvas.addEventListener("pointerdown", (e) => {
    if (!e.isPrimary || e.button !== 0 || !state) return;
    e.preventDefault();
    canvas.focus({ preventScroll: true });
    enter();
    canvas.setPointerCapture(e.pointerId);
    down = true;
    if (e.pointerType === "touch") put({ do: "touch_start", ...place(e) });
    else {
      const at = place(e), again = e.timeStamp - last.at < 500 && Math.hypot(at.x - last.x, at.y - last.y) < 5;
      last = again ? { at: -Infinity } : { at: e.timeStamp, ...at };
      twice = { do: "down", ...at, ...(e.shiftKey && { shift: true }) };
      if (again) holding = setTimeout(hold, 250);
      else hold();
    }
  });
  canvas.addEventListener("pointermove", (e) => {
    if (!e.isPrimary || !state) return;
    const at = place(e);
    if (twice && Math.hypot(at.x - twice.x, at.y - twice.y) > 4) hold();
    if (e.pointerType !== "touch") put({ do: "move", ...at });
    else if (down) put({ do: "touch_move", ...at });
  });
  const up = (e) => {
    if (!e.isPrimary || !down) return;
    down = false;
    if (e.pointerType === "touch") put({ do: "touch_end" });
    else if (twice) {
      clearTimeout(holding);
      twice = null;
      put({ do: "double", ...place(e) });
    }
    else put({ do: "up", ...place(e), ...(e.shiftKey && { shift: true }) });
  };
  canvas.addEventListener("pointerup", up);
  canvas.addEventListener("pointercancel", up);
  canvas.addEventListener("contextmenu", (e) => e.preventDefault());
  canvas.addEventListener("wheel", (e) => {
    if (!inside || !state) return;
    e.preventDefault();
    const lines = e.deltaMode === 1 ? 16 : 1;
    put({ do: "wheel", ...place(e), dx: bounded(e.deltaX * lines), dy: bounded(e.deltaY * lines) });
  }, { passive: false });

  // Keys go to the page once its owner has gone in, and until they press Escape twice.
  const named = new Set(["Enter", "Tab", "Escape", "Backspace", "Delete", "Home", "End", "PageUp", "PageDown", "ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"]);
  let inside = false, escaped = -Infinity;
  const held = new Map();
  const enter = () => {
    inside = true;
    canvas.classList.add("inside");
    part("inside").firstElementChild.hidden = false;
  };
  const leave = () => {
    inside = false;
    canvas.classList.remove("inside");
    part("inside").firstElementChild.hidden = true;
    for (const e of held.values()) put({ ...e, do: "key_up" });
    held.clear();
  };
  canvas.addEventListener("blur", leave);
  canvas.addEventListener("keydown", (e) => {
    if (!inside) {
      if (e.key === "Enter") { e.preventDefault(); enter(); }
      return;
    }
    if (e.key === "Escape" && !e.repeat) {
      if (e.timeStamp - escaped < 1000) { e.preventDefault(); leave(); return; }
      escaped = e.timeStamp;
    }
    const letter = e.key.length <= 2 && [...e.key].length === 1, chord = (e.ctrlKey || e.metaKey) && !e.getModifierState("AltGraph");
    if (chord && letter) {
      const key = e.key.toLowerCase();
      if (!"acxz".includes(key) || e.shiftKey || e.altKey) return; // what is pasted comes by itself, and the rest is the browser's
      e.preventDefault();
      put({ do: "key_down", key, ctrl: true });
      put({ do: "key_up", key, ctrl: true });
    } else if (named.has(e.key) && !chord) {
      e.preventDefault();
      const event = { do: "key_down", key: e.key, ...(e.shiftKey && { shift: true }) };
      held.set(e.key, event);
      put(event);
    } else if (letter && !chord) {
      e.preventDefault();
      type(e.key, "text");
    }
  });
  canvas.addEventListener("keyup", (e) => {
    const event = held.get(e.key);
    if (!event) return;
    held.delete(e.key);
    put({ ...event, do: "key_up" });
  });
  document.addEventListener("paste", (e) => {
    if (!inside || document.activeElement !== canvas) return;
    e.preventDefault();
    type(e.clipboardData.getData("text/plain"), "paste");
  });

  // The buttons beside the page.
  for (const b of stage.querySelectorAll("[data-do]")) b.addEventListener("click", () => put({ do: b.dataset.do }));
  for (const b of stage.querySelectorAll("[data-key]")) b.addEventListener("click", () => press(b.dataset.key));
  part("size").addEventListener("change", () => put({ do: "viewport", viewport: part("size").value }));
  part("pages").addEventListener("change", () => put({ do: "choose", page: Number(part("pages").value) }));
  part("close").addEventListener("click", () => put({ do: "close", page: state.page }));
  part("reveal").addEventListener("change", () => { part("text").type = part("reveal").checked ? "text" : "password"; });
  part("typing").addEventListener("submit", (e) => {
    e.preventDefault();
    if (!token) return;
    type(part("text").value, "text");
    part("text").value = "";
  });
  part("reopen").addEventListener("click", show);
  addEventListener("pagehide", () => { leaving = true; if (viewing) viewing.abort(); wipe(); });
  addEventListener("pageshow", (e) => { if (e.persisted) location.reload(); });
  show();
})();
