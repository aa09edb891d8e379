// A list of rows of any length: only what is visible is in the document. Everything in it is text, never markup.
"use strict";

const { columns, rows, tones } = JSON.parse(document.getElementById("data").textContent);
const list = document.getElementById("list");
const search = document.getElementById("search");
const facets = document.getElementById("facets");
const AHEAD = 12; // rows above and below what is visible
const CHOICES = 24; // words of a column that it is filtered by, the most frequent

const state = { at: 0, shown: 0, order: rows.map((_, place) => place), sort: "", words: new Map(), text: "" };
const mounted = new Map();
let height = 40;

function make(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

// -- Cells ----------------------------------------------------------------------------------------------------------

function spelled(kind, cell) {
  if (cell === null || typeof cell === "string") return cell ?? "";
  if (kind === "share") return cell.toFixed(2);
  return kind === "money" ? `$${cell.toFixed(4)}` : cell.toLocaleString("en");
}

function badge(word) {
  const sign = { good: "✓ ", bad: "✗ ", open: "? " }[tones[word]] ?? "";
  return make("span", { class: `badge ${tones[word] ?? ""}` }, sign + word);
}

function cell({ kind }, value, place) {
  const made = make("div", { role: "cell", class: `c-${kind}` });
  if (kind === "name") made.append(make("button", { type: "button", tabindex: place === state.at ? 0 : -1 }, value));
  else if (kind === "badge" && value) made.append(badge(value));
  else if (kind === "badges") made.append(...value.map(badge));
  else made.append(spelled(kind, value).replace(/\s+/g, " "));
  return made;
}

function row(place) {
  const made = make("div", { role: "row", "aria-rowindex": place + 2 });
  made.dataset.place = place;
  made.style.top = `${place * height}px`;
  made.append(...rows[state.order[place]][0].map((value, which) => cell(columns[which], value, place)));
  return made;
}

// -- What is visible -------------------------------------------------------------------------------------------------

const head = make("div", { role: "row", "aria-rowindex": 1 });
const body = make("div", { role: "rowgroup", class: "body" });
const table = make(
  "div",
  { role: "table", class: "list", "aria-label": "Rows" },
  make("div", { role: "rowgroup", class: "head" }, head),
  body,
);

// Those in sight and a few more; some are always there, for who goes from one to the next without seeing them.
function visible() {
  const above = Math.floor(-body.getBoundingClientRect().top / height);
  const within = (place, least, most) => Math.max(least, Math.min(place, most));
  const count = state.order.length;
  return [
    within(above - AHEAD, 0, Math.max(0, count - AHEAD)),
    within(above + Math.ceil(innerHeight / height) + AHEAD, Math.min(AHEAD, count), count),
  ];
}

function draw([first, last] = visible()) {
  for (const [place, made] of mounted) {
    if ((place < first || place >= last) && !made.contains(document.activeElement)) {
      made.remove();
      mounted.delete(place);
    }
  }
  let next = null;
  for (let place = last - 1; place >= first; place -= 1) {
    const made = mounted.get(place) ?? row(place);
    if (!made.isConnected || made.nextSibling !== next) body.insertBefore(made, next);
    mounted.set(place, made);
    next = made;
  }
  if (!body.querySelector("button[tabindex='0']"))
    mounted
      .get(Math.max(first, Math.min(first + AHEAD, last - 1)))
      ?.querySelector("button")
      ?.setAttribute("tabindex", 0);
}

let isDue = false;
function soon() {
  if (isDue) return;
  isDue = true;
  requestAnimationFrame(() => {
    isDue = false;
    draw();
  });
}

function renew() {
  body.replaceChildren();
  mounted.clear();
  state.at = 0;
  body.style.height = `${state.order.length * height}px`;
  table.setAttribute("aria-rowcount", state.order.length + 1);
  const all = state.order.length === rows.length;
  document.getElementById("count").textContent =
    `${all ? "" : `${state.order.length.toLocaleString("en")} of `}${rows.length.toLocaleString("en")} rows`;
  draw();
}

function measure() {
  const wanted =
    parseFloat(getComputedStyle(table).getPropertyValue("--row")) *
    parseFloat(getComputedStyle(document.documentElement).fontSize);
  if (wanted === height) return soon();
  height = wanted;
  renew();
}

// -- Filters and order -----------------------------------------------------------------------------------------------

const texts = [];
function text(place) {
  texts[place] ??= JSON.stringify(rows[place]).toLowerCase();
  return texts[place];
}

function fits(place) {
  for (const [which, words] of state.words) {
    const value = rows[place][0][which];
    const isThere =
      columns[which].kind === "badges" ? [...words].every((word) => value.includes(word)) : words.has(value);
    if (words.size && !isThere) return false;
  }
  return !state.text || text(place).includes(JSON.stringify(state.text.toLowerCase()).slice(1, -1));
}

function key(value) {
  if (Array.isArray(value)) return value.length ? value.join() : null;
  return value === "" ? null : value;
}

function compared(one, other) {
  if (typeof one === "number") return one - other;
  return one < other ? -1 : one > other ? 1 : 0;
}

function arrange() {
  state.order = rows.map((_, place) => place).filter(fits);
  const down = state.sort.startsWith("-");
  const which = columns.findIndex(({ title }) => title === state.sort.replace("-", ""));
  if (which >= 0) {
    const keys = rows.map(([cells]) => key(cells[which]));
    // What is not known comes last, whichever way.
    state.order.sort(
      (a, b) =>
        (keys[a] === null) - (keys[b] === null) ||
        (keys[a] === null ? 0 : compared(keys[a], keys[b]) * (down ? -1 : 1)) ||
        a - b,
    );
  }
  columns.forEach(({ title }, place) => {
    head.children[place].setAttribute("aria-sort", place !== which ? "none" : down ? "descending" : "ascending");
  });
  for (const button of facets.querySelectorAll("button")) {
    button.setAttribute(
      "aria-pressed",
      Boolean(state.words.get(Number(button.dataset.which))?.has(button.dataset.word)),
    );
  }
  if (table.getBoundingClientRect().top < 0) document.getElementById("rows").scrollIntoView({ behavior: "instant" });
  renew();
}

function remember(opened = "") {
  const address = new URLSearchParams();
  for (const [which, words] of state.words) for (const word of words) address.append(columns[which].title, word);
  if (state.text) address.set("search", state.text);
  if (state.sort) address.set("sort", state.sort);
  if (opened) address.set("open", opened);
  history.replaceState(null, "", `#${address}`);
}

function follow() {
  const hash = location.hash.slice(1);
  if (hash && document.getElementById(hash)) return false;
  const wanted = new URLSearchParams(hash);
  columns.forEach(({ title, facet }, which) => {
    if (facet) state.words.set(which, new Set(wanted.getAll(title)));
  });
  state.text = search.value = wanted.get("search") ?? "";
  state.sort = wanted.get("sort") ?? "";
  arrange();
  const opened = state.order.findIndex((place) => String(rows[place][0][0]) === wanted.get("open"));
  if (opened >= 0) show(opened);
  return opened < 0;
}

// -- One row ---------------------------------------------------------------------------------------------------------

const title = make("h2", { id: "opened" });
const told = make("div", { class: "told" });
const buttons = ["Previous", "Next", "Close"].map((word) => make("button", { type: "button" }, word));
const dialog = make(
  "dialog",
  { "aria-labelledby": "opened" },
  make("div", { class: "tools" }, ...buttons),
  title,
  told,
);

function show(place) {
  state.shown = Math.max(0, Math.min(place, state.order.length - 1));
  const [cells, more] = rows[state.order[state.shown]];
  title.textContent = cells[1];
  const tags = make("p", { class: "strip" });
  columns.forEach(({ title: name, kind }, which) => {
    if (kind === "badge" && cells[which]) tags.append(make("small", {}, name), badge(cells[which]));
    else if (kind === "badges") tags.append(...cells[which].map(badge));
  });
  told.replaceChildren(tags);
  for (const [name, said] of more) told.append(make("h3", {}, name), make("p", { class: "plain" }, said));
  told.scrollTop = 0;
  buttons[0].disabled = state.shown === 0;
  buttons[1].disabled = state.shown === state.order.length - 1;
  if (!dialog.open) dialog.showModal();
  remember(String(cells[0]));
}

// The row of that place, focused and in view.
function go(place) {
  state.at = Math.max(0, Math.min(place, state.order.length - 1));
  const top = body.getBoundingClientRect().top + state.at * height;
  const under = facets.offsetHeight + head.offsetHeight;
  if (top < under) scrollBy({ top: top - under, behavior: "instant" });
  if (top + height > innerHeight) scrollBy({ top: top + 2 * height - innerHeight, behavior: "instant" });
  draw();
  for (const each of body.querySelectorAll("button")) each.tabIndex = -1;
  const button = mounted.get(state.at)?.querySelector("button");
  button?.setAttribute("tabindex", 0);
  button?.focus({ preventScroll: true });
}

// -- Beginning -------------------------------------------------------------------------------------------------------

columns.forEach(({ title: name, kind, facet }, which) => {
  head.append(
    make(
      "div",
      { role: "columnheader", class: `c-${kind}`, "aria-sort": "none" },
      make("button", { type: "button" }, name),
    ),
  );
  head.lastChild.addEventListener("click", () => {
    state.sort = state.sort === name ? `-${name}` : state.sort === `-${name}` ? "" : name;
    arrange();
    remember();
  });
  const counts = new Map();
  for (const [cells] of facet ? rows : [])
    for (const word of [cells[which]].flat()) if (word) counts.set(word, (counts.get(word) ?? 0) + 1);
  if (!counts.size) return;
  const group = make(
    "div",
    { class: "facet", role: "group", "aria-label": name },
    make("span", { class: "name" }, name),
  );
  for (const [word, count] of [...counts].sort(([, one], [, other]) => other - one).slice(0, CHOICES)) {
    const button = make(
      "button",
      { type: "button", "aria-pressed": false },
      `${word} `,
      make("small", {}, count.toLocaleString("en")),
    );
    Object.assign(button.dataset, { which, word });
    button.addEventListener("click", () => {
      const words = state.words.get(which);
      if (!words.delete(word)) words.add(word);
      arrange();
      remember();
    });
    group.append(button);
  }
  facets.append(group);
});
table.style.setProperty("--columns", columns.map(({ width }) => width).join(" "));
list.append(table, dialog);
facets.hidden = false;

search.addEventListener("input", () => {
  state.text = search.value;
  arrange();
  remember();
});
body.addEventListener("click", (event) => {
  const made = event.target.closest("[data-place]");
  if (made && !String(getSelection())) show(Number(made.dataset.place));
});
body.addEventListener("focusin", (event) => {
  state.at = Number(event.target.closest("[data-place]").dataset.place);
});
body.addEventListener("keydown", (event) => {
  const page = Math.floor(innerHeight / height / 2);
  const by = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -rows.length, End: rows.length }[
    event.key
  ];
  if (!by) return;
  event.preventDefault();
  go(state.at + by);
});
dialog.addEventListener("keydown", (event) => {
  const by = { ArrowRight: 1, ArrowLeft: -1, j: 1, k: -1 }[event.key];
  if (by) show(state.shown + by);
});
dialog.addEventListener("close", () => {
  remember();
  go(state.shown);
});
buttons.forEach((button, which) =>
  button.addEventListener("click", () => (which === 2 ? dialog.close() : show(state.shown + (which ? 1 : -1)))),
);
addEventListener("scroll", soon, { passive: true });
addEventListener("resize", measure);
addEventListener("hashchange", () => {
  if (follow()) document.getElementById("rows").scrollIntoView();
});
addEventListener("beforeprint", () => {
  draw([0, Math.min(state.order.length, 1000)]);
});
addEventListener("afterprint", renew);
measure();
follow();
