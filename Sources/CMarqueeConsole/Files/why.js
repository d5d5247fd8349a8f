// Why, and why not: the candidates of a stack with their signals and gates, and the obstacles of a widget.
import { admin, deviceTime } from "./calls.js";
import { h, settled } from "./dom.js";
import { Clock, durationText, figure, iso, measured, number, percent } from "./format.js";
import { address, changed, go } from "./location.js";
import { choice, empty, evidence, facts, field, table, Titles, widgetName } from "./parts.js";
import { candidateSentence, codeElement, explanationSentence, gateSentence, habitSentence, obstacleSentence,
  suggestionSentence, whyNotSentence } from "./sentence.js";
import { chooseStack } from "./stack.js";
import { t } from "./text.js";
import { widgetChoices, widgetKey, widgetOf, widgetText } from "./widget.js";

const dayMinutes = 1440;
const sliderStep = 5;

/** Returns the measured and the required value of a gate, with the unit. */
function gateLimit(gate) {
  const isNamed = gate.unit !== "seconds" && gate.unit !== "probability";
  const value = isNamed ? figure(gate.measured) : measured(gate.measured, gate.unit);
  return [value, " ", t("gate.of"), " ", measured(gate.required, gate.unit)];
}

function gateItem(gate, clock) {
  const isPassed = gate.passed === true;
  const limit = gate.unit && gateLimit(gate);
  const opens = !isPassed && gate.clearsMs && [t("gate.opens"), " ", clock.element(gate.clearsMs)];
  const notes = [limit, limit && opens && "; ", opens].filter(Boolean);
  return h(
    "li",
    { class: isPassed ? "passed" : "failed", "data-gate": gate.name },
    h("span", { class: "mark", role: "img", "aria-label": isPassed ? t("gate.open") : t("gate.shut") },
      isPassed ? "✓" : "✗"),
    codeElement("gate", gate.name, "gate"),
    h("span", {}, gateSentence(gate, clock), notes.length > 0 && h("span", { class: "note" }, " (", notes, ")")),
  );
}

const signalColumns = () => [
  { label: t("signal") },
  { label: t("score"), class: "number" },
  { label: t("signal.reference"), class: "number" },
  { label: t("signal.strength"), class: "number" },
  { label: t("signal.weight"), class: "number" },
  { label: t("signal.share"), class: "number" },
  { label: t("signal.reasons"), class: "wide" },
];

function signalRow(signal, clock) {
  return [
    codeElement("signal", signal.signal),
    figure(signal.score, "", 4), figure(signal.reference, "", 4), percent(signal.strength), figure(signal.weight),
    figure(signal.share), signal.habit ? habitSentence(signal.habit, clock) : "",
  ];
}

/** Returns the parts of a candidate: a line that opens to its signals and gates. */
function candidateCard(candidate, context, index, isOpen) {
  const { clock, titles, greatest, id } = context;
  const signals = candidate.signals ?? [];
  const gates = candidate.gates ?? [];
  const closed = gates.find((gate) => !gate.passed);
  const asks = !candidate.inFront && !isOpen && context.whyNot;
  const since = candidate.episodeStartMs && [[t("candidate.episode"), clock.element(candidate.episodeStartMs)]];
  const expired = candidate.expiryMs && [[t("candidate.expired"), clock.element(candidate.expiryMs)]];
  return h(
    "details",
    { class: "card", id: `${id}-${index}`, open: isOpen, "data-widget": widgetText(candidate.widget) },
    h(
      "summary",
      {},
      h("span", { class: "name" }, widgetName(candidate.widget, titles)),
      candidate.inFront
        ? h("span", { class: "badge on" }, t("stack.inFront"))
        : closed && h("span", { class: "badge" }, t("gate.shut"), ": ", codeElement("gate", closed.name)),
      h("span", {}, t("evidence"), " ", evidence(candidate.evidence, greatest)),
    ),
    h(
      "div",
      { class: "inside" },
      h("p", {}, candidateSentence(candidate, clock, titles), "."),
      facts([...(since || []), ...(expired || [])]),
      signals.length > 0 &&
        table(`${id}-${index}-signals`, t("signals"), signalColumns(), signals.map((one) => signalRow(one, clock))),
      gates.length > 0 && h("div", {}, h("h3", {}, t("gates")), h("ul", { class: "gates" },
        gates.map((gate) => gateItem(gate, clock)))),
      asks && h("p", {}, h("a", { href: context.whyNot(candidate.widget) }, t("stack.whyNot"))),
    ),
  );
}

/** Returns the candidates of an explanation. */
export function candidates(explanation, context, opened) {
  const list = explanation?.candidates ?? [];
  const greatest = Math.max(0, ...list.map((candidate) => candidate.evidence ?? 0));
  return list.map((candidate, index) =>
    candidateCard(candidate, { ...context, greatest }, index, widgetKey(candidate.widget) === opened));
}

function obstacle(item, clock, titles) {
  const lifts = item.clearsMs && h("p", { class: "note" }, t("obstacle.lifts"), " ", clock.element(item.clearsMs), " (",
    t("time.in", { duration: durationText(number(item.clearsMs) - clock.now) }), ")");
  const gate = item.gate?.unit && h("p", { class: "note small" }, gateLimit(item.gate));
  return h("li", {}, h("p", {}, obstacleSentence(item, clock, titles), "."), gate, lifts);
}

