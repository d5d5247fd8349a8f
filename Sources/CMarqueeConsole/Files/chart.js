// A day as a drawing: the score of each widget over one time axis, the widget in front, and the decisions.
import { h, replace, svg, visible } from "./dom.js";
import { number, numberText } from "./format.js";
import { t } from "./text.js";

const minuteMs = 60_000;
const spanMin = 10 * minuteMs;
/** The margins of the drawing, the height of a widget's lane, and the places in it. */
const [left, right, top] = [48, 20, 22];
const lane = { height: 112, high: 24, low: 78, bar: 80, mark: 96 };
/** The distance of labels, and that from which a pointer drags. */
const [labelSpace, dragMin] = [46, 5];

/** Returns the scores that a timeline sets, as `marquee timeline` draws them (rules T3, W4). */
function steps(answer, now) {
  const entries = answer.entries ?? [];
  const expiries = entries.map((entry, index) => {
    const expiry = number(entry.details?.expiryMs);
    return number(entries[index + 1]?.dateMs ?? Infinity) > expiry ? expiry : 0;
  });
  const found = entries.filter((entry) => entry.relevance).map(({ dateMs, relevance }) => {
    const [start, span] = [number(dateMs), number(relevance.durationMs)];
    return { start, since: start, score: relevance.score ?? 0, end: span ? start + span : Infinity };
  });
  const { startMs, endMs = Infinity, score = 0 } = answer.relevance ?? {};
  // The score in force may be one of an earlier timeline.
  if (startMs && !found.some((step) => step.start === number(startMs))) {
    found.push({ start: number(startMs), since: now, score, end: number(endMs) });
    found.sort((one, other) => one.start - other.start);
  }
  return found.map((step, index) => {
    const next = found[index + 1]?.start ?? Infinity;
    const expiry = expiries.find((one) => one > step.since && one < next) ?? Infinity;
    return { ...step, next, end: Math.min(step.end, expiry, next) };
  });
}

/** Returns the scores in force in a period, without gaps: each past timeline counts while it was in force. */
export function scores(answer, now, from, to) {
  const spans = [];
  const add = (first, last, score) => {
    const [start, end] = [Math.max(first, from), Math.min(last, to)];
    if (start >= end) return;
    if (spans.at(-1)?.score === score) spans.at(-1).end = end;
    else spans.push({ start, end, score });
  };
  const draw = (one, since, first, last) => {
    const within = (start, end, score) => add(Math.max(start, first), Math.min(end, last), score);
    const all = steps(one, since);
    within(first, all[0]?.start ?? last, 0);
    for (const step of all) {
      within(step.start, step.end, step.score);
      within(step.end, step.next, 0);
    }
  };
  const past = answer.spans ?? [];
  let at = past.length ? number(past[0].startMs) : from;
  add(from, at, 0);
  for (const one of past) {
    const end = number(one.endMs);
    draw(one, at, at, end);
    at = end;
  }
  draw(answer, past.length ? at : now, at, to);
  return spans;
}

/** Returns the range of an axis of scores, in round numbers around the lowest and the highest one. */
function range(spans) {
  const drawn = spans.map((span) => Math.max(-1e307, Math.min(1e307, span.score)));
  const low = Math.min(0, ...drawn);
  const high = Math.max(0, ...drawn) || (low ? 0 : 1);
  const least = (high - low) / 4;
  const power = 10 ** Math.ceil(Math.log10(least));
  const step = power * [0.1, 0.2, 0.25, 0.5, 1].find((part) => part * power >= least * 0.999_999);
  return [Math.floor(low / step) * step, Math.ceil(high / step) * step];
}

/** Returns the first instant of a local day, also if a clock change skips or repeats its midnight. */
export function dayStart(clock, day) {
  const step = 15 * minuteMs;
  let at = clock.instant(day, 0);
  while (clock.day(at) < day) at += step;
  while (clock.day(at - step) >= day) at -= step;
  return at;
}

/** Returns the local time of an instant of the day; its end is 24:00. */
export function timeText(model, at) {
  return at === model.end ? "24:00" : model.clock.parts(at).time.slice(0, 5);
}

/** Returns the instants of round local times, which a clock change may skip, and the end of the day. */
function ticks(model, [from, to], width) {
  const room = (labelSpace * (to - from)) / width / minuteMs;
  const step = [5, 10, 15, 30, 60, 120, 180, 240, 360].find((minutes) => minutes >= room) ?? 720;
  const found = [];
  for (let minute = 0; minute < 1440; minute += step) {
    const at = model.clock.instant(model.day, minute);
    if (at >= from && at <= to && model.clock.minute(at) === minute) found.push(at);
  }
  return to === model.end ? [...found, to] : found;
}

