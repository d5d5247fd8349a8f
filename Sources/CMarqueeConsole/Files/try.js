// A scenario to try out, or timelines that become one: its findings, decisions and fronts. Nothing is stored.
import { patient } from "./calls.js";
import { kindText } from "./decisions.js";
import { h, name, replace, settled } from "./dom.js";
import { bytes, Clock, figure, number } from "./format.js";
import { field, messageElement, table, Titles, widgetName } from "./parts.js";
import { explanationSentence, findingSentence } from "./sentence.js";
import { language, loadText, t } from "./text.js";
import { widgetKey } from "./widget.js";

/** The templates of findings; those in English are the server's sentences. */
const findingTexts = { de: () => import("./lintde.js") };
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

/** Selects a line from a column on, and scrolls to it. */
function select(area, line, column = 1) {
  const lines = area.value.split("\n");
  const text = lines[line - 1] ?? "";
  const start = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
  area.focus();
  area.setSelectionRange(start + [...text].slice(0, column - 1).join("").length, start + text.length);
  area.scrollTop = (line - 4) * (area.scrollHeight / lines.length);
}

/**
 * Returns the decisions of a result with their difference from those without the overrides: added, removed or moved.
 * Only decisions of the time that both results cover differ.
 */
function compared(base, result) {
  const until = Math.min(number(base.untilMs), number(result.untilMs));
  const isCovered = (one) => number(one.atMs) <= until;
  const decisions = result.decisions ?? [];
  const key = (one) => [one.stack, one.kind, widgetKey(one.to)].join(" ");
  const left = new Set(base.decisions);
  const match = (one, isSame) => {
    const found = [...left].find((other) => key(other) === key(one) && isSame(other));
    left.delete(found);
    return found;
  };
  const rows = decisions.map((decision) => ({ decision, same: match(decision, (o) => o.atMs === decision.atMs) }));
  for (const row of rows.filter((one) => !one.same && isCovered(one.decision))) {
    row.before = match(row.decision, () => true);
    row.change = row.before ? "moved" : "added";
  }
  rows.push(...[...left].filter(isCovered).map((decision) => ({ decision, change: "removed" })));
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
    explanationSentence(decision.explanation, clock, titles, decision.atMs),
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
    /** How calendars and tables are read. */
    this.feed = { timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone };
    this.calls = new AbortController();
    view.signal.addEventListener("abort", () => this.calls.abort());
    this.soon = settled(() => this.run(), 400);
    this.area = h("textarea", { id: "scenario", class: "mono", rows: 20, spellcheck: "false", wrap: "off",
      oninput: () => {
        latest = this.area.value;
        this.soon();
      }, ondragover: (event) => event.preventDefault(), ondrop: (event) => this.drop(event) });
    this.area.value = latest;
    const chosen = () => this.load(this.file.files[0]);
    this.file = h("input", { id: "file", type: "file", accept: ".yaml,.yml,.json,.ics,.csv", onchange: chosen });
    this.inputs = settings.map((id) => this.input(id));
    this.more = h("select", { id: "more", onchange: () => this.add(this.more.value) });
    this.made = h("textarea", { id: "made", class: "mono", rows: 12, readonly: true, wrap: "off" });
    this.slider = h("input", { id: "instant", type: "range", step: 60_000, oninput: () => this.showFronts() });
    this.time = h("output", { for: "instant" });
    this.status = h("p", { class: "note", role: "status" });
    [this.findings, this.fronts, this.decisions] = [h("ul", { class: "log", id: "findings" }), h("div"), h("div")];
  }

  /** Returns the input of a policy number. */
  input(name) {
    return h("input", { id: `set-${name}`, name, type: "number", step: "any", oninput: this.soon });
  }

  /** Adds the input of another policy number. */
  add(name) {
    const { unit } = this.base.settings.find((one) => one.name === name);
    this.inputs.push(this.input(name));
    const label = name.replaceAll("_", "-") + (unit === "seconds" ? " (s)" : "");
    this.more.parentElement.before(field(label, this.inputs.at(-1)));
    this.inputs.at(-1).focus();
    this.showSettings();
  }

  content() {
    const setting = (input, index) => field(settings[index] + (index < 2 ? " (s)" : ""), input);
    const overrides = h("div", { class: "controls", role: "group", "aria-label": t("try.settings") },
      this.inputs.map(setting), field(t("try.more"), this.more));
    this.converted = h("div", { class: "stacked", id: "converted", hidden: true }, field(t("try.converted"), this.made),
      h("button", { id: "edit", onclick: () => this.use(this.made.value) }, t("try.edit")));
    this.then = h("div", { class: "stacked", id: "then", hidden: true },
      field(t("try.instant"), this.slider), this.time, this.fronts, this.decisions);
    return [field(t("try.scenario"), this.area), field(t("try.file"), this.file), overrides, this.status, this.findings,
      this.converted, this.then];
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
    this.use(await file.text());
  }

  use(text) {
    this.area.value = latest = text;
    this.area.focus();
    this.run();
  }

  /** Has the server run the text, unless it changes meanwhile. */
  async run() {
    this.calls.abort();
    const { signal } = (this.calls = new AbortController());
    if (this.view.signal.aborted) return;
    const text = this.area.value;
    const request = { text, feed: this.feed };
    try {
      if (this.base?.text !== text) this.base = { text, ...(await patient("Simulate", request, signal)) };
      const set = this.inputs.flatMap(({ name, value }) => (value === "" ? [] : [{ name, value: Number(value) }]));
      this.result = set.length ? await patient("Simulate", { ...request, set }, signal) : this.base;
      const [lint] = await Promise.all([patient("Lint", request, signal), loadText(findingTexts)]);
      this.clock = new Clock(this.result.timeZone, this.result.atMs);
      this.showFindings(lint.findings ?? []);
      this.showResult();
    } catch (error) {
      if (signal.aborted) return;
      if (error.code === "not_found" && this.feed) {
        // The server does not know the browser's time zone.
        this.feed = undefined;
        return this.run();
      }
      if (error.code === "lost") return this.status.replaceChildren(t("problem.lost.title"));
      if (!["invalid_argument", "resource_exhausted"].includes(error.code)) return this.view.fail(error);
      const [, line, column] = /^text: line (\d+)(?:, column (\d+))?/.exec(error.message) ?? [];
      this.showFindings([{ line, column, isError: true, message: error.message.replace(/^text: /, "") }]);
      this.status.textContent = t("try.error");
      this.then.hidden = this.converted.hidden = true;
    }
  }

  showFindings(findings) {
    const item = (finding) => {
      const { line, column, code, isError, message } = finding;
      return h("li", {},
        line && h("button", { class: "small", onclick: () => select(this.area, Number(line), Number(column || 1)) },
          t("try.line", { line }), column && `:${column}`),
        " ",
        isError ? messageElement(message) : findingSentence(finding, this.clock), " ",
        h("span", { class: "badge warn" }, isError ? t("try.error") : code),
        code === "card-invalid" && language() !== "en" && messageElement(message));
    };
    replace(this.findings, findings.map(item));
    this.findingCount = findings.length;
  }

  /** Shows the numbers without overrides, and those that have no input. */
  showSettings() {
    const all = this.base.settings ?? [];
    for (const input of this.inputs) input.placeholder = all.find((one) => one.name === input.name)?.value ?? 0;
    const others = all.filter((one) => !this.inputs.some((input) => input.name === one.name));
    replace(this.more, ["", ...others.map((one) => one.name)].map((name) => h("option", { value: name },
      name.replaceAll("_", "-"))));
  }

  showResult() {
    const { result, base, slider } = this;
    this.titles = new Titles(result.names);
    const [at, until] = [number(result.atMs), number(result.untilMs)];
    const chosen = slider.max && slider.valueAsNumber;
    [slider.min, slider.max] = [at, until];
    slider.valueAsNumber = chosen >= at && chosen <= until ? chosen : at + (until - at) / 3;
    this.showSettings();
    this.converted.hidden = !base.scenario;
    this.made.value = base.scenario ?? "";
    const rows = compared(base, result);
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
