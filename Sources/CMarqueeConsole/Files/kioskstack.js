// A stack of the kiosk: a carousel of its members, dots that show the position, and a menu.
import { Carousel } from "./carousel.js";
import { h, name, replace, visible } from "./dom.js";
import { badge, badges, empty, widgetFrame } from "./parts.js";
import { t } from "./text.js";
import { widgetKey } from "./widget.js";

/** The time after a report in which the server's answering change of the front arrives. */
const answerMs = 1000;
const dayMs = 86_400_000;

export class KioskStack {
  constructor(id, host) {
    Object.assign(this, { id, host, slides: new Map(), members: [], openCount: 0 });
    this.carousel = new Carousel(() => this.scrolled(), () => this.settle());
    this.none = empty(t("stack.empty"), t("stack.emptyText"),
      `marquee stack add ${host.device}/${id} com.example.weather/Forecast`);
    this.dots = h("div", { class: "dots" });
    const label = t("kiosk.menu", { stack: visible(id) });
    this.menu = h("div", { class: "menu", id: `menu-${id}`, popover: "auto", role: "dialog", "aria-label": label,
      onbeforetoggle: (event) => event.newState === "open" && this.fillMenu() });
    const more = h("button", { class: "more", "aria-label": label, popovertarget: this.menu.id }, "⋯");
    this.element = h("section", { class: "stack", role: "group", "aria-roledescription": t("stack"),
      "aria-label": visible(id), "data-stack": id, "onmarquee:perform": (event) => this.perform(event) },
    this.carousel.track, h("div", { class: "rail" }, more, this.dots), this.menu);
  }

  /** Shows a state. It is whole after a connection was made: scrolling without a connection does not count. */
  update(state, isWhole) {
    this.stack = state.stacks.get(this.id);
    const present = this.members;
    this.members = (this.stack.members ?? []).map((widget) => this.slideOf(widget, state));
    // The choices of an open menu are about the first member.
    if (this.members[0] !== present[0]) this.menu.hidePopover();
    const front = this.members[this.stack.front ?? 0];
    if (isWhole) this.carousel.isByUser = false;
    // While the answer to a report is on the way, fronts are older than the user's.
    if (isWhole || (front !== this.serverFront && !this.openCount)) this.isMoveDue = true;
    this.serverFront = front;
    this.settle();
  }

  slideOf(widget, state) {
    const key = widgetKey(widget);
    const [entry, label] = [state.entry(widget, this.stack.family), state.label(widget)];
    const slide = this.slides.get(key) ?? { widget };
    const isExpired = this.host.isExpired(entry);
    if (slide.frame && slide.entry === entry && slide.label === label && slide.isExpired === isExpired) return slide;
    const frame = widgetFrame(widget, this.stack.family, isExpired ? { ...entry, stale: true } : entry, label);
    if (slide.frame) {
      slide.frame.replaceWith(frame);
    } else {
      slide.cover = h("button", { class: "cover", onclick: () => this.tap(slide) });
      slide.notes = h("div", { class: "notes" });
      slide.element = h("div", { class: "slide", role: "group", "aria-roledescription": t("widget.title") }, frame,
        slide.cover, slide.notes);
      this.slides.set(key, slide);
    }
    slide.cover.setAttribute("aria-label", frame.getAttribute("aria-label"));
    return Object.assign(slide, { frame, entry, isExpired, label, title: frame.firstChild.textContent });
  }

  /** Applies changes of the members and the front, unless the user is about to scroll. */
  settle() {
    const { carousel, members } = this;
    if (carousel.isHeld || carousel.isMoving) return;
    for (const [key, slide] of this.slides) if (!members.includes(slide)) this.slides.delete(key);
    carousel.set(members);
    if (!members.length && !this.none.isConnected) carousel.track.replaceChildren(this.none);
    if (members.length && (this.isMoveDue || !members.includes(carousel.front))) {
      this.isMoveDue = false;
      carousel.show(this.serverFront ?? members[0]);
    }
    this.showPositions(carousel);
  }

