// Stack: the front, and the members with their evidence, live.
import { admin } from "./calls.js";
import { h, name, replace } from "./dom.js";
import { Clock, durationText, figure, number, numberText } from "./format.js";
import { address } from "./location.js";
import { badge, badges, empty, evidence, facts, table, Titles, widgetFrame, widgetName } from "./parts.js";
import { codeElement, explanationSentence, gateSentence } from "./sentence.js";
import { t } from "./text.js";
import { familyText, widgetChoices, widgetKey } from "./widget.js";

/** The number of decisions that the page of a stack shows. */
const latestCount = 5;

function reloadText(reload, clock) {
  const counted = t("reload.budget", { count: numberText(reload?.counted), budget: numberText(reload?.budget) });
  const phase =
    reload?.scheduledMs ? [t("reload.due"), " ", clock.element(reload.scheduledMs)]
    : reload?.waitingUntilMs ? [t("reload.waits"), " ", clock.element(reload.waitingUntilMs)]
    : reload?.requestedMs ? [t("reload.requested"), " ", clock.element(reload.requestedMs)]
    : t("reload.none");
  return [phase, h("br"), h("span", { class: "note small" }, counted)];
}

/** The first closed gate of a candidate, or that it is in front. */
function gateText(candidate, clock) {
  if (!candidate) return "";
  if (candidate.inFront) return badges(badge(t("stack.inFront"), "on"));
  const closed = (candidate.gates ?? []).find((gate) => !gate.passed);
  if (!closed) return t("gate.allOpen");
  return [h("strong", {}, codeElement("gate", closed.name)), h("br"),
    h("span", { class: "small" }, gateSentence(closed, clock))];
}

function memberRow(view, model, member, index) {
  const { clock, titles, stack } = model;
  const candidate = model.candidates.get(widgetKey(member.widget));
  const relevance = member.relevance;
  const choices = { device: view.device, stack: stack.id, ...widgetChoices(member.widget) };
  const isFront = index === (stack.front ?? 0);
  return {
    class: isFront ? "current" : undefined,
    cells: [
      widgetName(member.widget, titles, address("/widgets", { device: view.device, ...widgetChoices(member.widget) })),
      evidence(candidate?.evidence, model.greatest),
      relevance
        ? h("span", {}, figure(relevance.effectiveScore), " ", h("span", { class: "note" }, t("score.of")), " ",
            figure(relevance.reference))
        : h("span", { class: "note" }, "–"),
      relevance ? clock.element(relevance.startMs) : "–",
      relevance ? (relevance.endMs ? clock.element(relevance.endMs) : t("score.replaced")) : "–",
      member.entryCount === undefined
        ? h("span", { class: "note" }, t("timeline.none"))
        : [figure(member.reachedCount), " / ", figure(member.entryCount)],
      reloadText(member.reload, clock),
      gateText(candidate, clock),
      h("a", { href: address("/why", choices) }, isFront ? t("stack.why") : t("stack.whyNot")),
    ],
  };
}

const columns = () => [
  { label: t("widget.title"), class: "wide" },
  { label: t("evidence"), class: "number" },
  { label: t("score"), class: "number" },
  { label: t("since"), class: "time" },
  { label: t("until"), class: "time" },
  { label: t("timeline.entries"), class: "number" },
  { label: t("reload"), class: "time" },
  { label: t("gate.closed"), class: "wide" },
  { label: t("stack.explain") },
];

async function load(view, stack) {
  const request = { device: view.device, stack };
  const [state, explained, widgets, decided] = await Promise.all([
    admin("InspectStack", request, view.signal),
    admin("Explain", request, view.signal),
    admin("ListWidgets", { device: view.device }, view.signal),
    admin("ListDecisions", { ...request, countMax: latestCount }, view.signal),
  ]);
  const candidates = explained.explanation?.candidates ?? [];
  return {
    ...state,
    members: state.members ?? [],
    explanation: explained.explanation,
    decisions: decided.decisions ?? [],
    clock: new Clock(explained.timeZone, state.atMs),
    titles: new Titles([...(decided.names ?? []), ...(explained.names ?? [])], widgets.widgets, widgets.displays),
    candidates: new Map(candidates.map((candidate) => [widgetKey(candidate.widget), candidate])),
    greatest: Math.max(0, ...candidates.map((candidate) => candidate.evidence ?? 0)),
  };
}

