// Habits: the likely actions, suggestions outside stacks, and the donations from which both are learned.
import { admin, deviceTime, suggestions } from "./calls.js";
import { h, name } from "./dom.js";
import { Clock, figure, number, percent } from "./format.js";
import { badge, badges, codeText, columns, empty, table } from "./parts.js";
import { basisSentence, habitSentence, watchFaceSentence } from "./sentence.js";
import { t } from "./text.js";
import { widgetText } from "./widget.js";

const pageSize = 1000;
const pageCountMax = 10;
/** The surfaces, as the command `marquee suggest --on` names them. */
const surfaces = ["lock-screen", "search", "suggestions-widget", "watch-face", "share-sheet", "now-playing",
  "shortcuts-gallery", "notifications"];

/** Returns the exact text of an action, such as `com.example.soup/OrderSoup(soup=object:tomato)`. */
function actionText(app, { type, parameters, values, userInfo }) {
  return widgetText({ kind: { app, name: type }, configuration: { parameters: parameters ?? values ?? userInfo } });
}

/** Returns an action's title above its exact text. */
function title(display, text) {
  return h("span", {}, name(display?.title || text, "name clamp"), codeText(text));
}

/** Returns a table, or how to fill it. */
function section(id, label, heads, rows, command) {
  return rows.length ? table(id, label, columns(...heads), rows) : empty(label, t("habit.none"), command);
}

function donate(device) {
  return `marquee donate ${device} "com.example.soup/OrderSoup(soup=object:tomato)"`;
}

function until(one, clock) {
  return one.untilMs ? clock.element(one.untilMs) : h("span", { class: "note" }, "–");
}

function likely(answer, clock, device) {
  const isEvidence = (one) => number(one.probability) >= number(answer.evidenceProbabilityMin);
  const rows = (answer.actions ?? []).map((one) => [
    title(one.display, actionText(one.app, one.intent ?? one.userActivity)), percent(one.probability),
    isEvidence(one) && badges(badge(t("evidence"), "on")), habitSentence(one.reasons, clock)]);
  return section("likely", t("habit.likely", { count: number(answer.actionCount) }),
    ["habit.action wide", "habit.probability number", "evidence", "signal.reasons wide"], rows,
    donate(device));
}

function suggested(answers, clock, device) {
  const rows = answers.flatMap((answer, index) => (answer.suggestions ?? []).map((one) => [
    h("code", {}, surfaces[index]), title(one.display, one.app), percent(one.confidence), basisSentence(one, clock),
    until(one, clock)]));
  return section("suggestions", t("habit.suggestions"), ["habit.surface", "stack.suggestion wide",
    "habit.confidence number", "signal.reasons wide", "until time"], rows, donate(device));
}

/** Returns the exact text of a shortcut's action, or of the widget that it is for. */
function shortcutText({ app, shortcut = {} }) {
  const activity = shortcut.intent ?? shortcut.userActivity;
  return activity ? actionText(app, activity) : `${app}/${shortcut.kind ?? ""}`;
}

function watchFace(answer, clock, device) {
  const rows = (answer.items ?? []).map((one) => [title(one.display, shortcutText(one)),
    one.relevantNow && badges(badge(t("time.now"), "on")), watchFaceSentence(one, clock), until(one, clock)]);
  return section("watch-face", t("habit.watchFace"),
    ["habit.action wide", "habit.relevant", "signal.reasons wide", "until time"], rows,
    `marquee publish shortcuts FILE.yaml --app com.example.cards --device ${device}`);
}

/** Returns the donations, newest first, up to a limit, and the number of all. */
async function allDonations(device, signal) {
  const all = [];
  let answer = { hasMore: true };
  let first;
  for (let page = 0; page < pageCountMax && answer.hasMore; page += 1) {
    const request = { device, skipCount: all.length, countMax: pageSize, untilMs: first?.atMs };
    answer = await admin("ListDonations", request, signal);
    first ??= answer;
    all.push(...(answer.donations ?? []));
  }
  return { all, total: number(first.donationCount) };
}

/** Returns the donations counted by action, the most frequent first, each with the latest donation. */
function donated({ all, total }, clock, device) {
  const groups = new Map();
  for (const one of all) {
    const text = actionText(one.app, one.intent ?? one.userActivity ?? one.reservations?.intent ?? one.received ?? {});
    const key = `${one.received ? "received " : ""}${text}`;
    if (!groups.has(key)) groups.set(key, { ...one, text, count: 0 });
    groups.get(key).count += 1;
  }
  const rows = [...groups.values()].sort((one, other) => other.count - one.count).map((one) => [
    [title(one.display, one.text), one.received && badges(badge(t("habit.received")))], figure(one.count),
    clock.element(one.dateMs, { full: true }), codeText(one.id ?? "")]);
  const label = [t("habit.count"), all.length, ...(all.length < total ? [t("gate.of"), total] : [])].join(" ");
  return section("donations", label, ["habit.action wide", "habit.count number", "habit.latest time", "habit.latestId"],
    rows, donate(device));
}

export async function show(view) {
  if (!(await view.needsDevice())) return;
  const { device, signal } = view;
  const [time, predicted, donations, face, ...answers] = await Promise.all([
    deviceTime(device, signal), admin("Predict", { device }, signal), allDonations(device, signal),
    admin("ListWatchFace", { device }, signal), ...surfaces.map((one) => suggestions(device, one, signal))]);
  const clock = new Clock(time.timeZone, time.atMs);
  view.header({ title: t("habit.title"), crumbs: view.crumbs(), aside: view.readElement(clock) });
  view.put(likely(predicted, clock, device), suggested(answers, clock, device), watchFace(face, clock, device),
    donated(donations, clock, device));
}
