// The page that asks for an access token.
import { h } from "./dom.js";
import { setToken } from "./session.js";
import { t } from "./text.js";

/** Returns the form, for a kiosk with the command that prints its link; `entered` follows once a token was entered. */
export function loginElement(entered, { title = "login.title", text = "login.text", command } = {}) {
  const input = h("input", {
    id: "token", type: "password", required: true, autocomplete: "off", class: "mono",
    "aria-describedby": !command && "token-note",
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
    h("h1", { tabindex: -1 }, t(title)),
    h("p", {}, t(text)),
    command && h("pre", {}, command),
    h("label", { class: "field" }, h("span", {}, t("login.token")), input),
    !command && h("p", { class: "note small", id: "token-note" }, t("login.note")),
    h("div", { class: "controls" }, h("button", { class: "primary", id: "sign-in" }, t("login.action"))),
  );
}
