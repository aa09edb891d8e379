// The page of a run inside a host: an MCP App. The host hands over what a tool has answered; all of it is made into
// elements by name and text, never by parsing, and nothing is asked of anybody but the host.
"use strict";
{
  const main = document.getElementById("main");

  const make = (tag, props, ...children) => {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(props)) if (value) made.setAttribute(name, value);
    made.append(...children.filter((child) => child !== "" && child != null));
    return made;
  };
  const words = (value) => (typeof value === "string" ? value : "");
  const list = (value) => (Array.isArray(value) ? value.filter((each) => typeof each === "string" && each) : []);

  // -- the little of Markdown that our texts are written in
  const inline = (text) =>
    text.split(/(\*\*[^*\n]+\*\*|`[^`\n]+`)/).map((part) => {
      if (part.length > 4 && part.startsWith("**") && part.endsWith("**")) return make("strong", {}, part.slice(2, -2));
      if (part.length > 2 && part.startsWith("`") && part.endsWith("`")) return make("code", {}, part.slice(1, -1));
      return part;
    });

  const blocks = (text) => {
    const found = [];
    let fence = null;
    let open = null; // what the next line may go on with
    for (const line of text.split("\n")) {
      const mark = /^(`{3,}|~{3,})/.exec(line);
      if (fence) {
        if (mark && mark[1].startsWith(fence.mark)) fence = null;
        else fence.code.append(`${line}\n`);
        continue;
      }
      const heading = /^(#{1,6}) +(.*)/.exec(line);
      const item = /^ *(?:[-*]|[0-9]{1,9}[.)]) +(.*)/.exec(line);
      const quoted = /^> ?(.*)/.exec(line);
      if (mark) {
        fence = { mark: mark[1], code: make("code", {}) };
        found.push(make("pre", { tabindex: "0" }, fence.code));
        open = null;
      } else if (heading) {
        found.push(make(`h${Math.min(6, heading[1].length + 1)}`, {}, ...inline(heading[2])));
        open = null;
      } else if (item) {
        if (open?.localName !== "ul") found.push((open = make("ul", {})));
        open.append(make("li", {}, ...inline(item[1])));
      } else if (/^\|/.test(line)) {
        if (open?.localName !== "pre") found.push((open = make("pre", { tabindex: "0" })));
        open.append(`${line}\n`);
      } else if (!line.trim()) {
        open = null;
      } else {
        const kind = quoted ? "blockquote" : "p";
        if (open?.localName === kind) open.append(" ", ...inline(quoted ? quoted[1] : line));
        else found.push((open = make(kind, {}, ...inline(quoted ? quoted[1] : line))));
      }
    }
    return found;
  };

  // -- what a tool has answered
  const row = (name, ...told) => (told.some((each) => each) ? [make("dt", {}, name), make("dd", {}, ...told)] : []);
  const fact = (name, ...told) =>
    told.some((each) => each) ? [make("div", { class: "fact" }, make("h2", {}, name), make("div", {}, ...told))] : [];
  const items = (all) => (all.length ? make("ul", {}, ...all.map((each) => make("li", {}, ...inline(each)))) : "");
  const counted = (found) =>
    Object.entries(found ?? {})
      .filter(([, count]) => Number.isInteger(count))
      .map(([what, count]) => `${count} ${what.replaceAll("_", " ")}`)
      .join(", ");
  const STANDS = {
    running: "It is still running.",
    your_turn: "It is your agent's turn.",
    interrupted: "It was interrupted, and nothing is lost.",
  };

  const spent = (of) => {
    const told = [];
    if (Number.isFinite(of?.calls)) told.push(`${of.calls} ${of.calls === 1 ? "call" : "calls"}`);
    if (Number.isFinite(of?.cost_usd)) told.push(`${of.at_least ? "at least " : ""}$${of.cost_usd.toFixed(4)}`);
    return told.join(", ");
  };

  const show = (of) => {
    const headline = words(of.outcome) || STANDS[of.status] || "";
    const facts = [
      ...fact("Answered by", items(list(of.answered_by))),
      ...fact("Checked by code", counted(of.citations), items(list(of.not_found).map((each) => `not there: ${each}`))),
      ...fact("Used", spent(of.spent)),
      ...fact("Run", of.run_id ? make("code", {}, words(of.run_id)) : ""),
    ];
    const told = make(
      "div",
      { class: "decision" },
      make("p", { class: "kicker" }, words(of.status).replaceAll("_", " ")),
      headline
        ? make(
            "div",
            { class: list(of.warnings).length || of.status !== "finished" ? "headline doubtful" : "headline" },
            make("h1", {}, headline),
            of.label && !headline.includes(of.label) ? make("span", { class: "badge" }, words(of.label)) : "",
            of.firmness
              ? make("p", { class: "firmness" }, make("b", {}, "Firmness: "), words(of.firmness).replaceAll("_", " "))
              : "",
          )
        : "",
      make(
        "dl",
        { class: "reasons" },
        ...row("Do", ...inline(words(of.recommendation))),
        ...row("Unless", ...inline(words(of.unless))),
        ...(list(of.warnings).length
          ? [make("dt", {}, "Doubtful"), make("dd", { class: "doubts" }, items(list(of.warnings)))]
          : []),
      ),
    );
    const section = make(
      "section",
      { id: "conclusion", "aria-label": "Result" },
      told,
      facts.length ? make("div", { class: "aside" }, ...facts) : "",
    );
    const report = words(of.text)
      ? [make("section", { id: "report" }, make("div", { class: "text" }, ...blocks(of.text)))]
      : [];
    main.replaceChildren(section, ...report);
  };

  // -- the host
  const INITIALIZE = 1;
  const send = (message) => parent.postMessage({ jsonrpc: "2.0", ...message }, "*");

  // A host may be dark where the system is not, so the style's own rule for the dark is put under the host's word.
  const dark = [...document.styleSheets[0].cssRules].filter((rule) =>
    rule.media?.mediaText.includes("prefers-color-scheme: dark"),
  );
  const look = (context) => {
    if (!["light", "dark"].includes(context?.theme)) return;
    document.documentElement.style.colorScheme = context.theme;
    for (const rule of dark) rule.media.mediaText = context.theme === "dark" ? "all" : "not all";
  };

  const measure = () => {
    const { width, height } = document.documentElement.getBoundingClientRect();
    send({ method: "ui/notifications/size-changed", params: { width: Math.ceil(width), height: Math.ceil(height) } });
  };

  const heard = {
    "ui/notifications/tool-result": (params) => {
      const texts = (params.content ?? []).filter((each) => each.type === "text").map((each) => each.text);
      show(params.structuredContent ?? { status: params.isError ? "refused" : "finished", text: texts.join("\n\n") });
    },
    "ui/notifications/tool-cancelled": () => show({ status: "cancelled", outcome: "The call was cancelled." }),
    "ui/notifications/host-context-changed": look,
  };
  const answers = { ping: () => ({}), "ui/resource-teardown": () => ({}) };

  addEventListener("message", ({ source, data }) => {
    if (source !== parent || data?.jsonrpc !== "2.0") return;
    if (data.id === INITIALIZE && data.result) {
      look(data.result.hostContext);
      send({ method: "ui/notifications/initialized", params: {} });
      new ResizeObserver(measure).observe(document.documentElement);
    } else if (data.method && data.id !== undefined) {
      const answer = answers[data.method];
      send(
        answer
          ? { id: data.id, result: answer() }
          : { id: data.id, error: { code: -32601, message: "There is no such method." } },
      );
    } else if (Object.hasOwn(heard, data.method)) {
      heard[data.method](data.params ?? {});
    }
  });

  send({ id: INITIALIZE, method: "ui/initialize", params: JSON.parse(document.getElementById("data").textContent) });
}