const shapes = { rotation: "M-6 5L0 -6L6 5Z", suggestion: "M0 -7L6 0L0 7L-6 0Z", pin: "M-5 -5H5V5H-5Z" };

/** Returns the symbol of a kind of decision; that of a foreseen one is hollow. */
function symbol(kind, tense) {
  return svg("path", { d: shapes[kind] ?? "M-5 0A5 5 0 1 0 5 0A5 5 0 1 0 -5 0Z", class: `sign ${tense}` });
}

/** A drawing of a day, which the pointer and the keyboard zoom. */
export class DayChart {
  /** `zoomed` gets a new period, and `chosen` the instant of a click. */
  constructor(zoomed, chosen) {
    Object.assign(this, { zoomed, chosen });
    this.element = h("div", {
      class: "chart", id: "chart", role: "group", tabindex: 0, "aria-describedby": "chart-keys",
      onkeydown: (event) => this.press(event), onpointerdown: (event) => this.begin(event),
      onpointermove: (event) => this.drag(event), onpointerup: (event) => this.end(event),
      onpointercancel: () => this.stop(), onclick: (event) => this.click(event),
      ondragstart: (event) => event.preventDefault(),
    });
    new ResizeObserver(() => this.element.clientWidth !== this.width && this.draw()).observe(this.element);
  }

  /** Shows a period of a day with its lanes and decisions. */
  show(model, period) {
    Object.assign(this, { model, period });
    this.draw();
  }

  draw() {
    const { model, element } = this;
    this.width = element.clientWidth;
    if (!this.width) return;
    this.plot = Math.max(120, this.width - left - right);
    this.bottom = top + model.lanes.length * lane.height;
    const now = Math.max(left, Math.min(left + this.plot, this.x(model.now)));
    const clip = (id, from, to) =>
      svg("clipPath", { id }, svg("path", { d: `M${from} 0V${this.bottom}H${Math.max(from, to)}V0Z` }));
    const pattern = { id: "hatch", width: 8, height: 8, patternUnits: "userSpaceOnUse" };
    this.selection = svg("path", { class: "selection" });
    element.setAttribute("aria-label", `${t("time.day")} ${model.day}`);
    replace(element, svg("svg", { width: left + this.plot + right, height: this.bottom + 24 },
      svg("defs", {}, svg("pattern", pattern, svg("path", { d: "M0 8L8 0", class: "hatch" })),
        clip("past", left, now), clip("ahead", now, left + this.plot)),
      this.bar(Math.max(model.now, model.start), model.end, top, this.bottom - top, "future"),
      this.axis(), model.lanes.map((one, index) => this.lane(one, top + index * lane.height)),
      this.present(), this.selection));
  }

  x(at) {
    const [from, to] = this.period;
    return Math.round((left + ((at - from) / (to - from)) * this.plot) * 10) / 10;
  }

  /** Returns the minute at a pointer, within the period. */
  instant(event) {
    const [from, to] = this.period;
    const share = (event.clientX - this.element.getBoundingClientRect().left - left) / this.plot;
    return Math.round((from + Math.max(0, Math.min(1, share)) * (to - from)) / minuteMs) * minuteMs;
  }

  text(x, y, anchor, content, className) {
    return svg("text", { x, y, "text-anchor": anchor, class: className }, content);
  }

  /** Returns a bar of the part of a span that is shown. */
  bar(start, end, y, height, name) {
    const [from, to] = [Math.max(start, this.period[0]), Math.min(end, this.period[1])];
    return from < to && svg("rect", { x: this.x(from), y, width: this.x(to) - this.x(from), height, class: name });
  }

  axis() {
    return ticks(this.model, this.period, this.plot).map((at) => [
      svg("path", { d: `M${this.x(at)} ${top}V${this.bottom}`, class: "grid" }),
      this.text(this.x(at), this.bottom + 18, "middle", timeText(this.model, at)),
    ]);
  }

  present() {
    const { model, period: [from, to] } = this;
    const x = this.x(model.now);
    const place = x < left + 90 ? [x + 6, 14, "start"] : [x - 6, 14, "end"];
    return [
      model.now >= from && model.now < to && [svg("path", { d: `M${x} 4V${this.bottom}`, class: "now" }),
        this.text(...place, `${t("time.now")} ${timeText(model, model.now)}`)],
      x < left + this.plot - 80 && this.text(left + this.plot, 14, "end", t("day.foreseen")),
    ];
  }

