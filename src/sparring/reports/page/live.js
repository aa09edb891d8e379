// Follows a run that goes on: told that there is more, asks for the page once more and takes over what is new.
// What it takes over is made into elements by a parser that runs nothing, under a policy that forbids it besides.
"use strict";
{
  const main = document.querySelector("main");
  const status = document.createElement("p");
  status.className = "live";
  status.setAttribute("role", "status");
  main.before(status);
  const tell = (text) => {
    status.textContent = text;
  };

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
    const turns = Number(event.data);
    tell(`It goes on: ${turns} ${turns === 1 ? "turn" : "turns"} so far.`);
  });
  // What is there at the end has filters and pictures of its own.
  events.addEventListener("over", () => {
    events.close();
    location.reload();
  });
  events.addEventListener("error", () => tell("The connection is lost. Reload the page to see what there is."));
}