  showPositions({ slides, front }) {
    const labels = slides.map(({ title }, index) =>
      t("kiosk.position", { name: title, number: index + 1, count: slides.length }));
    const text = JSON.stringify([labels, slides.indexOf(front), this.stack]);
    if (text === this.shownText) return;
    this.shownText = text;
    slides.forEach((slide, index) => {
      slide.element.setAttribute("aria-label", labels[index]);
      replace(slide.notes, badges(!index && this.stack.hasSuggestion && badge(t("stack.suggestion"), "on"),
        this.settingsOf(slide).pin && badge(t("decision.pin"))));
    });
    replace(this.dots, slides.length > 1 && slides.map((slide, index) => h("button", { "aria-label": labels[index],
      "aria-current": slide === front && "true", onclick: () => this.carousel.go(slide) })));
    this.dots.scrollTop = this.dots.querySelector("[aria-current]")?.offsetTop - this.dots.clientHeight / 2;
  }

  settingsOf(slide) {
    const index = this.members.indexOf(slide);
    return this.stack.settings?.find((settings) => (settings.index ?? 0) === index) ?? {};
  }

  async scrolled() {
    const { front } = this.carousel;
    this.isMoveDue = !this.members.includes(front);
    if (this.isMoveDue || !this.host.isLive()) return;
    this.openCount += 1;
    await this.host.call("Report", { scrolled: { stack: this.id, widget: front.widget } });
    await new Promise((resolve) => setTimeout(resolve, answerMs));
    this.openCount -= 1;
    if (this.openCount || !this.host.isLive() || this.serverFront === this.carousel.front) return;
    this.isMoveDue = true;
    this.settle();
  }

  tap({ widget, entry }) {
    const link = entry?.entry?.details?.link;
    if (link) this.host.continueInApp(this.id, widget, link);
    else this.host.call("Report", { tapped: { stack: this.id, widget } });
  }

  /** Has the app of a card perform the intent of a button or switch. A switch goes back if that fails. */
  async perform({ target, detail }) {
    const slide = this.members.find(({ element }) => element.contains(target));
    const isDone = slide && (await this.host.perform(slide.widget, detail.intent));
    if (!isDone && detail.toggle !== undefined) target.setAttribute("aria-checked", !detail.toggle);
  }

  fillMenu() {
    const { id, host, menu } = this;
    const front = this.members.find((slide) => slide === this.carousel.front);
    const first = this.stack.hasSuggestion && this.members[0];
    const section = (slide, ...choices) => [h("h2", {}, name(slide.title)), choices.map(([text, method, request]) => {
      const onclick = () => {
        menu.hidePopover();
        host.call(method, request);
      };
      return h("button", { onclick, disabled: !host.isLive() }, t(text));
    })];
    const untilMs = String(Math.ceil(host.now() + dayMs));
    const suggestion = first && section(first,
      ["kiosk.keep", "Report", { suggestionKept: id }],
      ["kiosk.dismiss", "Report", { suggestionDismissed: id }],
      ["kiosk.snooze", "Report", { widgetSuggestionSnoozed: { widget: first.widget, untilMs } }]);
    const { widget } = front ?? {};
    const { pin, rotationRule: rule } = this.settingsOf(front);
    const member = front && front !== first && section(front,
      [pin ? "kiosk.unpin" : "kiosk.pin", "EditStack", { stack: id, setPin: { widget, pin: pin ? undefined : {} } }],
      [rule?.neverTo ? "kiosk.allow" : "kiosk.never", "EditStack",
        { stack: id, setRotationRule: { widget, rule: { ...rule, neverTo: !rule?.neverTo } } }]);
    menu.replaceChildren(h("div", {}, suggestion, member, !host.isLive() && h("p", {}, t("kiosk.lost")),
      h("button", { onclick: () => menu.hidePopover() }, t("close"))));
    menu.querySelector("button:enabled").autofocus = true;
  }
}