  lane(one, y) {
    const [low, high] = range(one.spans);
    const yOf = (score) => Math.round(y + lane.low - ((score - low) / (high - low)) * (lane.low - lane.high));
    const line = one.spans.map((span, index) =>
      `${index ? "V" : `M${this.x(span.start)} `}${yOf(span.score)}H${this.x(span.end)}`).join("");
    const curve = (name, clip, d) => svg("path", { d, class: name, "clip-path": `url(#${clip})` });
    return svg("g", { "data-widget": one.text, "data-range": `${low} ${high}` },
      [...new Set([low, 0, high])].map((score) => [
        svg("path", { d: `M${left} ${yOf(score)}h${this.plot}`, class: score ? "grid" : "zero" }),
        this.text(left - 6, yOf(score) + 4, "end", Math.abs(score) < 1e6 ? numberText(score) : score.toExponential()),
      ]),
      this.text(left, y + 15, "start", visible(one.title).slice(0, this.plot / 8), "strong"),
      curve("area", "past", `${line}V${yOf(0)}H${this.x(one.spans[0].start)}Z`),
      curve("curve", "past", line), curve("curve ahead", "ahead", line),
      // Where one timeline replaced another one.
      one.published.filter((at) => at > this.period[0] && at < this.period[1]).map((at) => svg("path",
        { d: `M${this.x(at)} ${y + lane.high}V${y + lane.low}`, class: "zero published", "stroke-dasharray": "2 3" })),
      one.fronts.map((span) => this.bar(span.start, span.end, y + lane.bar, 6, `front ${span.tense}`)),
      this.marks(one, y));
  }

  marks(one, y) {
    const [from, to] = this.period;
    const shown = this.model.decisions.filter((mark) => mark.key === one.key && mark.at >= from && mark.at < to);
    let free = 0;
    return shown.map((mark, index) => {
      const x = this.x(mark.at);
      const text = `${timeText(this.model, mark.at)} ${t(`decision.${mark.kind}`)}`;
      const length = text.length * 7 + 16;
      const isLast = x + length > this.width;
      const next = index + 1 < shown.length && !isLast ? this.x(shown[index + 1].at) - 8 : Infinity;
      const hasRoom = x - (isLast ? length : 0) >= free && x + length < next;
      free = x + (hasRoom && !isLast ? length : 8);
      const label = [text, mark.tense && t("day.foreseen"), visible(one.title)].filter(Boolean).join(", ");
      return svg("a", { href: mark.href, class: "mark", "aria-label": label, "data-decision": mark.number },
        svg("title", {}, label), svg("g", { transform: `translate(${x} ${y + lane.mark})` },
          svg("circle", { r: 12, fill: "transparent" }), symbol(mark.kind, mark.tense)),
        hasRoom && this.text(x + (isLast ? -10 : 10), y + lane.mark + 5, isLast ? "end" : "start", text));
    });
  }

  /** Shows a period of at least ten minutes within the day, in whole minutes. */
  zoom(first, last) {
    const { start, end } = this.model;
    const span = Math.min(end - start, Math.max(spanMin, last - first));
    const from = Math.max(start, Math.min(first, end - span));
    this.period = [from, from + span].map((at) => Math.round(at / minuteMs) * minuteMs);
    this.draw();
    this.zoomed(this.period);
  }

  /** Runs the command of a key; returns whether there is one. */
  run(key) {
    const [from, to] = this.period;
    const part = (to - from) / 4;
    const move = { "+": [part, -part], "-": [-2 * part, 2 * part], ArrowLeft: [-part, -part], ArrowRight: [part, part],
      0: [this.model.start - from, this.model.end - to] }[key];
    if (move) this.zoom(from + move[0], to + move[1]);
    return move !== undefined;
  }

  press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (this.run(event.key === "=" ? "+" : event.key)) event.preventDefault();
  }

  begin(event) {
    this.isDragged = false;
    if (event.button === 0) this.origin = { x: event.clientX, at: this.instant(event) };
  }

  /** Returns the period between the start of the drag and the pointer. */
  dragged(event) {
    return [this.origin.at, this.instant(event)].sort((one, other) => one - other);
  }

  drag(event) {
    // A button that was released elsewhere.
    if (this.origin && !event.buttons) this.stop();
    if (!this.origin || (!this.isDragged && Math.abs(event.clientX - this.origin.x) < dragMin)) return;
    if (!this.isDragged) this.element.setPointerCapture(event.pointerId);
    this.isDragged = true;
    const [from, to] = this.dragged(event).map((at) => this.x(at));
    this.selection.setAttribute("d", `M${from} 0V${this.bottom}H${to}V0Z`);
  }

  end(event) {
    if (this.origin && this.isDragged) this.zoom(...this.dragged(event));
    this.stop();
  }

  stop() {
    this.origin = undefined;
    this.selection.setAttribute("d", "");
  }

  click(event) {
    if (this.isDragged) event.preventDefault();
    else if (!event.target.closest("a")) this.chosen(this.instant(event));
  }
}
