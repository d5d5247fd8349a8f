// The parts of a page while it is shown: its device, header and content, and its watches and timers.
import { listDevices } from "./calls.js";
import { h, name, nodes } from "./dom.js";
import { Clock } from "./format.js";
import { address, changed } from "./location.js";
import { empty } from "./parts.js";
import { t } from "./text.js";
import { watch } from "./watch.js";

const announcementPause = 5000;
const refreshPause = 300;
/** The shortest time between two drawings of a watch. */
const framePause = 100;
/** The longest time for which a browser's timer can be set. */
const timerMax = 2 ** 31 - 1;

export class View {
  constructor(params, signal, announcer, fail, reload) {
    Object.assign(this, { params, signal, announcer, fail, reload });
    this.device = params.get("device") ?? "";
    this.title = "";
    this.parts = [];
    this.watches = [];
    this.announcedAt = 0;
  }

  /** Sets the header: a title, the way to it, and the state of the data. */
  header({ title, crumbs, aside }) {
    this.title = title;
    this.head = h("header", {}, h("div", {}, crumbs, h("h1", { tabindex: -1 }, name(title))), aside);
  }

  put(...children) {
    this.parts = nodes(children);
  }

  content() {
    return [this.head, ...this.parts];
  }

  /** Returns the way to a page: the device, and perhaps the stack. */
  crumbs(stack) {
    const device = h("a", { href: address("/", { device: this.device }) }, name(this.device));
    const end = stack && [h("span", { "aria-hidden": "true" }, "/"),
      h("a", { href: address("/stack", { device: this.device, stack }) }, name(stack))];
    return h("p", { class: "crumbs" }, device, end);
  }

  /**
   * Chooses the device: the one of the address, or the only one; else shows the devices to choose from.
   *
   * @returns whether there is one.
   */
  async needsDevice() {
    if (this.device) return true;
    const devices = (await listDevices("", this.signal)).devices ?? [];
    if (devices.length === 1) {
      this.device = devices[0].device;
      return true;
    }
    this.header({ title: t("device.choose") });
    if (!devices.length) {
      const command = "marquee device add kitchen --time-zone Europe/Berlin";
      this.put(empty(t("overview.none"), t("overview.noneText"), command));
      return false;
    }
    const item = (device) =>
      h("li", { class: "card" }, h("a", { href: changed({ device: device.device }) }, name(device.device)));
    this.put(h("ul", { class: "cards" }, devices.map(item)));
    return false;
  }

  // The state of the data.

  /** Returns the time of data that was read once, and a control that reads it again. */
  readElement(clock) {
    const time = clock.element(clock.now, { full: true });
    return h("span", { class: "live" }, t("data.asOf"), " ", time, ` ${clock.zoneShown} `,
      h("button", { class: "quiet small", id: "reload", onclick: this.reload }, t("data.reload")));
  }

  /** Returns the state of a watch. */
  liveElement() {
    return h("span", { class: "live", id: "live-state" }, t("data.connecting"));
  }

  /** Watches the device while the page is shown. `element` shows the state of the watch; `changed` gets each state. */
  watch(device, stacks, element, changed) {
    const show = this.eachFrame((state) => changed(state));
    const status = this.eachFrame((state, phase) => {
      const clock = new Clock(state.timeZone, state.atMs);
      const time = state.atMs ? [" ", clock.element(state.atMs, { full: true }), ` ${clock.zoneShown}`] : "";
      element.className = `live ${phase === "live" ? "on" : phase === "lost" ? "lost" : ""}`;
      element.replaceChildren(...nodes([t(`data.${phase}`), time]));
      if (phase !== this.phase && phase === "lost") this.announce(t("data.lostSaid"));
      this.phase = phase;
    });
    this.watches.push(() => watch(device, stacks, this.signal, show, status).catch(this.fail));
  }

  /**
   * Returns a function that runs `action` before the browser draws, with the values of the last of several calls; and
   * again after a pause, since what changes in every frame cannot be read.
   */
  eachFrame(action) {
    let latest;
    let due = 0;
    const run = () => {
      const present = latest;
      latest = undefined;
      due = performance.now() + framePause;
      if (!this.signal.aborted) action(...present);
    };
    return (...values) => {
      const wait = due - performance.now();
      if (!latest && wait > 0) setTimeout(requestAnimationFrame, wait, run);
      else if (!latest) requestAnimationFrame(run);
      latest = values;
    };
  }

  /** Begins the watches once the page is there. */
  start() {
    for (const begin of this.watches) begin();
  }

  /** Calls `action` at an instant of the server's clock, whose present time is `now`. */
  at(instant, now, action) {
    clearTimeout(this.timer);
    if (instant === undefined) return;
    const wait = Number(instant) - Number(now);
    if (wait <= 0 || wait > timerMax) return;
    this.timer = setTimeout(() => !this.signal.aborted && action(), wait + 250);
  }

  /** Returns a function that runs `action`, and once more, after a pause, if it is called meanwhile. */
  coalesced(action) {
    let isRunning = false;
    let isWanted = false;
    return async () => {
      if (isRunning) return void (isWanted = true);
      isRunning = true;
      do {
        if (isWanted) await new Promise((resolve) => setTimeout(resolve, refreshPause));
        isWanted = false;
        try {
          await action();
        } catch (error) {
          // A lost connection shows in the state of the watch, which begins again.
          if (error.code !== "lost") this.fail(error);
        }
      } while (isWanted && !this.signal.aborted);
      isRunning = false;
    };
  }

  /** Has a screen reader say a sentence, unless it said one a moment ago. */
  announce(text) {
    if (Date.now() - this.announcedAt < announcementPause) return;
    this.announcedAt = Date.now();
    this.announcer.textContent = text;
  }
}