function whyNotSection(answer, titles) {
  const clock = new Clock(answer.timeZone, answer.atMs);
  const obstacles = answer.obstacles ?? [];
  return h(
    "section",
    { class: "card", id: "why-not" },
    h("header", {}, h("h2", {}, t("whyNot.title")), widgetName(answer.widget, titles)),
    h("p", { class: "lead", id: "obstacles-summary" }, whyNotSentence(answer, clock, titles), "."),
    obstacles.length > 0 && h("p", { class: "note" }, t("whyNot.order")),
    h("ol", { class: "steps", id: "obstacles" }, obstacles.map((item) => obstacle(item, clock, titles))),
  );
}

/** Returns the controls of the instant: a day and a time in the device's zone, a slider, and "now". */
function timeControls(at, clock, isNow) {
  const show = (day, minute) => go(changed({ at: iso(clock.instant(day, minute)) }), { replaces: true });
  const day = h("input", { type: "date", id: "day", value: clock.day(at), onchange: (event) =>
    event.target.value && show(event.target.value, clock.minute(at)) });
  const output = h("output", { for: "minute" }, clock.parts(at).time);
  const later = settled((minute) => show(day.value, minute), 250);
  const slider = h("input", {
    type: "range", id: "minute", min: 0, max: dayMinutes - sliderStep, step: sliderStep,
    // The label around it is that of the output, which it contains, too.
    value: clock.minute(at), "aria-label": t("time.ofDay"), "aria-valuetext": clock.parts(at).time,
    oninput: (event) => {
      const minute = Number(event.target.value);
      const text = clock.parts(clock.instant(day.value, minute)).time;
      output.textContent = text;
      event.target.setAttribute("aria-valuetext", text);
      later(minute);
    },
  });
  const now = h("a", { class: "button", href: changed({ at: "" }), id: "now" }, t("time.now"));
  return h("div", { class: "controls" }, field(t("time.day"), day),
    field([t("time.ofDay"), " ", output, " ", clock.zoneShown], slider, "field grow"), isNow ? undefined : now);
}

export async function show(view) {
  if (!(await view.needsDevice())) return;
  const stack = view.params.get("stack") ?? (await chooseStack(view, "/why"));
  if (!stack) return;
  const widget = widgetOf(view.params);
  const at = view.params.has("at") ? Date.parse(view.params.get("at")) : undefined;
  if (Number.isNaN(at)) throw { code: "invalid_argument", message: `at: ${view.params.get("at")}` };
  const request = { device: view.device, stack, ...(at === undefined ? {} : { atMs: String(at) }) };
  const [answer, obstacles, time] = await Promise.all([
    admin("Explain", request, view.signal),
    widget && admin("WhyNot", { ...request, widget }, view.signal),
    deviceTime(view.device, view.signal),
  ]);
  const explanation = answer.explanation ?? {};
  const clock = new Clock(answer.timeZone, explanation.atMs);
  const titles = new Titles([...(answer.names ?? []), ...(obstacles?.names ?? [])]);
  const whyNot = (other) => changed({ widget: "", configuration: "", ...widgetChoices(other) });
  const context = { clock, titles, id: "candidate", whyNot };
  const suggestions = answer.suggestions?.candidates ?? [];
  const options = [["", t("why.front")]];
  for (const candidate of explanation.candidates ?? []) {
    if (!candidate.inFront) options.push([JSON.stringify(candidate.widget), titles.of(candidate.widget)]);
  }
  const selected = options.find(([value]) => value && widgetKey(JSON.parse(value)) === widgetKey(widget))?.[0] ?? "";
  const choose = (value) => {
    const other = value ? widgetChoices(JSON.parse(value)) : {};
    go(changed({ widget: "", configuration: "", ...other }), { replaces: true });
  };
  const present = number(time.atMs);
  const tense = at > present ? t("time.future") : t("time.past");
  const aside = at === undefined
    ? view.readElement(clock)
    : h("span", { class: "live" }, tense, " ", clock.element(at, { full: true }), ` ${clock.zoneShown}`);
  view.header({ title: widget ? t("whyNot.title") : t("why.title"), crumbs: view.crumbs(stack), aside });
  view.put(
    h("section", { class: "card", "aria-label": t("why.choices") },
      h("div", { class: "controls" },
        field(t("why.question"), choice("question", options, selected, choose), "field grow")),
      timeControls(explanation.atMs ?? present, clock, at === undefined)),
    obstacles && whyNotSection(obstacles, titles),
    h("section", { class: "stacked" },
      h("p", { class: widget ? "" : "lead", id: "summary" }, explanationSentence(explanation, clock, titles), "."),
      h("h2", {}, t("why.candidates")),
      candidates(explanation, context, widget ? widgetKey(widget) : widgetKey(explanation.front))),
    suggestions.length > 0 && h("section", { class: "stacked" },
      h("h2", {}, t("why.suggestions")),
      h("p", {}, suggestionSentence(answer.suggestions, clock, titles), "."),
      candidates(answer.suggestions, { ...context, id: "suggestion" })),
    (explanation.candidates ?? []).length === 0 && empty(t("stack.empty"), t("stack.emptyText")),
    h("p", {}, h("a", { href: address("/stack", { device: view.device, stack }) }, t("why.toStack"))),
  );
}
