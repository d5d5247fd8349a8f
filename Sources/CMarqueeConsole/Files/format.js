// Numbers with their units, and times in a device's zone, written as the command `marquee` writes them.
import { h, visible } from "./dom.js";
import { language, t } from "./text.js";

const zones = new Map();

function formatter(zone) {
  if (!zones.has(zone)) {
    const fields = { year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit" };
    const options = { ...fields, second: "2-digit", hourCycle: "h23", calendar: "iso8601", timeZone: zone };
    let made;
    try {
      made = new Intl.DateTimeFormat("en-GB", options);
    } catch {
      // A zone that this browser does not know: the page says so, and shows UTC.
      made = new Intl.DateTimeFormat("en-GB", { ...options, timeZone: "UTC" });
    }
    zones.set(zone, made);
  }
  return zones.get(zone);
}

/** The clock of a device: formats instants in its zone. */
export class Clock {
  constructor(zone, now) {
    this.zone = zone || "UTC";
    this.now = Number(now ?? 0);
    this.format = formatter(this.zone);
    const shown = this.format.resolvedOptions().timeZone;
    this.zoneShown = shown === "UTC" && this.zone !== "UTC" ? "UTC" : this.zone;
  }

  parts(ms) {
    const parts = Object.fromEntries(this.format.formatToParts(new Date(Number(ms))).map((p) => [p.type, p.value]));
    return { day: `${parts.year}-${parts.month}-${parts.day}`, time: `${parts.hour}:${parts.minute}:${parts.second}` };
  }

  day(ms) {
    if (Number(ms) !== this.now) return this.parts(ms).day;
    this.today ??= this.parts(ms).day;
    return this.today;
  }

  /** Returns the instant of a local date and minute of the day. */
  instant(day, minute) {
    const wanted = Date.parse(`${day}T00:00:00Z`) + minute * 60_000;
    let guess = wanted;
    for (let round = 0; round < 3; round += 1) {
      const { day: shownDay, time } = this.parts(guess);
      guess += wanted - Date.parse(`${shownDay}T${time}Z`);
    }
    return guess;
  }

  minute(ms) {
    const [hours, minutes] = this.parts(ms).time.split(":").map(Number);
    return hours * 60 + minutes;
  }

  /** Returns an element with an instant: the time of day, after the date if that is not the one of `now`. */
  element(ms, { full = false, now } = {}) {
    const { day, time } = this.parts(ms);
    const isShort = !full && day === this.day(now ?? this.now);
    const title = `${day} ${time} ${this.zoneShown}`;
    return h("time", { datetime: iso(ms), title }, isShort ? time : `${day} ${time}`);
  }

  /** Returns a sentence of the engine, with its instants in the device's zone. */
  sentence(text, now = this.now) {
    const pieces = visible(text).split(/(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)/);
    const shown = pieces.map((piece, index) => (index % 2 ? this.element(Date.parse(piece), { now }) : piece));
    return h("bdi", { class: "name", lang: "en" }, shown);
  }
}

export function iso(ms) {
  return new Date(Number(ms)).toISOString().replace(".000Z", "Z");
}

/** Returns the number of a field: proto3 leaves out zero, and writes 64-bit integers and infinity as text. */
export function number(value) {
  return value === undefined ? 0 : Number(value);
}

const numberFormats = new Map();

function numberFormat(digits) {
  const key = `${language()} ${digits}`;
  if (!numberFormats.has(key)) {
    numberFormats.set(key, new Intl.NumberFormat(language(), { maximumFractionDigits: digits }));
  }
  return numberFormats.get(key);
}

export function numberText(value, digits = 2) {
  const plain = number(value);
  if (!Number.isFinite(plain)) return plain > 0 ? "∞" : "−∞";
  return numberFormat(digits).format(plain);
}

/** Returns an element with a number and its unit. */
export function figure(value, unit = "", digits = 2) {
  const suffix = unit ? [" ", h("span", { class: "unit" }, unit)] : [];
  return h("data", { value: String(number(value)) }, numberText(value, digits), suffix);
}

export function percent(fraction) {
  const options = { style: "percent", maximumFractionDigits: 1 };
  const text = new Intl.NumberFormat(language(), options).format(number(fraction));
  return h("data", { value: String(number(fraction)) }, text);
}

/** Returns a duration in its two largest units. */
export function durationText(ms) {
  const plain = number(ms);
  if (!Number.isFinite(plain)) return "∞";
  let rest = Math.round(Math.abs(plain) / 1000);
  const parts = [];
  for (const [size, unit] of [[86_400, "d"], [3_600, "h"], [60, "min"], [1, "s"]]) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0 && parts.length < 2) parts.push(`${numberText(count)} ${unit}`);
  }
  return (plain < 0 ? "−" : "") + (parts.join(" ") || "0 s");
}

export function duration(ms) {
  return h("data", { value: String(number(ms)) }, durationText(ms));
}

export function bytes(value) {
  const plain = number(value);
  let [size, unit] = [plain, "B"];
  for (const next of ["KiB", "MiB", "GiB"]) {
    if (size < 1024) break;
    [size, unit] = [size / 1024, next];
  }
  return h("data", { value: String(plain) }, numberText(size, 1), " ", h("span", { class: "unit" }, unit));
}

/** Returns a value in a unit of the engine. */
export function measured(value, unit) {
  if (unit === "seconds") return h("data", { value: String(number(value)) }, durationText(number(value) * 1000));
  if (unit === "bytes") return bytes(value);
  if (unit === "probability") return percent(value);
  const words = { per_second: t("unit.perSecond"), per_minute: t("unit.perMinute"), count: "", number: "",
    evidence: t("unit.evidence"), rotations: t("unit.rotations"), suggestions: t("unit.suggestions") };
  return figure(value, words[unit] ?? unit ?? "");
}
