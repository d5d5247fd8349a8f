// Sentences of the engine: in English those of the server, in other languages templates with the same values. A code
// without a template, such as one of a newer server, leaves the server's sentence.
import { h, name } from "./dom.js";
import { durationText, number, numberText } from "./format.js";
import { hasText, language, t } from "./text.js";

class Untranslated extends Error {}

const secondsText = (seconds) => durationText(Math.ceil(seconds) * 1000);
const percentText = (fraction, round = Math.round) => `${numberText(round(number(fraction) * 100))} %`;
const minuteText = (minute) => new Date(number(minute) * 60_000).toISOString().slice(11, 16);
const listed = (parts, separator) => parts.flatMap((part, index) => (index ? [separator, part] : [part]));
const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);
/** The number of parts into which probabilities are quantized. */
const probabilityParts = 16;

class Sentence {
  constructor(clock, titles, now) {
    Object.assign(this, { clock, titles, now });
  }

  /** Returns the sentence that `make` makes, or the server's. */
  or(text, make) {
    const { clock, now } = this;
    if (language() !== "en" && text) {
      try {
        return h("bdi", { class: "name" }, make());
      } catch (error) {
        if (!(error instanceof Untranslated)) throw error;
      }
    }
    return clock.sentence(text, now);
  }

  /** Returns a template with values: an instant has a name that ends with Ms, and zero is left out in messages. */
  say(key, values = {}) {
    if (!hasText(`say.${key}`)) throw new Untranslated(key);
    const shown = (field) => {
      const value = values[field];
      if (field.endsWith("Ms")) {
        if (value === undefined) throw new Untranslated(`${key}: ${field}`);
        return this.clock.element(value, { now: this.now });
      }
      if (value === undefined || typeof value === "number") return numberText(value);
      if (value.kind) return name(this.titles.of(value));
      return value;
    };
    return t(`say.${key}`).split(/\{(\w+)\}/).map((piece, index) => (index % 2 ? shown(piece) : piece));
  }

  /** Returns a template if there is a value. */
  also(key, values, field) {
    return values[field] !== undefined && hasText(`say.${key}`) ? this.say(key, values) : "";
  }

  /** Returns a value and the one that it has to reach, with as many digits as show which is greater. */
  compared({ measured, probability, required }) {
    const [value, least] = [number(measured ?? probability), number(required)];
    let digits = 2;
    while (value < least && digits < 15 && value.toFixed(digits) === least.toFixed(digits)) digits += 1;
    // Up to the second significant digit of a number that is close to zero.
    const significant = (one) => (one && Math.abs(one) < 0.01 ? Math.ceil(-Math.log10(Math.abs(one))) + 1 : 0);
    const text = (one) => numberText(one, Math.min(15, Math.max(digits, significant(one))));
    const needed = this.say(least > 0 ? "needed" : "neededAny", { required: text(least) });
    return { measured: text(value), required: text(least), needed };
  }

  gate(gate, isObstacle) {
    const { passed, sinceMs, unit } = gate;
    const [measured, required] = [number(gate.measured), number(gate.required)];
    const isNone = {
      threshold: !(measured > 0 || required > 0), gain: measured <= 0, episode: !passed && sinceMs === undefined,
    }[gate.name] ?? !Number.isFinite(measured);
    if (isNone) return this.say(`${gate.name} none`);
    const rest = secondsText(required - measured);
    if (unit === "seconds" && measured < required && isObstacle && gate.name !== "resting front") {
      return this.say(`${gate.name} obstacle`, { ...gate, rest });
    }
    const isBudget = unit === "rotations" || unit === "suggestions";
    const isLifted = passed && (isBudget ? measured > required : unit === "seconds" && measured < required);
    const lifted = isLifted ? this.say("lifted") : "";
    if (unit === "seconds") {
      const cause = this.say(gate.name, gate);
      if (measured >= required) {
        const key = gate.name === "resting front" ? "waited resting front" : "waited";
        return this.say(key, { cause, elapsed: secondsText(measured), required: secondsText(required) });
      }
      return [lifted, this.say("held", { cause, rest })];
    }
    const lead = measured < 0 ? " behind" : measured === 0 ? " level" : "";
    const key = [passed ? "+" : "-", lead].map((suffix) => gate.name + suffix).find((one) => hasText(`say.${one}`)) ??
      gate.name;
    const end = gate.name === "episode" && !passed ? this.say(gate.episodeEnd ?? "EPISODE_END_UNSPECIFIED") : "";
    const values = { ...gate, ...this.compared(gate), behind: -measured, end };
    const cost = gate.name === "gain" && required > 0 ? this.say("gain cost") : "";
    return [lifted, this.say(key, values), cost, this.also(`${key} clears`, gate, "clearsMs")];
  }

