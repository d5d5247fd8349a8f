// The kiosk: the stacks of a device on a full screen, as a display that nobody looks after.
import { enableActions } from "./card.js";
import { deviceTime } from "./calls.js";
import { unary } from "./connect.js";
import { h, replace, visible } from "./dom.js";
import { Clock } from "./format.js";
import { KioskStack } from "./kioskstack.js";
import { place } from "./location.js";
import { loginElement } from "./login.js";
import { empty } from "./parts.js";
import { Performer } from "./perform.js";
import { isNight, keepAwake, keepScreen } from "./screen.js";
import { restoreToken, takeTokenFromAddress, token, useKiosk } from "./session.js";
import { chooseLanguage, t } from "./text.js";
import { DisplayState, watch } from "./watch.js";
import { families, familyText } from "./widget.js";

const savedSizeMax = 2_000_000;
const saveMs = 5000;
const retryMs = 60_000;
const pauseMax = 4000;
const leaveMs = 1000;
/** The problems that another link solves. */
const signedOut = ["none", "unauthenticated", "permission_denied"];

const { params } = place();
const device = params.get("device") ?? "";
const savedKey = `marquee.kiosk.state ${location.search}`;
const family = params.get("family");
/** A screen that others see shows no private entries, unless the address says that it is its user's own. */
const screen = params.get("screen") === "unlocked" ? undefined : "SCREEN_STATE_SHARED";

const main = h("main", { class: "kiosk" });
const banner = h("p", { class: "banner", id: "banner" });
const announcer = h("div", { class: "visually-hidden", role: "status" });
const stacks = new Map();
/** The stacks on the screen, and those that were reported as such. */
const [seen, reported] = [new Set(), new Set()];
const observer = new IntersectionObserver((entries) => {
  for (const { target, intersectionRatio } of entries) {
    if (intersectionRatio >= 0.5) seen.add(target.dataset.stack);
    else seen.delete(target.dataset.stack);
  }
  reportShown();
}, { threshold: 0.5 });

let state;
let receivedAt = 0;
let phase = "connecting";
let isWhole = true;
let [drawn, drawing, saveTimer, retryTimer] = [];
/** Ends the watch, and the calls of the present connection. */
let [shown, connection] = [new AbortController(), new AbortController()];
let calls = Promise.resolve();
/** The apps that have not yet answered a tap. */
const asked = new Set();

const now = () => state.atMs + Math.max(0, Date.now() - receivedAt);
// Scrolling counts once the state of the present connection is shown.
const host = { device, now, call, continueInApp, perform, isExpired, isLive: () => phase === "live" && !isWhole };
const performer = new Performer(device);

// Reports.

/** Has the app of a widget perform an intent; returns whether it did. */
async function perform(widget, intent) {
  if (phase === "live") return performer.run(widget, intent, connection.signal);
  announcer.textContent = t("data.lostSaid");
  return false;
}

function send(method, request, signal) {
  return unary(`marquee.v1.Display/${method}`, { device, ...request }, token(), signal, true);
}

/** Makes calls after the earlier ones. Without a connection, nothing is ever sent: it would be untrue later. */
function call(method, ...requests) {
  if (phase !== "live") return void (announcer.textContent = t("data.lostSaid"));
  const { signal } = connection;
  const all = () => signal.aborted || Promise.all(requests.map((request) => send(method, request, signal)));
  calls = calls.then(all).catch((error) => {
    if (signedOut.includes(error.code)) showProblem(error);
    else if (!signal.aborted) performer.showFailure(error);
  });
  return calls;
}

/**
 * Has the app of a tapped widget continue, which counts as the report of the tap. It is asked after the earlier calls,
 * but the later ones do not wait for its answer. An app that has not answered is not asked again meanwhile: the browser
 * has few connections to a server.
 */
async function continueInApp(stack, widget, link) {
  const { app } = widget.kind;
  const isAsked = asked.has(app);
  if (isAsked) performer.showRunning();
  if (isAsked || phase !== "live") return call("Report", { tapped: { stack, widget } });
  const { signal } = connection;
  asked.add(app);
  try {
    await calls;
    if (signal.aborted) return undefined;
    const { outcome } = await send("ContinueInApp", { widget: { widget, stack, link } }, signal);
    if (outcome === "CONTINUATION_OUTCOME_NOT_HANDLED") performer.showUnhandled();
  } catch (error) {
    if (!signal.aborted) performer.showFailure(error, true);
  } finally {
    asked.delete(app);
  }
  return undefined;
}

