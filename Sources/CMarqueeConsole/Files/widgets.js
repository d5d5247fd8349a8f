// Widgets: the kinds that apps have registered, the widgets with their places and statistics, and their timelines.
import { admin, deviceTime } from "./calls.js";
import { h, name, replace } from "./dom.js";
import { bytes, Clock, duration, figure, percent } from "./format.js";
import { address, changed, note } from "./location.js";
import { badge, badges, codeText, empty, facts, search, table, Titles, widgetFrame, widgetName } from "./parts.js";
import { t } from "./text.js";
import { familyText, widgetChoices, widgetKey, widgetOf, widgetText } from "./widget.js";

const kindColumns = () => [
  { label: t("kind.name"), class: "wide" },
  { label: t("kind.families") },
  { label: t("kind.configuredBy") },
  { label: t("kind.description"), class: "wide" },
];

function kindRow(kind) {
  const descriptor = kind.kind ?? {};
  return [
    [name(descriptor.displayName || descriptor.name, "name clamp"), codeText(`${kind.app}/${descriptor.name}`)],
    (descriptor.families ?? []).map(familyText).join(", "),
    descriptor.intentType ? name(descriptor.intentType) : h("span", { class: "note" }, t("kind.static")),
    name(descriptor.description, "name clamp"),
  ];
}

const widgetColumns = () => [
  { label: t("widget.title"), class: "wide" },
  { label: t("widget.where") },
  { label: t("statistics.shown"), class: "number" },
  { label: t("statistics.frontTime"), class: "number" },
  { label: t("statistics.rotations"), class: "number" },
  { label: t("statistics.taps"), class: "number" },
  { label: t("statistics.scrolledAway"), class: "number" },
  { label: t("statistics.suggestions"), class: "number" },
  { label: t("statistics.worth"), class: "number" },
];

/** Returns the places of a widget: stacks, and the Home Screen. */
function places(widget, stacks, homeWidgets, device) {
  const key = widgetKey(widget);
  const holding = stacks.filter((stack) => (stack.members ?? []).some((member) => widgetKey(member) === key));
  const links = holding.map((stack) => {
    const isSuggested = stack.hasSuggestion && widgetKey(stack.members[0]) === key;
    const link = h("a", { href: address("/stack", { device, stack: stack.id }) }, name(stack.id));
    return isSuggested ? [link, " ", badges(badge(t("stack.suggestion"), "on"))] : link;
  });
  const home = homeWidgets.filter((other) => widgetKey(other.widget) === key);
  const texts = home.map((other) => `${t("widget.homeScreen")} ${familyText(other.family)}`);
  const all = [...links, ...texts];
  if (!all.length) return h("span", { class: "note" }, t("widget.nowhere"));
  return all.flatMap((item, index) => (index ? [", ", item] : [item]));
}

/** Returns the sums of a widget's statistics over its families. */
function sums(instances) {
  const fields = ["shownCount", "frontTimeMs", "rotationCount", "tapCount", "scrollAwayCount", "suggestionCount"];
  const total = Object.fromEntries(fields.map((key) => [key, 0]));
  for (const instance of instances) {
    for (const key of fields) total[key] += Number(instance.statistics?.[key] ?? 0);
  }
  const worths = instances.map((instance) => instance.statistics?.worth ?? 0);
  return { ...total, worth: worths.length === 1 ? worths[0] : undefined };
}

async function allStatistics(device, signal) {
  const byKey = new Map();
  let skipCount = 0;
  for (let hasMore = true; hasMore; ) {
    const answer = await admin("ListStatistics", { device, skipCount, countMax: 1000 }, signal);
    const instances = (answer.apps ?? []).flatMap((app) => app.instances ?? []);
    for (const instance of instances) {
      const key = widgetKey(instance.widget);
      byKey.set(key, [...(byKey.get(key) ?? []), instance]);
    }
    skipCount += instances.length;
    hasMore = answer.hasMore === true && instances.length > 0;
  }
  return byKey;
}

const entryColumns = () => [
  { label: t("entry.date"), class: "time" },
  { label: t("score"), class: "number" },
  { label: t("entry.duration"), class: "number" },
  { label: t("entry.expires"), class: "time" },
  { label: t("entry.notes") },
];

function policyText(policy, clock) {
  if (policy?.afterMs) return [t("policy.after"), " ", clock.element(policy.afterMs)];
  if (policy?.never) return t("policy.never");
  return t("policy.atEnd");
}

function timelineTable(timeline, clock, currentMs) {
  const rows = (timeline.entries ?? []).map((entry) => {
    const relevance = entry.relevance;
    const details = entry.details ?? {};
    return {
      class: entry.dateMs === currentMs ? "current" : undefined,
      cells: [
        clock.element(entry.dateMs, { full: true }),
        relevance ? figure(relevance.score, "", 4) : h("span", { class: "note" }, t("entry.unchanged")),
        relevance ? (Number(relevance.durationMs ?? 0) ? duration(relevance.durationMs) : t("score.replaced")) : "",
        details.expiryMs ? clock.element(details.expiryMs) : h("span", { class: "note" }, t("entry.never")),
        badges(
          entry.dateMs === currentMs && badge(t("entry.current"), "on"),
          details.isPrivate && badge(t("widget.private")),
          details.link && badge(t("entry.link")),
        ),
      ],
    };
  });
  return table("entries", t("timeline.title"), entryColumns(), rows);
}

