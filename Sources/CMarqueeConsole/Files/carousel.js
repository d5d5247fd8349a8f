// A vertical carousel, which scrolls natively and snaps, and tells the user's scrolling from its own.
import { h } from "./dom.js";
import { reducesMotion } from "./screen.js";

/** The time after a release in which the browser begins to scroll by itself. */
const releaseMs = 120;
/** The time without scrolling after which the carousel has settled; most browsers report it earlier. */
const settledMs = "onscrollend" in window ? 1000 : 150;
/** The pause between two gestures of a wheel, each of which moves by one slide. */
const wheelMs = 350;

const steps = { ArrowDown: 1, PageDown: 1, ArrowUp: -1, PageUp: -1, Home: -Infinity, End: Infinity };

export class Carousel {
  /** `scrolled` follows when the user has scrolled, and `rested` whenever the carousel has settled. */
  constructor(scrolled, rested) {
    Object.assign(this, { scrolled, rested, slides: [], wheelAt: 0 });
    this.isHeld = this.isMoving = this.isByUser = false;
    const track = h("div", { class: "track", onscroll: () => this.moved(), onscrollend: () => this.rest() });
    const listen = (type, action) => track.addEventListener(type, action, { passive: type !== "wheel" });
    listen("touchstart", (event) => this.hold(event.target, "touchend", "touchcancel"));
    listen("pointerdown", (event) => {
      if (event.pointerType !== "touch" && event.button === 0) this.hold(document, "pointerup", "pointercancel");
    });
    listen("wheel", (event) => this.rollWheel(event));
    this.track = track;
  }

  // The user.

  /** Holds until one of the events that end a gesture; touches end on their target, even if it was removed. */
  hold(target, ...ends) {
    clearTimeout(this.releaseTimer);
    this.isHeld = this.isByUser = true;
    const done = new AbortController();
    const end = (event) => {
      if ([...(event.touches ?? [])].some((touch) => this.track.contains(touch.target))) return;
      done.abort();
      this.release();
    };
    for (const type of ends) target.addEventListener(type, end, { signal: done.signal, passive: true });
  }

  release() {
    clearTimeout(this.releaseTimer);
    this.releaseTimer = setTimeout(() => {
      this.isHeld = false;
      if (!this.isMoving) this.rest();
    }, releaseMs);
  }

  rollWheel(event) {
    const next = this.neighbor(Math.sign(event.deltaY));
    // At an end, the page scrolls.
    if (event.ctrlKey || (!next && !this.isMoving)) return;
    event.preventDefault();
    if (event.timeStamp - this.wheelAt > wheelMs) this.go(next);
    this.wheelAt = event.timeStamp;
  }

  press(key) {
    if (key in steps) this.go(this.neighbor(steps[key]));
    return key in steps;
  }

  /** Returns the slide at a distance from the latest one. */
  neighbor(step) {
    const from = this.slides.indexOf(this.aim ?? this.front);
    const index = Math.max(0, Math.min(this.slides.length - 1, from + step));
    return index === from ? undefined : this.slides[index];
  }

  go(slide) {
    if (!slide || this.isHeld) return;
    this.isByUser = true;
    this.scroll(slide);
  }

  // The state.

  /** Replaces the slides; the one in front stays if it is among them. */
  set(slides) {
    if (slides.length === this.slides.length && slides.every((slide, index) => slide === this.slides[index])) return;
    this.slides = slides;
    this.track.replaceChildren(...slides.map((slide) => slide.element));
    if (slides.includes(this.front)) this.show(this.front, true);
  }

  /** Shows a slide that the user did not choose. */
  show(slide, isInstant = !this.front) {
    this.isByUser = false;
    this.put(slide);
    this.scroll(slide, isInstant);
  }

  put(slide) {
    const hadFocus = this.front?.element.contains(document.activeElement);
    this.front = slide;
    for (const other of this.slides) other.element.inert = other !== slide;
    if (hadFocus) slide.cover.focus({ preventScroll: true });
  }

  scroll(slide, isInstant = false) {
    this.aim = slide;
    const top = slide.element.offsetTop;
    if (Math.abs(top - this.track.scrollTop) < 1) return this.rest();
    this.moved();
    return this.track.scrollTo({ top, behavior: isInstant || reducesMotion.matches ? "instant" : "smooth" });
  }

  moved() {
    this.isMoving = true;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.rest(), settledMs);
  }

  /** Ends a movement: that of the user, or back to the slide in front. */
  rest() {
    clearTimeout(this.timer);
    this.isMoving = false;
    if (this.isHeld) return;
    this.aim = undefined;
    const { track, slides } = this;
    const slide = slides[Math.round(track.scrollTop / track.clientHeight)] ?? this.front;
    const isScrolled = this.isByUser && slide !== this.front;
    this.isByUser = false;
    if (isScrolled) {
      this.put(slide);
      this.scrolled();
    } else if (slides.includes(this.front) && Math.abs(this.front.element.offsetTop - track.scrollTop) >= 2) {
      track.scrollTop = this.front.element.offsetTop;
    }
    this.rested();
  }
}
