// Server: its health and clock, the limits with their use, and the policy of a device.
import { admin, health, listDevices } from "./calls.js";
import { h, name, replace, visible } from "./dom.js";
import { bytes, Clock, figure, measured, number } from "./format.js";
import { changed, go, note } from "./location.js";
import { badge, badges, choice, codeText, empty, facts, field, search, table, useBar } from "./parts.js";
import { hasText, loadText, t } from "./text.js";

const limitColumns = () => [
  { label: t("limit.name") },
  { label: t("limit.use"), class: "number" },
  { label: t("limit.maximum"), class: "number" },
  { label: t("limit.default"), class: "number" },
  { label: t("limit.set") },
  { label: t("limit.usedBy") },
  { label: t("limit.bounds"), class: "wide" },
];

/** What each limit bounds; in English that is the server's text. */
const bounds = { de: () => import("./limitsde.js") };

/** Returns what a limit bounds: the server's text for a limit that has none in the language. */
function boundsText(limit) {
  const key = `say.limit ${limit.name}`;
  return hasText(key) ? t(key) : limit.bounds;
}

function amount(value, unit) {
  return unit === "bytes" ? bytes(value) : measured(value, unit);
}

function limitRow(limit) {
  const isSet = limit.maximum !== undefined && limit.maximum !== limit.defaultValue;
  const sources = [t("limit.fixed"), t("limit.settings"), t("limit.access")];
  return [
    h("code", { id: `limit-${limit.name}` }, limit.name),
    limit.use === undefined
      ? h("span", { class: "note" }, "–")
      : [amount(limit.use, limit.unit), number(limit.use) > 0 && useBar(number(limit.use), number(limit.maximum))],
    limit.maximum === undefined ? t("limit.unlimited") : amount(limit.maximum, limit.unit),
    isSet ? amount(limit.defaultValue, limit.unit) : h("span", { class: "note" }, t("limit.same")),
    sources[limit.setIn ?? 0],
    limit.usedBy ? name(limit.usedBy, "name clamp") : "",
    h("span", { lang: hasText(`say.limit ${limit.name}`) ? undefined : "en" }, boundsText(limit)),
  ];
}

const policyColumns = () => [
  { label: t("policy.name") },
  { label: t("policy.value"), class: "number" },
  { label: t("policy.configured"), class: "number" },
  { label: t("policy.origin") },
];

function policyRow(setting) {
  const unit = setting.unit === "seconds" ? "seconds" : "";
  return [
    h("code", { id: `policy-${setting.name}` }, setting.name),
    unit ? measured(setting.value, unit) : figure(setting.value, "", 6),
    unit ? measured(setting.configured, unit) : figure(setting.configured, "", 6),
    setting.overridden
      ? badges(badge(t("policy.overridden"), "warn"))
      : h("span", { class: "note" }, t("policy.ofServer")),
  ];
}

function healthList(answer) {
  const statuses = Object.entries(answer.statuses ?? {}).sort(([one], [other]) => (one < other ? -1 : 1));
  const item = ([service, status]) => {
    const isServing = status.status === "SERVING";
    return h("li", { class: isServing ? "passed" : "failed", "data-service": service, "data-status": status.status },
      h("span", { class: "mark", "aria-hidden": "true" }, isServing ? "✓" : "✗"),
      service ? codeText(service, "name small") : h("span", {}, t("health.whole")),
      h("span", { class: "gate" }, isServing ? t("health.serving") : t("health.notServing")));
  };
  return h("ul", { class: "gates pairs" }, statuses.map(item));
}

function clockFacts(clock) {
  const shown = new Clock("UTC", clock.nowMs);
  const next = clock.nextChangeMs && [shown.element(clock.nextChangeMs, { full: true }), " UTC"];
  return facts([
    [t("clock.now"), [shown.element(clock.nowMs, { full: true }), " UTC"]],
    [t("clock.kind"), clock.manual ? t("clock.manual") : t("clock.system")],
    [t("clock.next"), next || t("time.nothing")],
  ]);
}

export async function show(view) {
  const device = view.params.get("device") ?? "";
  const [statuses, clock, limits, policy, devices] = await Promise.all([
    health(view.signal),
    admin("GetClock", {}, view.signal),
    admin("GetLimits", { device }, view.signal),
    device && admin("GetPolicy", { device }, view.signal),
    listDevices("", view.signal),
    loadText(bounds),
  ]);
  const present = clock.clock ?? {};
  const choices = { q: view.params.get("q") ?? "", show: view.params.get("show") ?? "" };
  const lists = h("div", { class: "stacked" });
  const showLists = () => {
    const wanted = (...texts) => texts.some((text) => text?.toLowerCase().includes(choices.q.toLowerCase()));
    const isShown = (limit) =>
      (choices.show === "all" || limit.use !== undefined) && wanted(limit.name, boundsText(limit));
    const rows = (limits.limits ?? []).filter(isShown).map(limitRow);
    const settings = (policy?.settings ?? []).filter((setting) => wanted(setting.name)).map(policyRow);
    const title = device ? t("limit.ofDevice", { device: visible(device) }) : t("limit.title");
    const policyTitle = t("policy.title", { device: visible(device) });
    replace(
      lists,
      rows.length > 0 && table("limits", title, limitColumns(), rows),
      settings.length > 0 && table("policy", policyTitle, policyColumns(), settings),
      !rows.length && !settings.length && empty(t("filter.none"), t("filter.noneText")),
    );
  };
  const searched = (q) => ((choices.q = q), note({ q }), showLists());
  const names = (devices.devices ?? []).map((one) => [one.device, one.device]);
  const deviceChosen = (chosen) => go(changed({ device: chosen }), { replaces: true });
  const extents = [["", t("limit.showUsed")], ["all", t("limit.showAll")]];
  const extentChosen = (extent) => ((choices.show = extent), note({ show: extent }), showLists());
  view.header({ title: t("server.title"), crumbs: device ? view.crumbs() : undefined,
    aside: view.readElement(new Clock("UTC", present.nowMs)) });
  view.put(
    h("div", { class: "cards pair" },
      h("section", { class: "card", id: "health" }, h("h2", {}, t("health.title")), healthList(statuses)),
      h("section", { class: "card", id: "clock" }, h("h2", {}, t("clock.title")), clockFacts(present))),
    h("div", { class: "controls" },
      field(t("server.device"), choice("device", [["", t("server.whole")], ...names], device, deviceChosen)),
      field(t("limit.show"), choice("show", extents, choices.show, extentChosen)),
      search(t("server.filter"), choices.q, searched)),
    lists,
  );
  showLists();
}
