// The strings of the interface in the reader's language. Sentences of the engine are in English in both.
import en from "./en.js";

let strings = en;
let tag = "en";

/** The language of the interface, a BCP 47 tag. */
export function language() {
  return tag;
}

/** Chooses the language that the address or the browser names. */
export async function chooseLanguage(wanted) {
  const known = [wanted, ...navigator.languages].map((name) => name?.toLowerCase().split("-")[0]);
  tag = known.find((name) => name === "de" || name === "en") ?? "en";
  try {
    strings = tag === "de" ? (await import("./de.js")).default : en;
  } catch {
    // Without the server, the language stays English.
    [tag, strings] = ["en", en];
  }
  document.documentElement.lang = tag;
}

/** Returns a string, with values in place of its names in braces. */
export function t(key, values = {}) {
  const text = strings[key] ?? en[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}