/** Shows the timeline of a widget, and its current entry. */
async function timelineSection(view, widget, titles) {
  const family = view.params.get("family") ?? "WIDGET_FAMILY_UNSPECIFIED";
  const request = { device: view.device, widget, family };
  const [timeline, content] = await Promise.all([
    admin("GetTimeline", request, view.signal),
    admin("GetTimeline", { ...request, withContent: true }, view.signal),
  ]);
  const clock = new Clock(timeline.timeZone, timeline.atMs);
  const current = (content.entries ?? []).find((entry) => Number(entry.dateMs) <= Number(content.atMs));
  const relevance = timeline.relevance;
  const heading = h("header", {}, h("h2", { tabindex: -1 }, name(titles.of(widget), "name clamp")),
    h("a", { href: changed({ widget: "", configuration: "", family: "" }), id: "close" }, t("close")));
  const code = codeText(widgetText(widget));
  if (!timeline.hasTimeline) {
    return h("section", { class: "card", id: "timeline" }, heading, code,
      empty(t("timeline.none"), t("timeline.noneText")));
  }
  const shown = timeline.instanceFamily ?? timeline.family;
  return h(
    "section",
    { class: "card", id: "timeline" },
    heading,
    code,
    h("div", { class: "split" },
      widgetFrame(widget, shown, current && { entry: current }, { kindName: titles.of(widget) }),
      facts([
        [t("stack.family"), familyText(shown)],
        [t("timeline.entries"), figure(timeline.entries?.length)],
        [t("score"), relevance ? [figure(relevance.effectiveScore, "", 4), " ", t("score.of"), " ",
          figure(relevance.reference, "", 4)] : t("score.none")],
        [t("since"), relevance && clock.element(relevance.startMs)],
        [t("until"), relevance && (relevance.endMs ? clock.element(relevance.endMs) : t("score.replaced"))],
        [t("policy"), policyText(timeline.policy, clock)],
        [t("entry.content"), current?.content && [name(current.content.mediaType), ", ",
          bytes(atob(current.content.data ?? "").length)]],
        [t("device.zone"), clock.zone],
      ])),
    timelineTable(timeline, clock, current?.dateMs),
  );
}

export async function show(view) {
  if (!(await view.needsDevice())) return;
  const { device, params } = view;
  const [answer, stacks, statistics, time] = await Promise.all([
    admin("ListWidgets", { device }, view.signal),
    admin("ListStacks", { device }, view.signal),
    allStatistics(device, view.signal),
    deviceTime(device, view.signal),
  ]);
  const titles = new Titles([], answer.widgets, answer.displays);
  const chosen = widgetOf(params);
  const widgetRow = (widget) => {
    const instances = statistics.get(widgetKey(widget)) ?? [];
    const sum = sums(instances);
    return {
      class: chosen && widgetKey(widget) === widgetKey(chosen) ? "current" : undefined,
      cells: [
        widgetName(widget, titles, changed({ configuration: "", ...widgetChoices(widget) })),
        places(widget, stacks.stacks ?? [], answer.homeWidgets ?? [], device),
        figure(sum.shownCount), duration(sum.frontTimeMs), figure(sum.rotationCount), figure(sum.tapCount),
        figure(sum.scrollAwayCount), figure(sum.suggestionCount),
        sum.worth === undefined ? h("span", { class: "note" }, "–") : percent(sum.worth),
      ],
    };
  };
  const [widgets, kinds] = [h("div"), h("div")];
  const showTables = (text) => {
    const wanted = (...texts) => texts.some((one) => (one ?? "").toLowerCase().includes(text.toLowerCase()));
    const isShown = (widget) => wanted(widgetText(widget), titles.of(widget));
    const rows = (answer.widgets ?? []).filter(isShown).map(widgetRow);
    const kindRows = (answer.kinds ?? [])
      .filter((kind) => wanted(kind.app, kind.kind?.name, kind.kind?.displayName)).map(kindRow);
    const none = answer.widgets?.length ? empty(t("filter.none"), t("filter.noneText"))
      : empty(t("widget.none"), t("widget.noneText"), `marquee publish --help`);
    replace(widgets, rows.length ? table("widgets", t("widget.list"), widgetColumns(), rows) : none);
    replace(kinds, kindRows.length ? table("kinds", t("kind.title"), kindColumns(), kindRows) : undefined);
  };
  const q = params.get("q") ?? "";
  const searched = (text) => (note({ q: text }), showTables(text));
  const aside = view.readElement(new Clock(time.timeZone, time.atMs));
  view.header({ title: t("widget.list"), crumbs: view.crumbs(), aside });
  showTables(q);
  const timeline = chosen && (await timelineSection(view, chosen, titles));
  view.put(timeline, h("div", { class: "controls" }, search(t("widget.filter"), q, searched)), widgets, kinds);
}
