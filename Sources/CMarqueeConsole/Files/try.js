// A scenario to try out: its findings, its decisions, and the fronts of its stacks. Nothing is stored.
import { admin } from "./calls.js";
import { kindText } from "./decisions.js";
import { h, name, replace, settled, visible } from "./dom.js";
import { bytes, Clock, figure, number } from "./format.js";
import { badge, field, table, Titles, widgetName } from "./parts.js";
import { t } from "./text.js";
import { widgetKey } from "./widget.js";

const sizeMax = 1 << 20;
const settings = ["dwell", "hold", "margin", "threshold"];
const example = `device: phone
time-zone: Europe/Berlin
begin: 2026-06-08

apps:
  com.example.weather:
    kinds: {Forecast: [systemSmall]}
  com.example.transit:
    kinds: {Departures: [systemSmall]}

stacks:
  home: {family: systemSmall, widgets: [Forecast, Departures]}

events:
  - at: 06:00
    publish: Departures
    relevance: [[07:30, 5, 30m], [17:00, 8, 1h]]
  - at: 06:00
    publish: Forecast
    relevance: [[07:45, 3, 2h], [12:00, 4, 30m]]
  - at: 12:10
    scroll: home
    to: Departures
`;

/** The latest text, for another visit of the page. */
let latest = example;

/** Makes a call, and again while the server is still busy with the previous one. */
async function call(method, request, signal) {
  for (let wait = 100; ; wait *= 2) {
    try {
      return await admin(method, request, signal);
    } catch (error) {
      if (wait > 2000 || !error.message.includes("simulation-count-max")) throw error;
      await new Promise((resolve) => setTimeout(resolve, wait));
      signal.throwIfAborted();
    }
  }
}

/** Selects a line, and scrolls to it. */
function select(area, line) {
  const lines = area.value.split("\n");
  const start = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
  area.focus();
  area.setSelectionRange(start, start + (lines[line - 1] ?? "").length);
  area.scrollTop = (line - 4) * (area.scrollHeight / lines.length);
}

/** Returns the decisions with their difference from those without the overrides: added, removed or moved. */
function compared(base, decisions) {
  const key = (one) => [one.stack, one.kind, widgetKey(one.to)].join(" ");
  const left = new Set(base);
  const match = (one, isSame) => {
    const found = [...left].find((other) => key(other) === key(one) && isSame(other));
    left.delete(found);
    return found;
  };
  const rows = decisions.map((decision) => ({ decision, same: match(decision, (o) => o.atMs === decision.atMs) }));
  for (const row of rows.filter((one) => !one.same)) {
    row.before = match(row.decision, () => true);
    row.change = row.before ? "moved" : "added";
  }
  rows.push(...[...left].map((decision) => ({ decision, change: "removed" })));
  return rows.sort((a, b) => number(a.decision.atMs) - number(b.decision.atMs));
}

function decisionTable(rows, clock, titles) {
  const columns = ["time", "change", "stack", "kind", "to", "reason"].map((key) => ({
    label: t(key === "stack" ? key : key === "change" ? "try.change" : `decision.${key}`),
    class: { time: "time", to: "wide", reason: "wide" }[key],
  }));
  const cells = ({ decision, change, before }) => [
    clock.element(decision.atMs),
    change && [h("span", { class: change === "removed" ? "badge" : "badge on", "data-change": change },
      t(`try.${change}`)), before && [" ", clock.element(before.atMs)]],
    name(decision.stack),
    t(`decision.${kindText(decision.kind)}`),
    widgetName(decision.to, titles),
    clock.sentence(decision.explanation?.summary, decision.atMs),
  ];
  return table("tried", t("decision.title"), columns, rows.map(cells));
}

/** Returns the value in force at an instant, of points in order. */
const inForce = (points, ms) => (points ?? []).findLast((point) => number(point.atMs) <= ms);

/** Returns the widgets of each stack in front at an instant, with their evidence. */
function fronts(stacks, ms, titles) {
  const row = (stack) => {
    const widget = inForce(stack.fronts, ms)?.widget;
    const curve = widget && stack.curves?.find((one) => widgetKey(one.widget) === widgetKey(widget));
    const evidence = figure(inForce(curve?.points, ms)?.evidence);
    return [name(stack.stack), widget ? widgetName(widget, titles) : "–", evidence];
  };
  const columns = [{ label: t("stack") }, { label: t("stack.inFront"), class: "wide" }, { label: t("evidence") }];
  return table("fronts", t("stack.inFront"), columns, stacks.map(row), { hidesCaption: true });
}