  pin({ times, place, focus }) {
    const days = ["MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY", "SUNDAY"];
    const format = new Intl.DateTimeFormat(language(), { weekday: "long", timeZone: "UTC" });
    // The epoch was a Thursday.
    const names = (times?.weekdays ?? []).map((day) =>
      format.format(new Date((days.indexOf(day.replace("WEEKDAY_", "")) + 4) * 86_400_000)));
    const list = new Intl.ListFormat(language()).format(names);
    return listed([this.say("pin"),
      times && (names.length === 7 ? this.say("daily") : this.say("days", { list })),
      times && this.say("hours", { start: minuteText(times.startMinute), end: minuteText(times.endMinute) }),
      place && this.say("place", place), focus && this.say("focus", { focus: name(focus) })].filter(Boolean), " ");
  }

  share(key, count, total) {
    if (number(total) === 1) return this.say(`${key} last`);
    return this.say(key, { count: number(count), total: number(total) });
  }

  habit({ slotMinute, dayOff, dayCount, doneDayCount, previousCount, followedCount, routine, routinePercentage }) {
    const end = minuteText((number(slotMinute) + 30) % 1440);
    const parts = [
      doneDayCount && [`${minuteText(slotMinute)}–${end} `,
        this.share(dayOff ? "habit off" : "habit work", doneDayCount, dayCount)],
      routine && this.say("routine", { event: this.say(`${routine} began`), percentage: routinePercentage }),
      followedCount && this.share("followed", followedCount, previousCount),
    ].filter(Boolean);
    return parts.length ? listed(parts, ", ") : this.say("habit none");
  }

  signal({ signal, score, reference, strength, habit }) {
    const [ratio, weighed] = [number(score) / number(reference), number(strength)];
    const plain = Number.isFinite(ratio) ? ratio : weighed;
    const isPrediction = signal === "prediction";
    const isLess = isPrediction && plain < 1 / probabilityParts;
    const share = isLess ? percentText(1 / probabilityParts, Math.ceil)
      : percentText(plain, isPrediction ? Math.floor : Math.round);
    const said = this.say(isLess ? "prediction less" : signal, { score: number(score), share });
    return [said, habit ? [" (", this.habit(habit), ")"] : "",
      Math.abs(plain - weighed) > 1e-5 ? this.say("weighed", { share: percentText(weighed) }) : ""];
  }

  reasons({ pin, evidence, gates = [], signals = [] }) {
    if (pin) return this.pin(pin);
    if (!(evidence > 0)) return this.say("threshold none");
    const { required } = gates.find((gate) => gate.name === "threshold") ?? {};
    const sum = this.say("evidence", this.compared({ measured: evidence, required }));
    return listed([...signals.map((signal) => this.signal(signal)), sum], ", ");
  }

  /** Returns the first gate of a candidate that is closed, in words. */
  closed({ gates = [], representative }) {
    const gate = gates.find((one) => !one.passed);
    if (gate?.name === "group" && representative) return this.say("representedBy", { value: representative });
    return gate && this.gate(gate);
  }

  candidate(candidate) {
    const { widget, inFront } = candidate;
    const reasons = [this.reasons(candidate), this.also("expired", candidate, "expiryMs")];
    const gate = !inFront && this.closed(candidate);
    return [this.say(inFront ? "inFront" : "candidate", { widget, reasons }), gate ? ["; ", gate] : ""];
  }

  explanation({ chosen, front, candidates = [] }) {
    const candidate = chosen && candidates.find((one) => same(one.widget, chosen));
    if (candidate?.pin) return this.say("pinned", { widget: chosen, pin: this.pin(candidate.pin) });
    const has = (gate) => candidate?.gates?.some((one) => one.name === gate);
    if (has("pinned") && !has("threshold")) return this.say("returns", { widget: chosen });
    if (candidate?.evidence > 0) return this.say("leads", { widget: chosen, reasons: this.reasons(candidate) });
    if (candidate) return this.say("rests", { widget: chosen });
    if (!front) return this.say("empty");
    const pinned = candidates.find((one) => one.pin);
    if (pinned) return this.candidate(pinned);
    const best = candidates.find((one) => one.evidence > 0);
    if (!best) return this.say("staysEmpty", { widget: front });
    const gate = !best.inFront && this.closed(best);
    if (best.inFront) return this.say("stays", { widget: front, reasons: this.reasons(best) });
    return this.say(gate ? "staysFor" : "staysOnly", { widget: front, other: best.widget, gate });
  }

  suggestion({ chosen, candidates = [] }) {
    const candidate = chosen && candidates.find((one) => same(one.widget, chosen));
    if (candidate) return this.say("suggested", { widget: chosen, reasons: this.reasons(candidate) });
    const [best] = candidates;
    if (!best) return this.say("suggestedNone");
    const gate = this.closed(best);
    return this.say(gate ? "suggestedNot" : "suggestible", { widget: best.widget, gate });
  }