function reportShown() {
  if (phase !== "live") return;
  const reports = [];
  for (const id of stacks.keys()) {
    const isShown = !document.hidden && seen.has(id);
    if (isShown === reported.has(id)) continue;
    if (isShown) reported.add(id);
    else reported.delete(id);
    reports.push(isShown ? { stackShown: id } : { stackHidden: id });
  }
  if (reports.length) call("Report", ...reports);
}

// The state.

/** Whether an entry has expired since the connection was lost; until then, the server says so. */
function isExpired(entry) {
  const expiry = entry?.entry?.details?.expiryMs;
  return expiry !== undefined && phase !== "live" && Number(expiry) <= now();
}

/** Returns that a stack of the address does not exist, and the next step. */
function withoutStack(...actions) {
  return empty(t("kiosk.noStack.title"), t("kiosk.noStack.text"), "marquee stacks", ...actions);
}

/** Returns the place for the stacks, and the next step. The watch shows those that are created. */
function withoutStacks() {
  if (params.has("stack") && !state.stacks.size) return withoutStack();
  const isFamily = !family || families.map(familyText).includes(family);
  if (isFamily && !state.stacks.size) {
    const command = `marquee stack create ${device}/home --family ${family ?? "systemSmall"}`;
    return empty(t("overview.noStacks"), t("overview.noStacksText"), command);
  }
  const present = [...state.stacks.values()].map((stack) => familyText(stack.family));
  const known = [...new Set(present.length ? present : families.map(familyText))].sort().join(", ");
  return empty(t("kiosk.noFamily.title"), t("kiosk.noFamily.text", { families: known }));
}

function draw() {
  drawing = undefined;
  if (shown.signal.aborted) return;
  const wanted = [...state.stacks.keys()]
    .filter((id) => !family || familyText(state.stacks.get(id).family) === family);
  for (const id of stacks.keys()) {
    if (!wanted.includes(id)) for (const known of [stacks, seen, reported]) known.delete(id);
  }
  for (const id of wanted) if (!stacks.has(id)) stacks.set(id, new KioskStack(id, host));
  // Elements that are put again lose their place.
  if (String(wanted) !== drawn) {
    put(...(wanted.length ? wanted.map((id) => stacks.get(id).element) : [withoutStacks()]));
  }
  drawn = String(wanted);
  for (const stack of stacks.values()) {
    stack.update(state, isWhole);
    observer.observe(stack.element);
  }
  isWhole = false;
  showTime();
  reportShown();
}

function put(...elements) {
  drawn = undefined;
  main.replaceChildren(h("h1", { class: "visually-hidden" }, document.title), ...elements, banner);
}

function changed(next) {
  state = next;
  saveTimer ??= setTimeout(save, saveMs);
  drawing ??= requestAnimationFrame(draw);
}

function showStatus(next, nextPhase) {
  if (nextPhase === "live") receivedAt = Date.now();
  if (nextPhase === phase) return;
  phase = nextPhase;
  reported.clear();
  // The reports of a page that was just hidden are still under way.
  if (phase === "paused") setTimeout((earlier) => earlier.abort(), leaveMs, connection);
  else connection.abort();
  if (phase === "live") [isWhole, connection] = [true, new AbortController()];
  if (phase === "lost") announcer.textContent = t("data.lostSaid");
  showTime();
}

/** Shows whether it is night, and without a connection, of which time the state is. */
function showTime() {
  const clock = state && new Clock(state.timeZone, now());
  const isDark = clock && isNight(params.get("night") ?? "22-6", clock.minute(clock.now));
  document.documentElement.classList.toggle("night", Boolean(isDark));
  banner.hidden = phase === "live" || phase === "paused";
  if (banner.hidden) return;
  const time = clock?.element(state.atMs);
  if (time) time.textContent = time.textContent.slice(0, -3);
  replace(banner, t(phase === "lost" ? "kiosk.lost" : "data.connecting"), time && [" ", t("data.asOf"), " ", time]);
  // Entries expire meanwhile. A stack that was removed is still there until the next frame.
  for (const [id, stack] of stacks) if (state?.stacks.has(id)) stack.update(state, false);
}

