// The access token. It is kept for this tab only, except in the kiosk, and there are no cookies.

let [store, key] = [sessionStorage, "marquee.token"];

/** Keeps the token for later starts of a device's kiosk; those of other devices in the browser have their own. */
export function useKiosk(device) {
  [store, key] = [localStorage, `marquee.kiosk ${device}`];
}

const previousKey = () => `${key} previous`;

/** The present token; empty if there is none. */
export function token() {
  return store.getItem(key) ?? "";
}

export function setToken(text) {
  if (text) store.setItem(key, text);
  else store.removeItem(key);
}

/** Takes a token out of the address (`#token=…`), before anything else can read or keep it. */
export function takeTokenFromAddress() {
  const fragment = new URLSearchParams(location.hash.slice(1));
  const found = fragment.get("token");
  if (found === null) return;
  history.replaceState(null, "", location.pathname + location.search);
  // A link without a token signs nobody out.
  if (!found.trim()) return;
  if (store === localStorage && token() && token() !== found.trim()) store.setItem(previousKey(), token());
  setToken(found.trim());
}

/** Returns to the kiosk's token before that of a link; returns whether there is one. */
export function restoreToken() {
  const previous = store.getItem(previousKey());
  store.removeItem(previousKey());
  if (previous) setToken(previous);
  return Boolean(previous);
}
