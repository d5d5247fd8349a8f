// Day: the scores of a stack's widgets over a local day, and its decisions, also foreseen ones.
import { admin, deviceTime, patient } from "./calls.js";
import { DayChart, dayStart, scores, timeText } from "./chart.js";
import { kindText } from "./decisions.js";
import { h, replace } from "./dom.js";
import { Clock, figure, iso, number } from "./format.js";
import { address, changed, go, note, place } from "./location.js";
import { badge, badges, columns, empty, field, table, Titles, widgetName } from "./parts.js";
import { explanationSentence } from "./sentence.js";
import { chooseStack } from "./stack.js";
import { t } from "./text.js";
import { widgetKey, widgetText } from "./widget.js";

const countMax = 50;
const [minuteMs, dayMs] = [60_000, 86_400_000];
/** How far ahead the server foresees. */
const aheadMs = 2 * dayMs;
const signs = { "▲": "rotation", "◆": "suggestion", "■": "pin", "●": "rest" };

/** Returns the date some days after another. */
function besides(day, count) {
  return iso(Date.parse(day) + count * dayMs).slice(0, 10);
}

/** Returns the day of the address, or today. */
async function dayOf(view) {
  const time = await deviceTime(view.device, view.signal);
  const clock = new Clock(time.timeZone, time.atMs);
  const day = view.params.get("date") || clock.day(clock.now);
  if (!/^(19[7-9]|2[01]\d)\d-\d\d-\d\d$/.test(day) || Number.isNaN(Date.parse(day))) {
    throw { code: "invalid_argument", message: `date: ${day}` };
  }
  return { clock, day, start: dayStart(clock, day), end: dayStart(clock, besides(day, 1)), now: clock.now };
}

/** Returns the decisions of a stack, newest first: from a few after a day back to one before it. */
async function decided(request, { start, end }, signal) {
  const list = async (before, count = countMax) => ({ decisions: [], names: [],
    ...(await admin("ListDecisions", { ...request, before: String(before), countMax: count }, signal)) });
  const at = (one) => number(one?.atMs);
  let page = await list(0);
  // Only a few decisions before `high` are later than the day.
  const last = page.decisions.at(-1);
  let [low, high] = [0, at(last) < end ? 0 : number(last.number)];
  while (high - low > countMax) {
    const middle = Math.floor((low + high) / 2);
    if (at((await list(middle, 1)).decisions[0]) < end) low = middle;
    else high = middle;
  }
  if (high) page = await list(high);
  const all = page;
  while (page.decisions.length && at(page.decisions.at(-1)) >= start) {
    page = await list(page.decisions.at(-1).number);
    all.decisions.push(...page.decisions);
    all.names.push(...page.names);
  }
  return all;
}

/** Returns the fronts after decisions. If the next decision left another front, the user had scrolled meanwhile. */
function pastFronts(decisions, front, day) {
  return decisions.map((one, index) => {
    const next = decisions[index - 1] ?? { atMs: Math.min(day.now, day.end), from: day.end > day.now ? front : one.to };
    const [key, isKnown] = [widgetKey(one.to), widgetKey(next.from) === widgetKey(one.to)];
    return { key, tense: "", start: number(one.atMs), end: isKnown ? number(next.atMs) : 0 };
  });
}

/** Returns a timeline with those that it replaced on the day. These are read again only after another publication. */
async function timeline(request, day, known, signal) {
  const read = async (more) => {
    try {
      return await patient("GetTimeline", { ...request, ...more }, signal);
    } catch (error) {
      if (error.code === "not_found" || error.code === "out_of_range") return {};
      throw error;
    }
  };
  const answer = known && (await read());
  if (answer && answer.publishedMs === known.publishedMs) return { ...answer, spans: known.spans };
  return read(day.start < day.now && { sinceMs: String(day.start) });
}

/**
 * Returns the decisions that are foreseen until the end of a day, as far as the server foresees; `undefined` if the day
 * has ended since its time was read.
 */
async function readAhead(device, day, signal) {
  const untilMs = Math.min(day.end, day.now + aheadMs);
  if (day.end <= day.now || day.start >= untilMs) return {};
  try {
    // Without an end, which may be past by now, the server foresees a day.
    const request = untilMs > day.now + dayMs ? { device, untilMs: String(untilMs) } : { device };
    const ahead = await admin("Foresee", request, signal);
    return number(ahead.atMs) < day.end ? ahead : undefined;
  } catch (error) {
    const isPast = error.code === "invalid_argument" && number((await deviceTime(device, signal)).atMs) > untilMs;
    if (!isPast) throw error;
    return undefined;
  }
}

