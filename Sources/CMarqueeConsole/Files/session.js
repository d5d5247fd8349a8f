// The access token. It is kept for this tab only, and there are no cookies.

const key = "marquee.token";

/** The present token; empty if there is none. */
export function token() {
  return sessionStorage.getItem(key) ?? "";
}

export function setToken(text) {
  if (text) sessionStorage.setItem(key, text);
  else sessionStorage.removeItem(key);
}

/** Takes a token out of the address (`#token=…`), before anything else can read or keep it. */
export function takeTokenFromAddress() {
  const fragment = new URLSearchParams(location.hash.slice(1));
  const found = fragment.get("token");
  if (found === null) return;
  history.replaceState(null, "", location.pathname + location.search);
  // A link without a token signs nobody out.
  if (found.trim()) setToken(found.trim());
}