  /** The reason for a suggestion outside stacks. */
  basis(fields) {
    const [key, value] = Object.entries(fields)[0] ?? [];
    if (key === "habit") return this.habit(value);
    if (key === "relevance") return this.watchFace(value);
    if (key === "frequent") return this.share(key, value.doneDayCount, value.dayCount);
    if (key === "upcoming") {
      const played = number(value.playedCount) && this.share("played", value.playedCount, value.playCount);
      return [this.say(key, value), played ? [", ", played] : ""];
    }
    if (key !== "messages") return this.say(key, { valueMs: value });
    const focus = value.focus ? [" ", this.say("focus", { focus: name(value.focus) })] : "";
    const received = { ...value, focus };
    if (!value.sentCount) return this.say("messages received", received);
    const isLast = value.messageCount === 1;
    return [this.say(isLast ? "messages last" : "messages", received),
      value.receivedCount ? this.say("messages answered", received) : ""];
  }

  /** A finding about a text. */
  finding({ code, values = [] }) {
    const plain = Object.fromEntries(values.map((one) => [one.name, one.text ?? number(one.number)]));
    const shown = ({ name: key, text, spanMs }) => {
      if (spanMs !== undefined) return number(spanMs) < 1000 ? `${numberText(spanMs)} ms` : durationText(spanMs);
      if (text === undefined) return plain[key];
      const word = `finding ${key} ${text}`;
      return hasText(`say.${word}`) ? this.say(word, plain) : name(text);
    };
    const parts = Object.fromEntries(values.map((one) => [one.name, shown(one)]));
    const more = plain.more ? this.say("finding more", plain) : "";
    const keys = values.map((one) => `finding ${code} ${one.name}`);
    return this.say(keys.find((key) => hasText(`say.${key}`)) ?? `finding ${code}`, { ...parts, more });
  }

  watchFace(item) {
    const [key, value] = Object.entries(reason(item))[0] ?? [];
    const until = this.also("until", item, "untilMs");
    const meters = number(value.distance ?? value);
    const distance = meters < 1000 ? `${numberText(meters, 0)} m` : `${numberText(meters / 1000, 1)} km`;
    const code = value.situation ?? value;
    const situation = String(code).startsWith("ROUTINE") && this.say(`${code} now`);
    const field = { situation: "sinceMs", placeAway: "distance" }[key];
    const isBare = field && value[field] === undefined;
    return this.say(isBare ? `${key} none` : key, { ...value, valueMs: value, until, distance, situation });
  }

  /** Returns the template of the one field of a message that is set. */
  one(fields) {
    const [key, value] = Object.entries(fields)[0] ?? [];
    if (key === "gate") return this.gate(value, true);
    if (key === "noEvidence") return this.one(value);
    const isPrediction = key === "unlikely" || key === "useUnlikely";
    const likelihood = isPrediction && this.say("likelihood", this.compared(value));
    const values = { value: typeof value === "string" ? name(value) : value, valueMs: value, likelihood, ...value };
    if (key === "unlikely" && number(value.probability) >= number(value.required)) {
      return this.say("unlikely not", values);
    }
    if (key === "pinNotInForce") {
      values.pin = this.pin(value.pin);
      values.next = this.also("pinNotInForce next", value, "nextMs");
    }
    if (key === "scoreEnded") values.length = durationText(number(value.endMs) - number(value.entryMs));
    if (key === "entryExpired") values.next = this.say(value.nextMs ? "entryExpired next" : "entryExpired none", value);
    return this.say(key, values);
  }
}

/** Returns the name of a gate or signal: the server's, which is English, if the language has none. */
export function codeElement(kind, code, className) {
  const key = `say.${kind} ${code}`;
  return h("span", { class: className, lang: hasText(key) ? undefined : "en" }, hasText(key) ? t(key) : code);
}

/** Returns the fields of a message without those that every one has. */
const reason = ({ app, shortcut, untilMs, clearsMs, relevantNow, summary, display, ...rest }) => rest;

/** Returns a function for the sentences of a method of `Sentence`. */
const sentences = (make) => (message, clock, titles, now) => {
  const made = new Sentence(clock, titles, now);
  return made.or(message?.summary ?? message?.reason ?? message?.message, () => make(made, message));
};

export const gateSentence = sentences((made, gate) => made.gate(gate));
export const candidateSentence = sentences((made, candidate) => made.candidate(candidate));
/** The sentence of an explanation, such as that of a decision at the instant `now`. */
export const explanationSentence = sentences((made, explanation) => made.explanation(explanation));
export const suggestionSentence = sentences((made, explanation) => made.suggestion(explanation));
export const habitSentence = sentences((made, habit) => made.habit(habit));
export const obstacleSentence = sentences((made, obstacle) => made.one(reason(obstacle)));
/** The sentence of a finding, whose templates the page loads. */
export const findingSentence = sentences((made, finding) => made.finding(finding));
/** The sentence of the reason for a suggestion outside stacks. */
export const basisSentence = sentences((made, suggestion) => made.basis(suggestion.basis ?? {}));
export const watchFaceSentence = sentences((made, item) => made.watchFace(item));
/** The sentence of the answer why a widget is not in front. */
export const whyNotSentence = sentences((made, { widget, obstacles = [] }) => {
  if (!obstacles.length) return made.say("isFront", { widget });
  return made.say("candidate", { widget, reasons: made.one(reason(obstacles[0])) });
});
