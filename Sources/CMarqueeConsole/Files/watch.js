// A watch of a device: its stacks and the current entries, as a display receives them.
import { stream } from "./connect.js";
import { token } from "./session.js";
import { widgetKey } from "./widget.js";

const heartbeatMs = 15_000;
/** The time without any message after which the connection counts as lost. */
const silenceMax = 20_000;
const pauseMin = 500;
/** The errors that another try does not mend. */
const final = ["unauthenticated", "permission_denied", "not_found", "invalid_argument", "unimplemented"];

/** The state that displays of a device show. */
export class DisplayState {
  constructor() {
    this.stacks = new Map();
    this.entries = new Map();
    this.labels = new Map();
    this.reasons = new Map();
    this.atMs = 0;
  }

  entry(widget, family) {
    return this.entries.get(`${family} ${widgetKey(widget)}`);
  }

  label(widget) {
    return this.labels.get(widgetKey(widget));
  }

  /** Applies an update; returns whether anything but the time changed. */
  apply(update) {
    this.atMs = Number(update.atMs ?? this.atMs);
    if (update.heartbeat) return false;
    if (update.timeZone) this.timeZone = update.timeZone;
    if (update.state) this.replaceBy(update.state);
    if (update.stack) this.stacks.set(update.stack.id, update.stack);
    if (update.removed) this.stacks.delete(update.removed);
    if (update.stack || update.removed) this.prune();
    if (update.entry) this.keep(update.entry);
    if (update.label) this.labels.set(widgetKey(update.label.widget), update.label);
    if (update.front) this.move(update.front);
    return true;
  }

  replaceBy(state) {
    this.timeZone = state.timeZone;
    this.stacks = new Map((state.stacks ?? []).map((stack) => [stack.id, stack]));
    this.entries = new Map();
    for (const entry of state.entries ?? []) this.keep(entry);
    this.labels = new Map((state.labels ?? []).map((label) => [widgetKey(label.widget), label]));
  }

  /** Forgets the widgets that no stack has any more; they are sent again with the stack. */
  prune() {
    const keys = new Set();
    for (const { family, members = [] } of this.stacks.values()) {
      for (const key of members.map(widgetKey)) keys.add(key).add(`${family} ${key}`);
    }
    for (const map of [this.entries, this.labels]) {
      for (const key of map.keys()) if (!keys.has(key)) map.delete(key);
    }
  }

  keep(entry) {
    this.entries.set(`${entry.family} ${widgetKey(entry.widget)}`, entry);
  }

  move(front) {
    const stack = this.stacks.get(front.stack);
    if (stack) this.stacks.set(front.stack, { ...stack, front: front.front ?? 0 });
    this.reasons.set(front.stack, { ...front, atMs: this.atMs });
  }
}

/** Waits until `begin` has called its first argument, or until the watch ends. No listener remains. */
async function until(signal, begin) {
  const done = new AbortController();
  await new Promise((resolve) => {
    signal.addEventListener("abort", resolve, { signal: done.signal });
    begin(resolve, done.signal);
  });
  done.abort();
}

/** Waits until the tab is visible. */
async function shown(watched) {
  if (!document.hidden || watched.aborted) return;
  await until(watched, (resolve, signal) => document.addEventListener("visibilitychange", resolve, { signal }));
}

/** Makes one streaming call, which ends with the watch, while the tab is hidden, and after silence. */
async function once(method, request, signal, receive) {
  const call = new AbortController();
  let timer;
  const end = () => call.abort();
  const listen = () => {
    clearTimeout(timer);
    timer = setTimeout(end, silenceMax);
  };
  const hide = () => document.hidden && end();
  signal.addEventListener("abort", end, { once: true });
  document.addEventListener("visibilitychange", hide);
  listen();
  try {
    await stream(`marquee.v1.${method}`, { ...request, heartbeatMs }, token(), call.signal, (message) => {
      listen();
      receive(message);
    });
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", end);
    document.removeEventListener("visibilitychange", hide);
  }
}

/**
 * Makes a streaming call until `signal`, and again after a break. `receive` gets each message, `status` the phase of
 * the connection: live, lost or paused. Throws an error that another try does not mend.
 */
export async function follow(method, request, signal, receive, status, pauseMax = 15_000) {
  let wait = pauseMin;
  while (!signal.aborted) {
    await shown(signal);
    if (signal.aborted) return;
    try {
      await once(method, request, signal, (message) => {
        wait = pauseMin;
        receive(message);
      });
    } catch (error) {
      if (signal.aborted) return;
      if (final.includes(error.code)) throw error;
    }
    if (document.hidden) {
      status("paused");
      continue;
    }
    status("lost");
    const ms = wait * (0.5 + Math.random() / 2);
    await until(signal, (resolve) => setTimeout(resolve, ms));
    wait = Math.min(pauseMax, wait * 2);
  }
}

/**
 * Watches a device until `signal`. After a break, the watch begins again, with the whole state.
 *
 * `changed` gets the state after each change, `status` the state and the phase of the connection.
 */
export function watch(device, stacks, signal, changed, status, { pauseMax, screen } = {}) {
  const state = new DisplayState();
  const receive = (update) => {
    const isChanged = state.apply(update);
    status(state, "live");
    if (isChanged) changed(state);
  };
  const request = { device, stacks, screen };
  return follow("Display/Watch", request, signal, receive, (phase) => status(state, phase), pauseMax);
}
