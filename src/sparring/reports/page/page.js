// Filters, keys, copying and links to what is folded. Everything is there without it; it only shows and hides.
"use strict";

let cards = [];
let bar = null;

function chosen() {
  const found = new Map();
  for (const button of bar ? bar.querySelectorAll(".choice[aria-pressed=true]") : []) {
    const words = found.get(button.dataset.facet) ?? [];
    found.set(button.dataset.facet, [...words, button.dataset.word]);
  }
  return found;
}

function filter() {
  const wanted = [...chosen()];
  for (const card of cards) {
    card.hidden = !wanted.every(([facet, words]) => {
      const known = (card.dataset[facet] ?? "").split("|");
      return words.some((word) => known.includes(word));
    });
  }
  const left = cards.filter((card) => !card.hidden).length;
  const count = bar?.querySelector(".count");
  if (count) count.textContent = left === cards.length ? "" : `${left} of ${cards.length} shown`;
}

function choose(button) {
  button.setAttribute("aria-pressed", button.getAttribute("aria-pressed") !== "true");
  filter();
  const address = new URLSearchParams();
  for (const [facet, words] of chosen()) for (const word of words) address.append(facet, word);
  history.replaceState(null, "", `#${address}`);
}

function unfold(anchor) {
  const card = cards.find((each) => each.dataset.anchor === anchor);
  if (!card) return false;
  card.hidden = false;
  card.open = true;
  go(card);
  return true;
}

function follow() {
  const anchor = location.hash.slice(1);
  if (anchor && !unfold(anchor) && !document.getElementById(anchor)) press(); // another place chooses nothing
}

// What the address says is chosen.
function press() {
  const wanted = new URLSearchParams(location.hash.slice(1));
  for (const button of bar ? bar.querySelectorAll(".choice") : []) {
    button.setAttribute("aria-pressed", wanted.getAll(button.dataset.facet).includes(button.dataset.word));
  }
  filter();
}

function go(card) {
  for (const each of cards) each.classList.toggle("at", each === card);
  card.querySelector("summary").focus({ preventScroll: true });
  card.scrollIntoView({ block: "start" });
}

function step(by) {
  const open = cards.filter((card) => !card.hidden);
  if (!open.length) return;
  const at = open.findIndex((card) => card.classList.contains("at"));
  const next = at < 0 ? (by > 0 ? 0 : open.length - 1) : Math.min(Math.max(at + by, 0), open.length - 1);
  open[next].open = true;
  go(open[next]);
}

async function copy(button, text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = document.createElement("textarea");
    area.value = text;
    button.after(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
  button.textContent = "Copied";
  setTimeout(() => {
    button.textContent = "Copy as Markdown";
  }, 2000);
}

// Once, and again for what a run that goes on has brought.
function equip() {
  const known = new Set(cards);
  const { markdown } = JSON.parse(document.getElementById("data").textContent);
  cards = [...document.querySelectorAll("details.card")];
  bar = document.querySelector(".filters");
  if (bar) bar.hidden = false;
  for (const card of cards) {
    const text = markdown?.[card.dataset.anchor];
    const tools = card.querySelector(".tools");
    if (known.has(card) || !text || !tools) continue;
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Copy as Markdown";
    button.addEventListener("click", () => copy(button, text));
    tools.append(button);
  }
}

document.addEventListener("click", (event) => {
  const button = event.target.closest(".filters button");
  if (!button) return;
  if (button.dataset.fold) for (const card of cards) card.open = button.dataset.fold === "unfold";
  else choose(button);
});
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select")) return;
  if (event.key === "j" || event.key === "k") step(event.key === "j" ? 1 : -1);
});
document.addEventListener("taken", () => {
  equip();
  press();
});
addEventListener("hashchange", follow);
addEventListener("beforeprint", () => {
  for (const each of document.querySelectorAll("details")) each.open = true;
});
equip();
filter();
follow();
