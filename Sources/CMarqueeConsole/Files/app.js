// The application: shows the page of the address, which it loads first, and the problem if it cannot.
import { CallError } from "./connect.js";
import { h, nodes, replace } from "./dom.js";
import { address, changed, go, place } from "./location.js";
import { loginElement } from "./login.js";
import { problemElement } from "./problems.js";
import { setToken, takeTokenFromAddress, token } from "./session.js";
import { chooseLanguage, language, t } from "./text.js";
import { View } from "./view.js";

const pages = [
  { path: "/", title: "overview.title", load: () => import("./overview.js"), keeps: ["device"] },
  { path: "/stack", title: "nav.stack", load: () => import("./stack.js"), keeps: ["device", "stack"] },
  { path: "/day", title: "time.day", load: () => import("./day.js"), keeps: ["device", "stack"] },
  { path: "/why", title: "nav.why", load: () => import("./why.js"), keeps: ["device", "stack"] },
  { path: "/decisions", title: "decision.title", load: () => import("./decisions.js"), keeps: ["device", "stack"] },
  { path: "/widgets", title: "widget.list", load: () => import("./widgets.js"), keeps: ["device"] },
  { path: "/habits", title: "habit.title", load: () => import("./habits.js"), keeps: ["device"] },
  { path: "/try", title: "try.title", load: () => import("./try.js"), keeps: [] },
  { path: "/gallery", title: "gallery.title", load: () => import("./gallery.js"), keeps: [] },
  { path: "/server", title: "server.title", load: () => import("./server.js"), keeps: [] },
];

/** The templates of the engine's sentences; those in English are the server's. */
const sentences = { de: () => import("./sentencesde.js") };
const navigation = h("nav", { class: "nav" });
const session = h("div", { class: "session" });
const main = h("main", { class: "page", id: "main", tabindex: -1 });
const announcer = h("div", { class: "visually-hidden", role: "status" });
/** Ends the calls of the page that is shown. */
let shown = new AbortController();
/** The device and the stack that pages showed last, for the links of the navigation. */
const latest = { device: null, stack: null };

function showNavigation(path) {
  const { params } = place();
  if (params.has("device") && params.get("device") !== latest.device) latest.stack = null;
  for (const key of Object.keys(latest)) latest[key] = params.get(key) ?? latest[key];
  const links = pages.map((page) => {
    const choices = Object.fromEntries(page.keeps.map((key) => [key, latest[key]]));
    const attributes = { href: address(page.path, choices), "aria-current": page.path === path ? "page" : undefined };
    return h("li", {}, h("a", attributes, t(page.title)));
  });
  navigation.setAttribute("aria-label", t("nav.title"));
  replace(navigation, h("ul", {}, links));
  const other = language() === "de" ? "en" : "de";
  replace(
    session,
    h("a", { href: changed({ lang: other }), lang: other, hreflang: other }, t("nav.otherLanguage")),
    token() && h("button", { class: "quiet small", id: "sign-out", onclick: signOut }, t("nav.signOut")),
  );
}

function signOut() {
  setToken("");
  show();
}

/** Replaces the page, and moves the focus to its heading, unless it stays in a control that is still there. */
function put(children, keptFocus) {
  const id = keptFocus && document.activeElement?.id;
  main.replaceChildren(...nodes(children));
  const control = id && document.getElementById(id);
  if (control) return control.focus({ preventScroll: true });
  main.querySelector("h1")?.focus({ preventScroll: true });
  if (!keptFocus) scrollTo(0, 0);
}

function showLogin() {
  document.title = `${t("login.title")} – Marquee`;
  put([loginElement(() => show())]);
}

function showProblem(error) {
  document.title = `${t("problem.title")} – Marquee`;
  const signIn = () => {
    setToken("");
    show();
  };
  const retry = () => (error.isLoading ? location.reload() : show());
  put([problemElement(error, { retry, signIn })]);
}

/** Returns the module of a page. */
async function load(page) {
  try {
    return await page.load();
  } catch (error) {
    // Browsers may remember that a module was not there until the document is loaded again.
    throw Object.assign(new CallError("lost", error.message), { isLoading: true });
  }
}

/** Shows the page of the address. */
async function show({ keepsFocus = false } = {}) {
  shown.abort();
  const controller = new AbortController();
  shown = controller;
  const { path, params } = place();
  await chooseLanguage(params, sentences);
  const page = pages.find((one) => one.path === path) ?? pages[0];
  showNavigation(page.path);
  if (!token()) return showLogin();
  const fail = (error) => {
    if (controller.signal.aborted) return;
    controller.abort();
    showProblem(error);
  };
  const view = new View(params, controller.signal, announcer, fail, () => show({ keepsFocus: true }));
  main.setAttribute("aria-busy", "true");
  try {
    await (await load(page)).show(view);
    if (controller.signal.aborted) return;
    document.title = [view.title, view.device, "Marquee"].filter(Boolean).join(" – ");
    put(view.content(), keepsFocus);
    view.start();
  } catch (error) {
    if (!controller.signal.aborted && error.code === undefined) console.error(error);
    fail(error);
  } finally {
    if (shown === controller) main.removeAttribute("aria-busy");
  }
}

/** Whether a click on a link shows another page of the console. */
function isInternal(event, url) {
  const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
  return isPlain && url.origin === location.origin && pages.some((page) => page.path === url.pathname);
}

document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a[href]");
  if (!link || event.defaultPrevented) return;
  // A link in a drawing has no parts of its address.
  const url = new URL(link.getAttribute("href"), location.href);
  if (!isInternal(event, url)) return;
  event.preventDefault();
  go(url.pathname + url.search);
});
addEventListener("marquee:navigated", (event) => show({ keepsFocus: event.detail?.replaces === true }));
addEventListener("popstate", () => show());
addEventListener("hashchange", () => {
  if (!location.hash.includes("token=")) return;
  takeTokenFromAddress();
  show();
});

takeTokenFromAddress();
await chooseLanguage(place().params, sentences);
document.body.replaceChildren(
  h("a", { class: "skip", href: "#main" }, t("nav.skip")),
  h("div", { class: "shell" },
    h("header", { class: "side" },
      h("a", { class: "brand", href: address("/") }, h("img", { src: "/console/icon.svg", alt: "" }), "Marquee"),
      navigation, session),
    main),
  announcer,
);
await show();
