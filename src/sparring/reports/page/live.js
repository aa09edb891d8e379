// Follows a run that goes on: told that there is more, asks for the page once more and takes over what is new.
// What it takes over is made into elements by a parser that runs nothing, under a policy that forbids it besides.
"use strict";
{
  const main = document.querySelector("main");
  const status = document.createElement("p");
  status.className = "live";
  status.setAttribute("role", "status");
  main.before(status);
  // The clocks are no part of what is read aloud: they change every second.
  const clocks = document.createElement("ul");
  clocks.className = "live";
  main.before(clocks);
  const tell = (text) => {
    status.textContent = text;
    clocks.replaceChildren();
  };

  const minutes = (seconds) => `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;
  // A note to those who speak, where the run takes any; the server refuses what comes from another page.
  const offer = () => {
    const box = document.createElement("details");
    box.className = "live note";
    const summary = document.createElement("summary");
    summary.textContent = "Send both sides a note";
    const text = document.createElement("textarea");
    text.setAttribute("aria-label", "Note to both sides");
    text.maxLength = 2000;
    text.rows = 3;
    const send = document.createElement("button");
    send.type = "button";
    send.textContent = "Send";
    const answer = document.createElement("output");
    send.addEventListener("click", async () => {
      send.disabled = true;
      try {
        const sent = await fetch(`${location.pathname}/note`, { method: "POST", body: text.value });
        answer.textContent = sent.ok ? "Both sides see it before their next turn." : await sent.text();
        if (sent.ok) text.value = "";
      } catch {
        answer.textContent = "The connection is lost; the note was not sent.";
      }
      send.disabled = false;
    });
    box.append(summary, text, send, answer);
    main.before(box);
  };

  let offered = false;
  const told = (data) => {
    const { turns, speaking, notes } = JSON.parse(data);
    if (notes && !offered) offer();
    offered ||= Boolean(notes);
    const names = speaking.map((each) => each.who).join("; ");
    tell(`${turns} ${turns === 1 ? "turn" : "turns"} so far.${names && ` Speaking: ${names}.`}`);
    const heard = performance.now();
    clocks.replaceChildren(
      ...speaking.map((each) => {
        const item = document.createElement("li");
        item.dataset.began = heard - each.s * 1000;
        item.dataset.who = each.who;
        item.setAttribute("aria-hidden", "true");
        return item;
      }),
    );
    tick();
  };
  const tick = () => {
    for (const item of clocks.children) {
      const seconds = Math.max(0, (performance.now() - item.dataset.began) / 1000);
      item.textContent = `${item.dataset.who}: speaking for ${minutes(seconds)}`;
    }
  };
  setInterval(tick, 1000);

  // What has just been said is there to be read; what the reader has folded stays so.
  const met = new Set();
  const unfold = () => {
    for (const card of main.querySelectorAll("details.card")) {
      card.open ||= !met.has(card);
      met.add(card);
    }
  };

  // A card stays the element that it is: the reader may have opened it, and stand in it.
  const take = (fresh) => {
    const at = document.activeElement;
    const height = scrollY;
    for (const card of fresh.querySelectorAll("details.card")) {
      const mine = main.querySelector(`details.card[data-anchor="${CSS.escape(card.dataset.anchor)}"]`);
      if (mine) card.replaceWith(mine);
    }
    main.replaceChildren(...fresh.querySelector("main").childNodes);
    document.getElementById("data").textContent = fresh.getElementById("data").textContent;
    document.title = fresh.title;
    document.dispatchEvent(new Event("taken"));
    unfold();
    if (at?.isConnected) at.focus({ preventScroll: true });
    scrollTo({ top: height, behavior: "instant" });
  };

  unfold();
  let last = Promise.resolve();
  const refresh = async () => {
    const answer = await fetch(location.pathname, { cache: "no-store" });
    if (answer.ok) take(new DOMParser().parseFromString(await answer.text(), "text/html"));
  };

  const events = new EventSource(`${location.pathname}/events`);
  events.addEventListener("more", (event) => {
    last = last.then(refresh, refresh);
    told(event.data);
  });
  events.addEventListener("asked", (event) => told(event.data));
  // What is there at the end has filters and pictures of its own.
  events.addEventListener("over", () => {
    events.close();
    location.reload();
  });
  events.addEventListener("error", () => tell("The connection is lost. Reload the page to see what there is."));
}