class Trial {
  constructor(view) {
    this.view = view;
    this.calls = new AbortController();
    view.signal.addEventListener("abort", () => this.calls.abort());
    const soon = settled(() => this.run(), 400);
    this.area = h("textarea", { id: "scenario", class: "mono", rows: 20, spellcheck: "false", wrap: "off",
      oninput: () => {
        latest = this.area.value;
        soon();
      }, ondragover: (event) => event.preventDefault(), ondrop: (event) => this.drop(event) });
    this.area.value = latest;
    const chosen = () => this.load(this.file.files[0]);
    this.file = h("input", { id: "file", type: "file", accept: ".yaml,.yml", onchange: chosen });
    this.inputs = settings.map((id) =>
      h("input", { id: `set-${id}`, type: "number", step: "any", min: 0, oninput: soon }));
    this.slider = h("input", { id: "instant", type: "range", step: 60_000, oninput: () => this.showFronts() });
    this.time = h("output", { for: "instant" });
    this.status = h("p", { class: "note", role: "status" });
    [this.findings, this.fronts, this.decisions] = [h("ul", { class: "log", id: "findings" }), h("div"), h("div")];
  }

  content() {
    const setting = (input, index) => field(settings[index] + (index < 2 ? " (s)" : ""), input);
    const overrides = h("div", { class: "controls", role: "group", "aria-label": t("try.settings") },
      this.inputs.map(setting));
    this.then = h("div", { class: "stacked", id: "then", hidden: true },
      field(t("try.instant"), this.slider), this.time, this.fronts, this.decisions);
    return [field(t("try.scenario"), this.area), field(t("try.file"), this.file), overrides, this.status, this.findings,
      this.then];
  }

  drop(event) {
    const file = event.dataTransfer.files[0];
    if (!file) return;
    event.preventDefault();
    this.load(file);
  }

  async load(file) {
    if (!file) return;
    if (file.size > sizeMax) return this.status.replaceChildren(t("try.tooLarge"), " ", bytes(file.size));
    this.area.value = latest = await file.text();
    this.run();
  }

  /** Has the server run the text, unless it changes meanwhile. */
  async run() {
    this.calls.abort();
    const { signal } = (this.calls = new AbortController());
    if (this.view.signal.aborted) return;
    const text = this.area.value;
    try {
      if (this.base?.text !== text) this.base = { text, ...(await call("Simulate", { text }, signal)) };
      const set = this.inputs.flatMap(({ value }, index) =>
        value === "" ? [] : [{ name: settings[index], value: Number(value) }]);
      this.result = set.length ? await call("Simulate", { text, set }, signal) : this.base;
      const lint = await call("Lint", { text, kind: "LINT_KIND_SCENARIO" }, signal);
      this.showFindings(lint.findings ?? []);
      this.showResult();
    } catch (error) {
      if (signal.aborted) return;
      if (error.code === "lost") return this.status.replaceChildren(t("problem.lost.title"));
      if (!["invalid_argument", "resource_exhausted"].includes(error.code)) return this.view.fail(error);
      const line = /^text: line (\d+)/.exec(error.message)?.[1];
      this.showFindings([{ line, code: t("try.error"), message: error.message.replace(/^text: /, "") }]);
      this.status.textContent = t("try.error");
      this.then.hidden = true;
    }
  }

  showFindings(findings) {
    const item = ({ line, code, message }) => h("li", {},
      line && h("button", { class: "small", onclick: () => select(this.area, Number(line)) }, t("try.line", { line })),
      " ",
      h("span", { class: "name", lang: "en" }, visible(message)), " ", h("span", { class: "badge warn" }, code));
    replace(this.findings, findings.map(item));
    this.findingCount = findings.length;
  }

  showResult() {
    const { result, base, slider } = this;
    this.titles = new Titles(result.names);
    this.clock = new Clock(result.timeZone, result.atMs);
    const [at, until] = [number(result.atMs), number(result.untilMs)];
    const chosen = slider.max && slider.valueAsNumber;
    [slider.min, slider.max] = [at, until];
    slider.valueAsNumber = chosen >= at && chosen <= until ? chosen : at + (until - at) / 3;
    for (const [index, input] of this.inputs.entries()) {
      input.placeholder = base.settings?.find((one) => one.name === settings[index])?.value ?? 0;
    }
    const rows = compared(base.decisions ?? [], result.decisions ?? []);
    replace(this.decisions, decisionTable(rows, this.clock, this.titles));
    const changes = rows.filter((row) => row.change).length;
    const decisions = result.decisions?.length ?? 0;
    this.status.textContent = t("try.done", { decisions, findings: this.findingCount, changes });
    this.then.hidden = false;
    this.showFronts();
  }

  showFronts() {
    const ms = this.slider.valueAsNumber;
    replace(this.time, this.clock.element(ms, { full: true }), ` ${this.clock.zoneShown}`);
    this.slider.setAttribute("aria-valuetext", this.time.textContent);
    replace(this.fronts, fronts(this.result.stacks ?? [], ms, this.titles));
  }
}

export async function show(view) {
  const trial = new Trial(view);
  view.header({ title: t("try.title") });
  view.put(trial.content());
  trial.run();
}
