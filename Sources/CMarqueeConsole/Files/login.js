// The page that asks for an access token.
import { h } from "./dom.js";
import { setToken } from "./session.js";
import { t } from "./text.js";

/** Returns the form; `entered` follows once a token was entered. */
export function loginElement(entered) {
  const input = h("input", {
    id: "token", type: "password", required: true, autocomplete: "off", class: "mono", "aria-describedby": "token-note",
  });
  const submit = (event) => {
    event.preventDefault();
    const token = input.value.replace(/\s/g, "").replace(/^Bearer/i, "");
    input.value = "";
    if (!token) return input.focus();
    setToken(token);
    entered();
  };
  return h(
    "form",
    { class: "plain", onsubmit: submit },
    h("h1", { tabindex: -1 }, t("login.title")),
    h("p", {}, t("login.text")),
    h("label", { class: "field" }, h("span", {}, t("login.token")), input),
    h("p", { class: "note small", id: "token-note" }, t("login.note")),
    h("div", { class: "controls" }, h("button", { class: "primary", id: "sign-in" }, t("login.action"))),
  );
}