/** Keeps the state for a start without the server. */
function save() {
  saveTimer = undefined;
  if (!state) return;
  const { atMs, timeZone } = state;
  const [list, entries, labels] = [state.stacks, state.entries, state.labels].map((map) => [...map.values()]);
  const text = JSON.stringify({ receivedAt, atMs, state: { timeZone, stacks: list, entries, labels } });
  sessionStorage.removeItem(savedKey);
  if (text.length <= savedSizeMax) sessionStorage.setItem(savedKey, text);
}

/** Shows the kept state; one that cannot be shown is removed. */
function restore() {
  try {
    const saved = JSON.parse(sessionStorage.getItem(savedKey));
    if (!saved) return;
    [state, receivedAt] = [new DisplayState(), saved.receivedAt];
    state.apply(saved);
    draw();
  } catch (error) {
    console.error(error);
    sessionStorage.removeItem(savedKey);
    forget();
    put();
  }
}

/** Forgets the state and the stacks. */
function forget() {
  for (const known of [stacks, seen, reported]) known.clear();
  state = undefined;
}

/** Whether only a stack is missing, because the device exists. */
async function isStackMissing(code) {
  if (code !== "not_found" || !params.has("stack")) return false;
  try {
    await deviceTime(device);
    return true;
  } catch {
    return false;
  }
}

/** Shows why there are no stacks, and the next step. */
function showProblem({ code }, lacksStack = false) {
  shown.abort();
  connection.abort();
  forget();
  phase = "paused";
  showTime();
  if (code === "unauthenticated" && restoreToken()) return start();
  main.dataset.problem = code;
  if (signedOut.includes(code)) {
    sessionStorage.removeItem(savedKey);
    const title = code === "permission_denied" ? "problem.permission_denied.title" : `kiosk.${code}`;
    const command = `marquee console --kiosk ${device || "kitchen"}`;
    return put(loginElement(start, { title, text: "kiosk.link", command }));
  }
  const [page, kind] = code === "not_found" ? ["kiosk", "noDevice"] : ["problem", "other"];
  const command = code === "not_found" && `marquee device add ${device} --time-zone Europe/Berlin`;
  const retry = h("button", { class: "primary", onclick: start }, t("problem.retry"));
  put(lacksStack ? withoutStack(retry) : empty(t(`${page}.${kind}.title`), t(`${page}.${kind}.text`), command, retry));
  retryTimer = setTimeout(start, retryMs);
  return undefined;
}

async function start() {
  clearTimeout(retryTimer);
  shown.abort();
  shown = new AbortController();
  const { signal } = shown;
  if (!device || !token()) return showProblem({ code: "none" });
  delete main.dataset.problem;
  phase = "connecting";
  put();
  restore();
  showTime();
  try {
    await watch(device, params.getAll("stack"), signal, changed, showStatus, { pauseMax, screen });
  } catch (error) {
    if (error.code === undefined) {
      console.error(error);
      sessionStorage.removeItem(savedKey);
    }
    const lacksStack = await isStackMissing(error.code);
    if (!signal.aborted) showProblem(error, lacksStack);
  }
  return undefined;
}

/** Moves the stack with the focus, or else the first one. */
function press(event) {
  if (event.altKey || event.ctrlKey || event.metaKey || event.target.closest("form, .menu")) return;
  const id = event.target.closest("[data-stack]")?.dataset.stack ?? [...stacks.keys()].find((one) => seen.has(one));
  if (stacks.get(id)?.carousel.press(event.key)) event.preventDefault();
}

useKiosk(device);
enableActions();
takeTokenFromAddress();
await chooseLanguage(params, { en: () => import("./kiosken.js"), de: () => import("./kioskde.js") });
document.title = `${visible(device)} – Marquee`;
document.body.replaceChildren(main, performer.note, performer.dialog, announcer);
document.addEventListener("keydown", press);
document.addEventListener("visibilitychange", () => {
  reportShown();
  keepAwake();
});
addEventListener("hashchange", () => location.reload());
keepScreen(main, showTime);
await start();