/** Returns the day of a stack. `known` has the timelines that were read before. */
async function load(view, id, known) {
  const { device, signal } = view;
  const day = await dayOf(view);
  const state = await admin("InspectStack", { device, stack: id }, signal);
  const widgets = await admin("ListWidgets", { device }, signal);
  const past = await decided({ device, stack: id }, day, signal);
  const ahead = await readAhead(device, day, signal);
  if (!ahead) return load(view, id, known);
  const fronts = (ahead.stacks?.find((one) => one.stack === id)?.fronts ?? [])
    .filter((one) => number(one.atMs) < day.end);
  const titles = new Titles([...past.names, ...(ahead.names ?? [])], widgets.widgets, widgets.displays);
  const mark = (tense) => (one) => ({ ...one, tense, key: widgetKey(one.to), at: number(one.atMs),
    kind: kindText(one.kind), href: address("/why", { device, stack: id, at: iso(one.atMs) }) });
  const decisions = [...past.decisions.map(mark("")).reverse(), ...(ahead.decisions ?? []).map(mark("ahead"))]
    .filter((one) => one.stack === id && one.at >= day.start && one.at < day.end);
  const shown = [...(state.stack.members ?? []), ...fronts.map((one) => one.widget),
    ...decisions.flatMap((one) => [one.from, one.to])].filter(Boolean);
  const spans = [...pastFronts(past.decisions, state.stack.members?.[state.stack.front ?? 0], day),
    ...fronts.map((one, index) => ({ key: widgetKey(one.widget), tense: "ahead", start: number(one.atMs),
      end: Math.min(day.end, number(fronts[index + 1]?.atMs ?? ahead.untilMs)) }))];
  const lanes = [];
  for (const [key, widget] of new Map(shown.map((one) => [widgetKey(one), one]))) {
    const request = { device, widget, family: state.stack.family };
    if (day.end <= day.now) request.atMs = String(day.end - 1);
    const answer = await timeline(request, day, known.get(key), signal);
    known.set(key, answer);
    const parts = (answer.spans ?? []).map((one) => ({ start: number(one.startMs), end: number(one.endMs),
      count: one.hasTimeline && (one.entries?.length ?? 0) }));
    // The last timeline is still in force, or was until the end of a past day.
    if (parts.length) {
      Object.assign(parts.at(-1),
        day.end > day.now ? { end: 0, count: answer.entries?.length } : { end: day.end });
    }
    lanes.push({ widget, key, text: widgetText(widget), title: titles.of(widget), parts,
      hasTimeline: answer.hasTimeline || parts.some((one) => one.count !== undefined),
      published: parts.slice(1).map((one) => one.start),
      spans: scores(answer, day.now, day.start, day.end), fronts: spans.filter((span) => span.key === key) });
  }
  return { ...day, titles, decisions, lanes, isWhole: day.end <= Math.max(day.now, number(ahead.untilMs)),
    nextChangeMs: number(state.nextChangeMs) || Infinity };
}

/** Returns the time of an instant of the day; its end is 24:00. */
const timeOf = (model, at) => (at === model.end ? h("time", { datetime: iso(at) }, "24:00")
  : model.clock.element(at, { now: model.start }));

const foreseen = (isForeseen) => isForeseen && badges(badge(t("day.foreseen")));

/** Returns the rows of a widget: its spans with a score other than 0, or that there are none. */
function spanRows(lane, model, link) {
  const title = () => widgetName(lane.widget, model.titles);
  const spans = lane.spans.filter((span) => span.score !== 0);
  if (!spans.length) return [[title(), t(lane.hasTimeline ? "score.none" : "timeline.none"), "", "", ""]];
  return spans.map(({ start, end, score }) =>
    [title(), figure(score, "", 4), [timeOf(model, start), foreseen(start > model.now)], timeOf(model, end),
      link(start)]);
}

/** Returns the timelines of widgets that had several on the day. */
function timelineTable(model) {
  const rows = model.lanes.filter((lane) => lane.published.length).flatMap((lane) => lane.parts.map((one) =>
    [widgetName(lane.widget, model.titles), timeOf(model, one.start),
      one.end ? timeOf(model, one.end) : t("score.replaced"),
      one.count === undefined ? t("timeline.none") : figure(one.count)]));
  return rows.length > 0 && table("timelines", t("device.timelines"),
    columns("widget.title wide", "since time", "until time", "timeline.entries number"), rows);
}

