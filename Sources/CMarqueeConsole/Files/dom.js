// Elements without markup: texts of apps and users only ever become text nodes.

/** Returns an element. An attribute `on…` is a listener; one without a value is left out. */
export function h(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

/** The namespace of drawings: a name that is never requested. */
const drawing = ["http:", "", "www.w3.org", "2000", "svg"].join("/");

/** Returns an element of a drawing. */
export function svg(tag, attributes = {}, ...children) {
  return filled(document.createElementNS(drawing, tag), attributes, children);
}

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) {
      element.addEventListener(name.slice(2), value);
    } else if (name === "share") {
      element.style.setProperty("--share", `${Math.max(0, Math.min(1, value)) * 100}%`);
    } else {
      element.setAttribute(name, value === true ? "" : String(value));
    }
  }
  element.append(...nodes(children));
  return element;
}

/** Returns the children that are there, in a flat list. */
export function nodes(children) {
  return children.flat(Infinity).filter((child) => child !== undefined && child !== null && child !== false);
}

const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** Returns a text in which characters that reorder or hide others are visible. */
export function visible(text) {
  return String(typeof text === "object" ? "" : (text ?? "")).replace(controls, "\ufffd");
}

/** Returns a name or an identifier, whose direction does not affect the text around it. */
export function name(text, className = "name") {
  return h("bdi", { class: className }, visible(text));
}

const focusable = "a[href], button, input, select, summary, [tabindex]";

/** Returns a function that finds the part that now stands where the focus is in an element. */
function focusIn(container) {
  const focused = document.activeElement;
  if (focused === container || !container.contains(focused)) return () => undefined;
  const [id, href, tag] = [focused.id, focused.getAttribute("href"), focused.tagName];
  const place = [...container.querySelectorAll(focusable)].indexOf(focused);
  return () => {
    const parts = [...container.querySelectorAll(focusable)];
    const same = parts.find((part) => (id ? part.id === id : href !== null && part.getAttribute("href") === href));
    return same ?? (parts[place]?.tagName === tag ? parts[place] : undefined);
  };
}

/** Replaces the content of an element, but keeps the focus, and the opened details of parts that have an `id`. */
export function replace(container, ...children) {
  const focused = focusIn(container);
  const details = new Map();
  for (const part of container.querySelectorAll("details[id]")) details.set(part.id, part.open);
  const scrolls = [...container.querySelectorAll(".table")].map((part) => part.scrollLeft);
  container.replaceChildren(...nodes(children));
  for (const part of container.querySelectorAll("details[id]")) {
    if (details.has(part.id)) part.open = details.get(part.id);
  }
  [...container.querySelectorAll(".table")].forEach((part, index) => (part.scrollLeft = scrolls[index] ?? 0));
  focused()?.focus({ preventScroll: true });
}

/** Returns a function that calls `action` once after the last of several calls. */
export function settled(action, milliseconds = 200) {
  let timer;
  return (...values) => {
    clearTimeout(timer);
    timer = setTimeout(() => action(...values), milliseconds);
  };
}
