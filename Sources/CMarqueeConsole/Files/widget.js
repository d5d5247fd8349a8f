// Widgets: their text form, which is that of the command `marquee`, and their form in addresses.

const prefixes = {
  stringValue: "string", integerValue: "integer", doubleValue: "double", booleanValue: "boolean", dateMs: "date",
  enumCase: "enum", object: "object", place: "place", person: "person",
};

/** Returns the type that a text without one has. */
function guessed(text) {
  if (/^[-+]?\d+$/.test(text)) return "integer";
  if (text.trim() === text && text !== "" && Number.isFinite(Number(text))) return "double";
  return text === "true" || text === "false" ? "boolean" : "string";
}

function valueText(value) {
  const [kind, content] = Object.entries(value)[0] ?? ["stringValue", ""];
  const plain =
    kind === "place" ? `${content.latitude ?? 0},${content.longitude ?? 0}`
    : kind === "object" || kind === "person" ? (content.identifier ?? "")
    : kind === "dateMs" ? new Date(Number(content)).toISOString().replace(".000Z", "Z")
    : String(content);
  const isQuoted = plain === "" || /[,()[\]="\\:]|^ | $/.test(plain);
  const text = isQuoted ? `"${plain.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"` : plain;
  return (guessed(plain) === prefixes[kind] ? "" : `${prefixes[kind]}:`) + text;
}

function parameterText(parameter) {
  const values = (parameter.values ?? []).map(valueText);
  return `${parameter.name ?? ""}=${parameter.isArray ? `[${values.join(", ")}]` : values.join("")}`;
}

/** Returns the exact text of a widget, such as `com.example.weather/Forecast(city=object:cupertino)`. */
export function widgetText(widget) {
  const kind = `${widget?.kind?.app ?? ""}/${widget?.kind?.name ?? ""}`;
  if (!widget?.configuration) return kind;
  return `${kind}(${(widget.configuration.parameters ?? []).map(parameterText).join(", ")})`;
}

/** Returns a text that is equal for equal widgets only. */
export function widgetKey(widget) {
  const configuration = widget?.configuration;
  const parameters = (configuration?.parameters ?? []).map((parameter) => JSON.stringify(parameter)).sort();
  return JSON.stringify([widget?.kind?.app, widget?.kind?.name, configuration?.type ?? null, parameters]);
}

/** Returns the choices with which an address names a widget. */
export function widgetChoices(widget) {
  const configuration = widget.configuration ? JSON.stringify(widget.configuration) : undefined;
  return { widget: `${widget.kind?.app ?? ""}/${widget.kind?.name ?? ""}`, configuration };
}

/** Returns the widget that an address names; undefined if it names none, or none that can be read. */
export function widgetOf(params) {
  const text = params.get("widget");
  if (!text) return undefined;
  const slash = text.indexOf("/");
  const widget = { kind: { app: text.slice(0, Math.max(0, slash)), name: text.slice(slash + 1) } };
  try {
    const configuration = params.get("configuration");
    if (configuration) widget.configuration = JSON.parse(configuration);
  } catch {
    return undefined;
  }
  return widget;
}

/** All families. */
export const families = ["SYSTEM_SMALL", "SYSTEM_MEDIUM", "SYSTEM_LARGE", "SYSTEM_EXTRA_LARGE",
  "SYSTEM_EXTRA_LARGE_PORTRAIT", "ACCESSORY_CIRCULAR", "ACCESSORY_CORNER", "ACCESSORY_RECTANGULAR", "ACCESSORY_INLINE"]
  .map((family) => `WIDGET_FAMILY_${family}`);

/** Returns the family as in WidgetKit, such as systemSmall. */
export function familyText(family) {
  const words = (family ?? "").replace("WIDGET_FAMILY_", "").toLowerCase().split("_");
  return words[0] + words.slice(1).map((word) => word[0].toUpperCase() + word.slice(1)).join("");
}
