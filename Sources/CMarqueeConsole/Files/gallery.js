// Gallery: a card in every family, and a text to try out another one.
import { h, replace, settled } from "./dom.js";
import { field, widgetFrame } from "./parts.js";
import { t } from "./text.js";
import { families, familyText } from "./widget.js";

const mediaType = "application/vnd.microsoft.card.adaptive";

const intent = { type: "Remind", parameters: [] };
const sample = {
  type: "AdaptiveCard", version: "1.5",
  body: [
    { type: "TextBlock", text: "Bus 100", size: "large", weight: "bolder", color: "accent" },
    { type: "FactSet", facts: [{ title: "7:46", value: "Zoo" }, { title: "7:56", value: "Alexanderplatz" }] },
    { type: "Input.Toggle", id: "isOn", title: "Follow", data: { intent } },
  ],
  actions: [{ type: "Action.Execute", title: "Remind me", verb: "perform", data: { intent } }],
};

function frames(source) {
  const bytes = new TextEncoder().encode(source);
  const data = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  return families.map((family) => h("li", { class: "stacked" }, h("span", { class: "note small" }, familyText(family)),
    widgetFrame({ kind: { name: t("gallery.widget") } }, family, { entry: { content: { mediaType, data } } })));
}

export function show(view) {
  const list = h("ul", { class: "gallery", id: "gallery" });
  const input = h("textarea", { id: "card", class: "mono", rows: 12, spellcheck: "false",
    oninput: settled(() => replace(list, frames(input.value))) });
  input.value = JSON.stringify(sample, null, 2);
  replace(list, frames(input.value));
  view.header({ title: t("gallery.title") });
  view.put(h("p", {}, t("gallery.text")), field(t("gallery.card"), input), list);
}
