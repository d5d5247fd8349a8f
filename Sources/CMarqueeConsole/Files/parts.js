// The parts that pages have in common.
import { contentElement } from "./content.js";
import { h, name, nodes, settled, visible } from "./dom.js";
import { figure } from "./format.js";
import { language, t } from "./text.js";
import { familyText, widgetKey, widgetText } from "./widget.js";

/**
 * Returns a table in a frame that scrolls sideways. A column has a label and a class; a row has an array of cells, and
 * perhaps a class. The first cell of a row is its header.
 */
export function table(id, caption, columns, rows, { hidesCaption = false } = {}) {
  const cell = (content, index) => {
    const attributes = { class: columns[index].class };
    return index === 0 ? h("th", { ...attributes, scope: "row" }, content) : h("td", attributes, content);
  };
  const head = columns.map((column) => h("th", { scope: "col", class: column.class }, column.label));
  const body = rows.map((row) => {
    const cells = row.cells ?? row;
    return h("tr", { class: row.class, "aria-current": row.class === "current" ? "true" : undefined }, cells.map(cell));
  });
  return h(
    "div",
    { class: "table", id, tabindex: 0, role: "region", "aria-label": caption },
    h(
      "table",
      {},
      h("caption", { class: hidesCaption ? "visually-hidden" : undefined }, caption),
      h("thead", {}, h("tr", {}, head)),
      h("tbody", {}, body),
    ),
  );
}

/** Returns columns, each named by the key of its label, and perhaps a class: `score number`. */
export function columns(...names) {
  return names.map((text) => text.split(" ")).map(([key, name]) => ({ label: t(key), class: name }));
}

/** Returns pairs of a label and a value; pairs without a value are left out. */
export function facts(pairs, className = "facts") {
  const present = pairs.filter(([, value]) => value !== undefined && value !== null);
  if (className === "facts") {
    return h("dl", { class: "facts" }, present.flatMap(([label, value]) => [h("dt", {}, label), h("dd", {}, value)]));
  }
  const group = ([label, value, isLong]) =>
    h("div", {}, h("dt", {}, label), h("dd", { class: isLong ? "long" : undefined }, value));
  return h("dl", { class: "figures" }, present.map(group));
}

export function badge(text, kind = "") {
  return h("li", { class: `badge ${kind}` }, text);
}

export function badges(...items) {
  const present = nodes(items);
  return present.length ? h("ul", { class: "badges" }, present) : undefined;
}

/** Returns an evidence with a bar in proportion to the greatest one. */
export function evidence(value, greatest) {
  const share = greatest > 0 ? (value ?? 0) / greatest : 0;
  return h("span", {}, figure(value), h("span", { class: "bar", "aria-hidden": "true", share }, h("span")));
}

/** Returns a bar of a quantity and its maximum. */
export function useBar(use, maximum) {
  const share = maximum > 0 ? use / maximum : 0;
  return h("span", { class: share > 0.8 ? "bar full" : "bar", "aria-hidden": "true", share }, h("span"));
}

/** The titles of widgets: those of sentences, or of a list of widgets with their representations. */
export class Titles {
  constructor(names = [], widgets = [], displays = []) {
    this.byKey = new Map();
    widgets.forEach((widget, index) => {
      const title = displays[index]?.title;
      if (title) this.byKey.set(widgetKey(widget), title);
    });
    for (const entry of names) this.byKey.set(widgetKey(entry.widget), entry.name);
  }

  of(widget) {
    return this.byKey.get(widgetKey(widget)) || widget?.kind?.name || "";
  }
}

/** Returns an identifier, which can break after its punctuation. */
export function codeText(text, className = "name note small clamp") {
  const pieces = visible(text).split(/(?<=[./(,])/);
  return h("code", { class: className }, pieces.map((piece, index) => [index ? h("wbr") : "", piece]));
}

/** Returns a widget's title above its exact text. */
export function widgetName(widget, titles, href) {
  const title = name(titles.of(widget), "name clamp");
  return h(
    "span",
    {},
    href ? h("a", { href }, title) : title,
    codeText(widgetText(widget)),
  );
}

const shapes = {
  systemMedium: "wide", systemExtraLarge: "wide", systemExtraLargePortrait: "tall", accessoryRectangular: "strip",
  accessoryInline: "strip",
};

/** Returns a widget as a display shows it: its label, and its current entry. */
export function widgetFrame(widget, family, entry, label) {
  const title = label?.display?.title || label?.kindName || widget?.kind?.name || "";
  const spoken = label?.accessibilityLabel || title;
  const notes = [
    entry?.stale ? badge(t("widget.stale"), "warn") : undefined,
    entry?.entry?.details?.isPrivate ? badge(t("widget.private")) : undefined,
  ];
  return h(
    "figure",
    { class: `widget ${shapes[familyText(family)] ?? ""}`, "aria-label": visible(spoken) },
    h("figcaption", { class: "small note" }, name(title, "name clamp")),
    entry?.entry ? contentElement(entry.entry.content, spoken) : h("p", { class: "content note" }, t("content.none")),
    badges(notes),
  );
}

/** Returns the place for a list that is empty: its reason, and the next step. */
export function empty(title, text, command, ...actions) {
  return h("div", { class: "empty" }, h("h2", {}, title), h("p", {}, text), command && h("pre", {}, command), actions);
}

/**
 * Returns a message of the server, which has it in English only, as it is to be searched for: in other languages, the
 * page itself says what can be done, and the message opens on request.
 */
export function messageElement(text) {
  const message = h("span", { class: "name", lang: "en" }, visible(text).slice(0, 500));
  if (language() === "en") return message;
  return h("details", { class: "message" }, h("summary", {}, t("problem.message")), message);
}

/** Returns a labelled control. */
export function field(label, control, className = "field") {
  return h("label", { class: className }, h("span", {}, label), control);
}

/** Returns a control with a text to search for; `changed` gets it once it settles. */
export function search(label, text, changed) {
  const oninput = settled((event) => changed(event.target.value));
  return field(label, h("input", { id: "filter", type: "search", value: text, oninput }), "field grow");
}

/** Returns a choice among values, each with a text. */
export function choice(id, options, selected, onchange) {
  const made = options.map(([value, text]) => h("option", { value, selected: value === selected }, visible(text)));
  return h("select", { id, onchange: (event) => onchange(event.target.value) }, made);
}
