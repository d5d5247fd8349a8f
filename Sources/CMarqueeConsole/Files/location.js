// The address holds every choice: the page is its path, and the rest is in the query.

/** The parameters that links to other pages keep. */
const kept = ["lang", "dir"];

/** Returns the present page and its choices. */
export function place() {
  return { path: location.pathname, params: new URLSearchParams(location.search) };
}

/** Returns the address of a page with choices; those without a value are left out. */
export function address(path, choices = {}) {
  const params = new URLSearchParams();
  for (const [key, value] of Object.entries(choices)) {
    if (value !== undefined && value !== null && value !== "") params.set(key, value);
  }
  const present = place().params;
  for (const key of kept) {
    if (present.has(key) && !(key in choices)) params.set(key, present.get(key));
  }
  const query = params.toString();
  return query ? `${path}?${query}` : path;
}

/** Returns the address of the present page with other choices. */
export function changed(choices) {
  const { path, params } = place();
  return address(path, { ...Object.fromEntries(params), ...choices });
}

/** Shows another address; `show` of the application follows. */
export function go(href, { replaces = false } = {}) {
  if (replaces) history.replaceState(null, "", href);
  else history.pushState(null, "", href);
  dispatchEvent(new CustomEvent("marquee:navigated", { detail: { replaces } }));
}

/** Changes choices of the present page without showing it again. */
export function note(choices) {
  history.replaceState(null, "", changed(choices));
}