function tables(model, link) {
  const rows = model.decisions.map((one) => [
    figure(one.number), model.clock.element(one.at, { now: model.start }),
    [t(`decision.${one.kind}`), foreseen(one.tense)], widgetName(one.to, model.titles),
    explanationSentence(one.explanation, model.clock, model.titles, one.at),
    h("a", { href: one.href }, t("stack.why"))]);
  return [
    table("spans", t("day.score"), columns("widget.title wide", "score number", "since time", "until time",
      "stack.explain"), model.lanes.flatMap((lane) => spanRows(lane, model, link))), timelineTable(model),
    rows.length ? table("day-decisions", t("decision.title"), columns("decision.number", "decision.time time",
      "decision.kind", "decision.to wide", "decision.reason wide", "stack.explain"), rows)
      : h("p", {}, t("decision.none"), " ", link(model.now)),
  ];
}

/** Returns the missing data and the next step. */
function gaps(view, stack, model) {
  const command = `marquee stack add ${view.device}/${stack} com.example.weather/Forecast`;
  if (!model.lanes.length) return empty(t("stack.empty"), t("stack.emptyText"), command);
  if (!model.lanes.some((lane) => lane.hasTimeline)) {
    return empty(t("day.empty"), t("day.emptyText"), "marquee publish --help");
  }
  return !model.isWhole && h("p", { class: "note", id: "ahead-max" }, t("day.aheadMax"));
}

/** Returns the controls: the day, and the buttons of the zoom. */
function controls(model, chart) {
  const date = h("input", { type: "date", id: "date", value: model.day, onchange: ({ target }) =>
    target.value && go(changed({ date: target.value }), { replaces: true }) });
  const link = (id, text, day) => h("a", { class: "button", id, href: changed({ date: day }) }, text, day);
  const button = ([key, text]) =>
    h("button", { id: `key-${key}`, "aria-label": t(`day.key.${key}`), onclick: () => chart.run(key) }, text);
  return [
    link("previous", "← ", besides(model.day, -1)), field(t("time.day"), date),
    link("next", "→ ", besides(model.day, 1)),
    model.clock.day(model.now) !== model.day && link("today", t("time.now"), ""),
    [["+", "+"], ["-", "−"], ["ArrowLeft", "←"], ["ArrowRight", "→"], ["0", "0"]].map(button),
  ];
}

/** Returns the period of the address within the day. */
function period(model) {
  const { params } = place();
  const at = (key, other) => {
    const found = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(params.get(key) ?? "");
    return found ? model.clock.instant(model.day, found[1] * 60 + Number(found[2])) : other;
  };
  const [from, to] = [at("from", model.start), at("to", model.end)];
  return from >= model.start && to <= model.end && from < to ? [from, to] : [model.start, model.end];
}

export async function show(view) {
  if (!(await view.needsDevice())) return;
  const stack = view.params.get("stack") ?? (await chooseStack(view, "/day"));
  if (!stack) return;
  const [head, below, key] = [h("div", { class: "controls" }), h("div", { class: "stacked" }),
    h("div", { class: "note small" })];
  const known = new Map();
  let model = await load(view, stack, known);
  const why = (at) => address("/why", { device: view.device, stack, at: iso(at) });
  const chart = new DayChart(([from, to]) => {
    const isWhole = from === model.start && to === model.end;
    note({ from: isWhole ? "" : timeText(model, from), to: isWhole ? "" : timeText(model, to) });
    replace(head, controls(model, chart));
  }, (at) => go(why(at)));
  const drawing = h("section", { class: "card" }, chart.element, key);
  const refresh = view.coalesced(async () => {
    if (document.hidden) return;
    const { day } = model;
    model = await load(view, stack, known);
    if (model.day !== day) return view.reload();
    showModel();
  });
  const showModel = () => {
    if (!head.contains(document.activeElement)) replace(head, controls(model, chart));
    replace(key, Object.entries(signs).map(([sign, kind]) => `${sign} ${t(`decision.${kind}`)} `),
      `▬ ${t("stack.inFront")}`, h("p", { id: "chart-keys" }, t("day.keys")));
    const link = (at) => h("a", { href: why(at) }, t("stack.why"));
    replace(below, gaps(view, stack, model), model.lanes.length > 0 && tables(model, link));
    drawing.hidden = !model.lanes.length;
    chart.show(model, period(model));
    if (model.end > model.now) view.at(Math.min(model.nextChangeMs, model.now + minuteMs), model.now, refresh);
  };
  const isLive = model.end > model.now;
  const status = isLive ? view.liveElement() : view.readElement(model.clock);
  view.header({ title: `${t("time.day")} ${model.day}`, crumbs: view.crumbs(stack), aside: status });
  view.put(head, drawing, below);
  showModel();
  if (isLive) view.watch(view.device, [stack], status, refresh);
}
