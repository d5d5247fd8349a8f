// Overview: all devices with their latest changes, and the stacks of one of them, live.
import { listDevices } from "./calls.js";
import { h, name, replace } from "./dom.js";
import { Clock, duration, figure, number } from "./format.js";
import { address, changed, note } from "./location.js";
import { badge, badges, empty, facts, search, table, Titles, widgetFrame } from "./parts.js";
import { language, t } from "./text.js";
import { follow } from "./watch.js";
import { familyText } from "./widget.js";

/** The number of rows that are changed at once, a few milliseconds of work, and the pause before more are. */
const [rowsPerFrame, rowsPause] = [4, 50];
/** The number of changed devices that are read one by one, since a long list takes more than a frame. */
const singleCountMax = 8;
/** The fields of a device that its row shows. */
const rowFields = ["timeZone", "stackCount", "timelineCount", "decisionCount", "nextWakeMs", "developerMode",
  "clockAheadMs", "error"];
/** The pause before the list is read again, since a change can affect more than it says. */
const listPause = 2000;

/** The module that makes sentences in other languages than English. */
let sentences;

/** Returns the sentence of the reason for a decision. */
function reasonElement({ reason, explanation, widget, name: title }, clock, atMs) {
  if (!sentences || !explanation) return clock.sentence(reason, atMs);
  const titles = new Titles(title ? [{ widget, name: title }] : []);
  return sentences.explanationSentence({ ...explanation, summary: reason }, clock, titles, atMs);
}

function flags(device) {
  return badges(
    device.developerMode && badge(t("device.developerMode"), "warn"),
    number(device.clockAheadMs) > 0 && badge([t("device.clockAhead"), " ", duration(device.clockAheadMs)], "warn"),
    device.error && badge(t("device.error"), "warn"),
  );
}

