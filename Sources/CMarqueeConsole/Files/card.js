// Cards: the display subset of Adaptive Cards. Texts become text nodes, and nothing is loaded for a card. Unknown
// elements without a fallback are left out, as in the text that `marquee` shows.
import { h, visible } from "./dom.js";
import { t } from "./text.js";

const [depthMax, countMax] = [16, 256];
const images = /^data:(image\/(?:png|jpeg|gif|webp|svg\+xml));base64,([a-z\d+/]+=*)$/i;

/** Whether the page performs the intents of buttons and switches; otherwise, they are disabled. */
let isActive = false;
let [count, makeImage] = [0];

/** Enables buttons and switches, for a page that handles the event `marquee:perform`. */
export function enableActions() {
  isActive = true;
}

/** Returns the objects of an array that are within the limits. */
function list(values, depth = 1) {
  if (!Array.isArray(values) || depth > depthMax) return [];
  return values.filter((value) => value && typeof value === "object" && ++count <= countMax);
}

/** Returns the classes of an element's choices, such as `size-large`. */
function classes(element, names, base = "") {
  const chosen = Object.keys(names).filter((name) => element[name]?.trim && /^[a-z]{1,16}$/i.test(element[name]));
  return [base, ...chosen.map((name) => `${names[name]}-${element[name].toLowerCase()}`)].join(" ").trim();
}

function textClass(element, base = "") {
  const names = { size: "size", weight: "weight", color: "color", horizontalAlignment: "align" };
  return classes(element, names, element.isSubtle === true ? `${base} note` : base);
}

const group = (element, base = "group") => classes(element, { style: "style" }, base);

const all = (elements, depth) => list(elements, depth).map((element) => shown(element, depth));

const builders = {
  TextBlock(element) {
    const lines = element.wrap === true ? Math.min(4, Math.trunc(element.maxLines) || 0) : 1;
    return h("p", { class: textClass(element, lines > 0 ? `lines-${lines}` : ""), dir: "auto" }, visible(element.text));
  },
  RichTextBlock(element) {
    const runs = list([element.inlines ?? []].flat().map((run) => (typeof run === "string" ? { text: run } : run)));
    return h("p", { class: textClass(element), dir: "auto" },
      runs.map((run) => h("span", { class: textClass(run) }, visible(run.text))));
  },
  Image(element) {
    const [, type, data] = images.exec(element.url) ?? [];
    const label = visible(element.altText);
    const box = { class: classes(element, { size: "image" }) };
    try {
      if (type) return h("div", box, makeImage(type.toLowerCase(), data, label));
    } catch {
      // Base64 of a wrong length.
    }
    return label && h("p", {}, `[${label}]`);
  },
  Container: (element, depth) => h("div", { class: group(element) }, all(element.items, depth + 1)),
  ColumnSet(element, depth) {
    const columns = list(element.columns);
    const weight = ({ width }) => (width === "auto" ? 0 : width > 0 ? Number(width) : 1);
    const total = columns.reduce((sum, column) => sum + weight(column), 0);
    return h("div", { class: "columns" }, columns.map((column) =>
      h("div", { class: group(column, weight(column) ? "group wide" : "group"), share: weight(column) / total || 0 },
        all(column.items, depth + 1))));
  },
  FactSet: (element) => h("dl", { class: "facts" }, list(element.facts).map((fact) =>
    [h("dt", { dir: "auto" }, visible(fact.title)), h("dd", { dir: "auto" }, visible(fact.value))])),
  Table: (element, depth) => h("table", {}, list(element.rows).map((row, index) =>
    h("tr", {}, list(row.cells).map((cell) =>
      h(index || element.firstRowAsHeader === false ? "td" : "th", { class: group(cell, "") },
        all(cell.items, depth + 1)))))),
  ActionSet: (element, depth) => actions(element.actions, depth),
  "Input.Toggle"(element) {
    const intent = element.data?.intent;
    const attributes = { role: "switch", "aria-checked": String(String(element.value) === "true") };
    return button(element, intent, attributes, (control) => {
      const isOn = control.getAttribute("aria-checked") !== "true";
      control.setAttribute("aria-checked", String(isOn));
      const others = [intent.parameters ?? []].flat().filter((parameter) => parameter?.name !== element.id);
      const parameters = [...others, { name: element.id, values: [{ booleanValue: isOn }] }];
      return { intent: { ...intent, parameters }, toggle: isOn };
    });
  },
  "Action.OpenUrl"({ title, url }) {
    const isSecure = URL.canParse(url) && new URL(url).protocol === "https:";
    return isSecure && h("span", { class: "link", title: visible(url) }, visible(title));
  },
  "Action.Execute"(action) {
    const intent = action.verb === "perform" && action.data?.intent;
    return button(action, intent, { class: group(action, "") }, () => ({ intent }));
  },
};

function shown(element, depth) {
  if (element.isVisible === false) return undefined;
  if (Object.hasOwn(builders, element.type)) return builders[element.type](element, depth);
  const [fallback] = list([element.fallback], depth + 1);
  return fallback && shown(fallback, depth + 1);
}

/** Returns a button or switch; `detailOf` changes it, and returns the intent to perform. */
function button(element, intent, attributes, detailOf) {
  if (!intent) return undefined;
  const onclick = (event) => {
    const { currentTarget } = event;
    event.stopPropagation();
    const detail = detailOf(currentTarget);
    currentTarget.dispatchEvent(new CustomEvent("marquee:perform", { bubbles: true, detail }));
  };
  return h("button", { type: "button", ...attributes, disabled: !isActive, onclick }, visible(element.title));
}

function actions(values, depth) {
  const parts = all(values, depth).filter(Boolean);
  return parts.length > 0 && h("div", { class: "actions" }, parts);
}

/** Returns an element with a card, or undefined if the text is not one; `image` makes an element for an image. */
export function cardElement(text, image) {
  let card;
  try {
    card = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (card?.type !== "AdaptiveCard") return undefined;
  [count, makeImage] = [0, image];
  const parts = [...all(card.body, 1), actions(card.actions, 1)].filter(Boolean);
  return h("div", { class: "content ac" },
    parts.length ? parts : h("p", {}, visible(card.fallbackText || t("content.none"))));
}
