// Decisions: newest first, with their reasons, filtered by the choices in the address.
import { admin } from "./calls.js";
import { h, name, replace } from "./dom.js";
import { Clock, figure } from "./format.js";
import { address, changed, go, note } from "./location.js";
import { choice, empty, field, search, table, Titles, widgetName } from "./parts.js";
import { explanationSentence } from "./sentence.js";
import { t } from "./text.js";
import { widgetChoices, widgetText } from "./widget.js";
import { candidates } from "./why.js";

const countMax = 200;

export function kindText(kind) {
  return (kind ?? "").replace("DECISION_KIND_", "").toLowerCase();
}

const columns = () => [
  { label: t("decision.number") },
  { label: t("decision.time"), class: "time" },
  { label: t("stack") },
  { label: t("decision.kind") },
  { label: t("decision.to"), class: "wide" },
  { label: t("decision.reason"), class: "wide" },
];

function row(decision, context) {
  const { clock, titles, device, selected } = context;
  const number = decision.number;
  const stack = { device, stack: decision.stack };
  return {
    class: number === selected ? "current" : undefined,
    cells: [
      h("a", { href: changed({ decision: number }), id: `decision-${number}` }, figure(number)),
      clock.element(decision.atMs, { full: true }),
      h("a", { href: address("/stack", stack) }, name(decision.stack)),
      t(`decision.${kindText(decision.kind)}`),
      widgetName(decision.to, titles, address("/why", { ...stack, ...widgetChoices(decision.to) })),
      explanationSentence(decision.explanation, clock, titles, decision.atMs),
    ],
  };
}

/** Returns the whole explanation of one decision. */
function detail(decision, context) {
  const { titles, device } = context;
  const clock = new Clock(context.clock.zone, decision.atMs);
  const explanation = decision.explanation ?? {};
  const at = { device, stack: decision.stack, at: new Date(Number(decision.atMs)).toISOString() };
  return h(
    "section",
    { class: "card", id: "decision" },
    h("header", {}, h("h2", { tabindex: -1 }, t("decision.one", { number: decision.number })),
      h("a", { href: changed({ decision: "" }), id: "close" }, t("close"))),
    h("p", { class: "lead" }, explanationSentence(explanation, clock, titles), "."),
    h("p", { class: "note" }, clock.element(decision.atMs, { full: true }), " ", clock.zoneShown, " · ",
      t(`decision.${kindText(decision.kind)}`), " · ", h("a", { href: address("/why", at) }, t("decision.then"))),
    candidates(explanation, { clock, titles, id: "decided" }),
  );
}

function matches(decision, choices, titles) {
  if (choices.kind && kindText(decision.kind) !== choices.kind) return false;
  if (!choices.q) return true;
  const texts = [widgetText(decision.to), titles.of(decision.to), decision.explanation?.summary ?? ""];
  return texts.some((text) => text.toLowerCase().includes(choices.q.toLowerCase()));
}

function listRequest(view) {
  const { params, device } = view;
  return { device, stack: params.get("stack") ?? "", before: params.get("before") ?? "0", countMax };
}

export async function show(view) {
  if (!(await view.needsDevice())) return;
  const { params, device } = view;
  const [stacks, first] = await Promise.all([
    admin("ListStacks", { device }, view.signal),
    admin("ListDecisions", listRequest(view), view.signal),
  ]);
  let answer = first;
  const choices = { q: params.get("q") ?? "", kind: params.get("kind") ?? "" };
  const list = h("div", { class: "stacked" });
  const whyHref = address("/why", { device, stack: params.get("stack") });
  const showList = () => {
    const decisions = answer.decisions ?? [];
    const clock = new Clock(answer.timeZone, decisions[0]?.atMs);
    const context = { clock, titles: new Titles(answer.names), device, selected: params.get("decision") ?? "" };
    const wanted = decisions.filter((decision) => matches(decision, choices, context.titles));
    const rows = wanted.map((decision) => row(decision, context));
    const none = decisions.length
      ? empty(t("filter.none"), t("filter.noneText"))
      : empty(t("decision.none"), t("decision.noneText"), undefined,
          h("a", { class: "button", href: whyHref }, t("decision.whyNone")));
    const older = () => changed({ before: decisions.at(-1).number, decision: "" });
    replace(
      list,
      rows.length ? table("decisions", t("decision.title"), columns(), rows, { hidesCaption: true }) : none,
      decisions.length === countMax && h("p", {}, h("a", { class: "button", href: older() }, t("decision.older"))),
    );
    const chosen = decisions.find((decision) => decision.number === context.selected);
    replace(shown, chosen ? detail(chosen, context) : undefined);
  };
  const shown = h("div");
  const stackOptions = [["", t("all")], ...(stacks.stacks ?? []).map((stack) => [stack.id, stack.id])];
  const kinds = ["rotation", "suggestion", "pin", "rest"].map((kind) => [kind, t(`decision.${kind}`)]);
  const kindChosen = (kind) => ((choices.kind = kind), note({ kind }), showList());
  const searched = (q) => ((choices.q = q), note({ q }), showList());
  const stackChosen = (stack) => go(changed({ stack, before: "", decision: "" }), { replaces: true });
  const isNewest = !params.get("before");
  const newestHref = changed({ before: "", decision: "" });
  const status = isNewest ? view.liveElement() : h("a", { href: newestHref }, t("decision.newest"));
  view.header({ title: t("decision.title"), crumbs: view.crumbs(params.get("stack")), aside: status });
  view.put(
    h("div", { class: "controls" },
      field(t("stack"), choice("stack", stackOptions, params.get("stack") ?? "", stackChosen)),
      field(t("decision.kind"), choice("kind", [["", t("all")], ...kinds], choices.kind, kindChosen)),
      search(t("decision.filter"), choices.q, searched)),
    shown,
    list,
  );
  showList();
  if (!isNewest) return;
  const newest = () => answer.decisions?.[0]?.number ?? "0";
  const refresh = view.coalesced(async () => {
    const before = newest();
    answer = await admin("ListDecisions", listRequest(view), view.signal);
    showList();
    if (newest() !== before) view.announce(t("decision.new"));
  });
  view.watch(device, [], status, refresh);
}
