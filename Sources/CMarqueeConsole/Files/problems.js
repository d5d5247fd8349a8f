// The page of each problem: the reason, and the next step.
import { h } from "./dom.js";
import { address } from "./location.js";
import { messageElement } from "./parts.js";
import { t } from "./text.js";

const known = ["unauthenticated", "permission_denied", "not_found", "invalid_argument", "resource_exhausted", "lost"];

/** Returns the page of a problem. `retry` tries again, and `signIn` asks for another token. */
export function problemElement(error, { retry, signIn }) {
  const kind = known.includes(error.code) ? error.code : "other";
  const actions = {
    unauthenticated: [h("button", { class: "primary", onclick: signIn }, t("problem.signIn"))],
    permission_denied: [h("button", { class: "primary", onclick: signIn }, t("problem.signIn"))],
    not_found: [h("a", { class: "button primary", href: address("/") }, t("problem.toOverview"))],
    invalid_argument: [h("a", { class: "button primary", href: address("/") }, t("problem.toOverview"))],
  }[kind] ?? [h("button", { class: "primary", onclick: retry }, t("problem.retry"))];
  return h(
    "div",
    { class: "problem", role: "alert", "data-problem": kind },
    h("h1", { tabindex: -1 }, t(`problem.${kind}.title`)),
    h("p", {}, t(`problem.${kind}.text`)),
    h("div", { class: "note" }, messageElement(error.message ?? "")),
    h("div", { class: "controls" }, actions),
  );
}