function stackFacts(model) {
  const { clock, stack } = model;
  const next = model.nextChangeMs
    ? [clock.element(model.nextChangeMs), " ", h("span", { class: "note small" },
        t("time.in", { duration: durationText(number(model.nextChangeMs) - number(model.atMs)) }))]
    : t("time.nothing");
  return facts([
    [t("stack.nextChange"), next],
    [t("stack.smartRotate"), stack.smartRotate ? t("on") : t("off")],
    [t("stack.widgetSuggestions"), stack.widgetSuggestions ? t("on") : t("off")],
    [t("stack.family"), familyText(stack.family)],
    [t("device.zone"), clock.zone],
  ]);
}

function latestDecisions(view, model) {
  const item = (decision) => {
    const choices = { device: view.device, stack: decision.stack, decision: decision.number };
    return h("li", {}, h("a", { href: address("/decisions", choices) }, model.clock.element(decision.atMs)), " ",
      explanationSentence(decision.explanation, model.clock, model.titles, decision.atMs));
  };
  const href = address("/decisions", { device: view.device, stack: model.stack.id });
  const all = h("a", { href }, t("stack.allDecisions"));
  return h("section", { class: "card" }, h("header", {}, h("h2", {}, t("stack.decisions")), all),
    model.decisions.length
      ? h("ol", { class: "log", id: "latest" }, model.decisions.map(item))
      : h("p", { class: "note" }, t("decision.none")));
}

/** Shows the stacks of a device to choose from. */
export async function chooseStack(view, path) {
  const answer = await admin("ListStacks", { device: view.device }, view.signal);
  const stacks = answer.stacks ?? [];
  if (stacks.length === 1) return stacks[0].id;
  view.header({ title: t("stack.choose"), crumbs: view.crumbs() });
  const command = `marquee stack create ${view.device}/home --family systemSmall`;
  if (!stacks.length) return void view.put(empty(t("overview.noStacks"), t("overview.noStacksText"), command));
  const item = (stack) =>
    h("li", { class: "card" },
      h("h2", {}, h("a", { href: address(path, { device: view.device, stack: stack.id }) }, name(stack.id))),
      h("p", { class: "note small" }, familyText(stack.family), ", ",
        figure(stack.members?.length, t("stack.members"))));
  return void view.put(h("ul", { class: "cards" }, stacks.map(item)));
}

export async function show(view) {
  if (!(await view.needsDevice())) return;
  const stack = view.params.get("stack") ?? (await chooseStack(view, "/stack"));
  if (!stack) return;
  const status = view.liveElement();
  const [front, lead, members] = [h("section", { class: "card" }), h("div", { class: "stacked" }), h("div")];
  let model = await load(view, stack);
  let display;
  const showModel = () => {
    const rows = model.members.map((member, index) => memberRow(view, model, member, index));
    const summary = model.explanation?.summary ?? "";
    replace(
      lead,
      h("p", { class: "lead", id: "summary" }, explanationSentence(model.explanation, model.clock, model.titles),
        summary ? "." : ""),
      badges(
        model.developerMode && badge(t("device.developerMode"), "warn"),
        model.stack.hasSuggestion && badge(t("stack.suggestion"), "on"),
      ),
      stackFacts(model),
      latestDecisions(view, model),
    );
    const command = `marquee stack add ${view.device}/${stack} com.example.weather/Forecast`;
    replace(members, rows.length
      ? table("members", t("stack.membersTitle"), columns(), rows)
      : empty(t("stack.empty"), t("stack.emptyText"), command));
    showFront();
  };
  const showFront = () => {
    const shown = display?.stacks.get(stack) ?? model.stack;
    const widget = shown.members?.[shown.front ?? 0];
    const entry = widget && display?.entry(widget, shown.family);
    const label = display?.label(widget) ?? { kindName: model.titles.of(widget) };
    replace(front, h("h2", {}, t("stack.front")),
      widget && widgetFrame(widget, shown.family, entry, label),
      widget && widgetName(widget, model.titles));
  };
  const refresh = view.coalesced(async () => {
    model = await load(view, stack);
    showModel();
    view.at(model.nextChangeMs, model.atMs, refresh);
  });
  view.header({ title: stack, crumbs: view.crumbs(), aside: status });
  view.put(h("div", { class: "split" }, front, lead), members);
  showModel();
  view.at(model.nextChangeMs, model.atMs, refresh);
  view.watch(view.device, [stack], status, (state) => {
    if (!state.stacks.has(stack)) return view.fail({ code: "not_found", message: stack });
    display = state;
    showFront();
    refresh();
  });
}
