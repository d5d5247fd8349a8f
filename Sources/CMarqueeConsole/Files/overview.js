// Overview: all devices, and the stacks of one of them, live.
import { listDevices } from "./calls.js";
import { h, name, replace } from "./dom.js";
import { Clock, duration, figure, number } from "./format.js";
import { address, changed, note } from "./location.js";
import { badge, badges, empty, facts, search, table, widgetFrame } from "./parts.js";
import { t } from "./text.js";
import { familyText } from "./widget.js";

function flags(device) {
  return badges(
    device.developerMode && badge(t("device.developerMode"), "warn"),
    number(device.clockAheadMs) > 0 && badge([t("device.clockAhead"), " ", duration(device.clockAheadMs)], "warn"),
    device.error && badge(t("device.error"), "warn"),
  );
}

function deviceRow(device, at, selected) {
  const clock = new Clock(device.timeZone, at);
  const next = device.nextWakeMs ? clock.element(device.nextWakeMs) : h("span", { class: "note" }, t("time.none"));
  const attributes = { href: changed({ device: device.device }), id: `device-${device.device}` };
  return {
    class: device.device === selected ? "current" : undefined,
    cells: [
      h("span", {}, h("a", attributes, name(device.device, "name clamp")), flags(device)),
      [clock.element(at), " ", h("span", { class: "note small" }, clock.zoneShown)],
      figure(device.stackCount),
      figure(device.timelineCount),
      figure(device.decisionCount),
      next,
    ],
  };
}

const columns = () => [
  { label: t("device.name"), class: "wide" },
  { label: t("device.localTime"), class: "time" },
  { label: t("device.stacks"), class: "number" },
  { label: t("device.timelines"), class: "number" },
  { label: t("device.decisions"), class: "number" },
  { label: t("device.nextChange"), class: "time" },
];

function total(devices, field) {
  return figure(devices.reduce((sum, device) => sum + number(device[field]), 0));
}

/** Returns the card of a stack with its front, as displays show it. */
function stackCard(state, stack, clock) {
  const front = stack.members?.[stack.front ?? 0];
  const reason = state.reasons.get(stack.id);
  const choices = { device: clock.device, stack: stack.id };
  const body = front
    ? widgetFrame(front, stack.family, state.entry(front, stack.family), state.label(front))
    : h("p", { class: "note" }, t("stack.empty"));
  return h(
    "li",
    { class: "card", "data-stack": stack.id },
    h(
      "header",
      {},
      h("h3", {}, h("a", { href: address("/stack", choices), id: `stack-${stack.id}` }, name(stack.id))),
      h("span", { class: "note small" }, familyText(stack.family)),
    ),
    body,
    badges(
      stack.hasSuggestion && badge(t("stack.suggestion"), "on"),
      !stack.smartRotate && badge(t("stack.rotateOff")),
    ),
    reason?.reason && h("p", { class: "small" }, clock.element(reason.atMs), " ", clock.sentence(reason.reason)),
    h("p", { class: "small" }, h("a", { href: address("/why", choices) }, t("stack.why"))),
  );
}

function showStacks(view, device, area) {
  const list = h("ul", { class: "cards" });
  const heading = h("h2", {}, t("overview.live"), " ", name(device.device));
  const status = view.liveElement();
  replace(area, h("header", { class: "controls" }, heading, status), list);
  view.watch(device.device, [], status, (state) => {
    const clock = new Clock(state.timeZone ?? device.timeZone, state.atMs);
    clock.device = device.device;
    const cards = [...state.stacks.values()].map((stack) => stackCard(state, stack, clock));
    const command = `marquee stack create ${device.device}/home --family systemSmall`;
    const none = () => h("li", {}, empty(t("overview.noStacks"), t("overview.noStacksText"), command));
    replace(list, cards.length ? cards : none());
  });
}

export async function show(view) {
  const after = view.params.get("after") ?? "";
  const answer = await listDevices(after, view.signal);
  const devices = answer.devices ?? [];
  const wanted = view.params.get("device");
  // A device that is not in the list may be on another page of it; if there is none, its watch fails.
  const selected = wanted ? (devices.find((one) => one.device === wanted) ?? { device: wanted }) : devices[0];
  view.header({ title: t("overview.title"), aside: view.readElement(new Clock("UTC", answer.atMs)) });
  if (!devices.length) {
    return view.put(
      empty(t("overview.none"), t("overview.noneText"), "marquee device add kitchen --time-zone Europe/Berlin"));
  }
  const rows = h("div");
  const showRows = (text) => {
    const matching = devices.filter((device) => device.device.toLowerCase().includes(text.toLowerCase()));
    const made = matching.map((device) => deviceRow(device, answer.atMs, selected.device));
    const none = empty(t("filter.none"), t("filter.noneText"));
    replace(rows, made.length ? table("devices", t("overview.devices"), columns(), made) : none);
  };
  const q = view.params.get("q") ?? "";
  showRows(q);
  const nextHref = changed({ after: devices.at(-1).device });
  const next = answer.hasMore && h("a", { class: "button", href: nextHref }, t("more"));
  const area = h("section", { class: "stacked", "aria-label": t("overview.live"), id: "live" });
  view.put(
    facts(
      [
        [t("overview.devices"), [figure(devices.length), answer.hasMore ? "+" : ""]],
        [t("device.stacks"), total(devices, "stackCount")],
        [t("device.timelines"), total(devices, "timelineCount")],
        [t("device.decisions"), total(devices, "decisionCount")],
      ],
      "figures",
    ),
    area,
    h("div", { class: "controls" }, search(t("overview.filter"), q, (text) => (note({ q: text }), showRows(text)))),
    rows,
    next && h("p", {}, next),
  );
  showStacks(view, selected, area);
}