/** Returns the latest change of a device, since the page is shown. */
function latestText(activity, clock) {
  if (!activity) return h("span", { class: "note" }, "–");
  const { decision, scroll, stack, removedStack, timeline, attachedApp, detachedApp } = activity;
  const kind = (widget) => name(widget?.kind?.name ?? "");
  const text =
    decision ? reasonElement(decision, clock, activity.atMs)
    : scroll ? [t("activity.scroll"), " ", kind(scroll.widget)]
    : stack ? [t("activity.stack"), " ", name(stack.id)]
    : removedStack ? [t("activity.removed"), " ", name(removedStack)]
    : timeline ? [t("activity.timeline"), " ", kind(timeline.widget)]
    : attachedApp ? [t("activity.attached"), " ", name(attachedApp)]
    : [t("activity.detached"), " ", name(detachedApp ?? "")];
  return h("span", { class: "small latest" }, clock.element(activity.atMs), " ", text);
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
      latestText(device.latest, clock),
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
  { label: t("device.latest"), class: "wide" },
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
    reason?.reason && h("p", { class: "small" }, clock.element(reason.atMs), " ",
      reasonElement(reason, clock)),
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

/** The rows of devices, which follow changes one by one. */
class DeviceRows {
  constructor(view, answer, selected) {
    Object.assign(this, { view, selected, at: answer.atMs, devices: answer.devices ?? [], element: h("div") });
    this.changed = new Set();
    this.onScreen = new Set();
    const show = ({ target, skipped }) => (skipped ? this.onScreen.delete(target) : this.onScreen.add(target));
    this.element.addEventListener("contentvisibilityautostatechange", show, true);
    this.update = view.eachFrame(() => this.change());
    this.stale = new Set();
    this.reload = view.coalesced(async () => {
      await new Promise((resolve) => setTimeout(resolve, listPause));
      if (!view.signal.aborted) await this.read();
    });
  }

  /** Reads the devices that have changed, or the list if they are many or unknown. */
  async read() {
    const { signal, params } = this.view;
    const names = [...this.stale];
    this.stale.clear();
    const places = names.map((name) => this.devices.findIndex((one) => one.device === name));
    const first = params.get("after") ?? "";
    if (places.length > singleCountMax || places.includes(-1)) return this.replace(await listDevices(first, signal));
    for (const place of places) {
      const { device, latest } = this.devices[place];
      const answer = await listDevices(this.devices[place - 1]?.device ?? first, signal, 1);
      const [found] = answer.devices ?? [];
      if (found?.device !== device) return this.replace(await listDevices(first, signal));
      this.at = answer.atMs;
      this.devices[place] = { ...found, latest };
      this.changed.add(device);
    }
    return this.draw();
  }

  /** Shows the devices whose name contains a text. */
  filter(text) {
    this.text = text;
    const shown = this.devices.filter((device) => device.device.toLowerCase().includes(text.toLowerCase()));
    const made = shown.map((device) => deviceRow(device, this.at, this.selected));
    replace(this.element, made.length
      ? table("devices", t("overview.devices"), columns(), made)
      : empty(t("filter.none"), t("filter.noneText")));
    const rows = this.element.querySelectorAll("tbody tr");
    this.onScreen.clear();
    this.rows = new Map(shown.map((device, index) => [device.device, rows[index]]));
  }

  /** Takes a list that was read later. */
  replace(answer) {
    const known = new Map(this.devices.map((device) => [device.device, device]));
    const devices = answer.devices ?? [];
    const isSame = devices.length === known.size && devices.every((device) => known.has(device.device));
    this.at = answer.atMs;
    this.devices = devices.map((device) => ({ ...device, latest: known.get(device.device)?.latest }));
    if (!isSame) return this.filter(this.text);
    for (const device of this.devices) {
      const before = known.get(device.device);
      if (rowFields.some((field) => device[field] !== before[field])) this.changed.add(device.device);
    }
    return this.draw();
  }

  /** Takes a message about a change of a device. */
  receive({ activity, missedCount }) {
    if (activity) {
      const device = this.devices.find((one) => one.device === activity.device);
      if (device) {
        device.latest = activity;
        if (activity.decision) device.decisionCount = activity.decision.number;
        this.changed.add(device.device);
        this.draw();
      }
    }
    if (activity) this.stale.add(activity.device);
    // Which devices the changes concern is not known.
    if (missedCount) this.stale.add("");
    if (activity || missedCount) this.reload();
  }

  /** Shows changes after a moment, since rows that change in every frame cannot be read. */
  draw() {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.update();
    }, rowsPause);
  }

  /** Changes the cells of some rows, those on the screen first, and of others after another moment. */
  change() {
    const names = [...this.changed];
    const isShown = (device) => this.onScreen.has(this.rows.get(device));
    const ordered = [...names.filter(isShown), ...names.filter((device) => !isShown(device))];
    for (const device of ordered.slice(0, rowsPerFrame)) {
      this.changed.delete(device);
      const row = this.rows.get(device);
      const summary = this.devices.find((one) => one.device === device);
      if (!row || !summary) continue;
      const { cells } = deviceRow(summary, this.at, this.selected);
      cells.forEach((cell, index) => index && replace(row.children[index], cell));
    }
    if (this.changed.size) this.draw();
  }

  /** Follows the changes of all devices while the page is shown. */
  follow() {
    const { signal } = this.view;
    const receive = (message) => this.receive(message);
    follow("Admin/WatchActivity", {}, signal, receive, () => {}).catch(this.view.fail);
  }
}

export async function show(view) {
  const after = view.params.get("after") ?? "";
  const [answer, made] = await Promise.all([
    listDevices(after, view.signal), language() === "en" ? undefined : import("./sentence.js")]);
  sentences = made;
  const devices = answer.devices ?? [];
  const wanted = view.params.get("device");
  // A device that is not in the list may be on another page of it; if there is none, its watch fails.
  const selected = wanted ? (devices.find((one) => one.device === wanted) ?? { device: wanted }) : devices[0];
  view.header({ title: t("overview.title"), aside: view.readElement(new Clock("UTC", answer.atMs)) });
  if (!devices.length) {
    return view.put(
      empty(t("overview.none"), t("overview.noneText"), "marquee device add kitchen --time-zone Europe/Berlin"));
  }
  const rows = new DeviceRows(view, answer, selected.device);
  const q = view.params.get("q") ?? "";
  rows.filter(q);
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
    h("div", { class: "controls" }, search(t("overview.filter"), q, (text) => (note({ q: text }), rows.filter(text)))),
    rows.element,
    next && h("p", {}, next),
  );
  showStacks(view, selected, area);
  view.watches.push(() => rows.follow());
}
