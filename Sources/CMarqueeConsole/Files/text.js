// The strings of the interface in the reader's language.

/** The strings of each language, of which only those of the chosen one are loaded. */
const common = { en: () => import("./en.js"), de: () => import("./de.js") };

let strings = {};
let tag = "";

/** The language of the interface, a BCP 47 tag. */
export function language() {
  return tag;
}

async function load(chosen, own) {
  const modules = await Promise.all([common, own].map((languages) => languages[chosen]?.()));
  strings = Object.assign({}, ...modules.map((module) => module?.default));
  tag = chosen;
}

/**
 * Loads the further strings that a part of a page needs in the language, if it has any; `own` has their modules. They
 * remain until another language is chosen.
 */
export async function loadText(own) {
  try {
    Object.assign(strings, (await own[tag]?.())?.default);
  } catch {
    // Without the server, the texts stay in English.
  }
}

/** The scripts that are written from right to left. */
const rightToLeft = ["Arab", "Hebr"];

/**
 * Chooses the language that the address or the browser names; `own` are further strings of the page. Its script gives
 * the direction, unless the address names one.
 */
export async function chooseLanguage(params, own = {}) {
  const known = [params.get("lang"), ...navigator.languages].map((name) => name?.toLowerCase().split("-")[0]);
  const chosen = known.find((name) => Object.hasOwn(common, name)) ?? "en";
  try {
    if (chosen !== tag) await load(chosen, own);
  } catch {
    // Without the server, the language stays.
    if (!tag) await load("en", own);
  }
  const isRightToLeft = rightToLeft.includes(new Intl.Locale(tag).maximize().script);
  const { documentElement } = document;
  documentElement.lang = tag;
  documentElement.dir = ["ltr", "rtl"].find((dir) => dir === params.get("dir")) ?? (isRightToLeft ? "rtl" : "ltr");
}

/** Whether the language has a string. */
export function hasText(key) {
  return key in strings;
}

/** Returns a string, with values in place of its names in braces. */
export function t(key, values = {}) {
  const text = strings[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}
