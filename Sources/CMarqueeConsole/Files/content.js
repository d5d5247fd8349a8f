// The content of entries. Nothing of it becomes markup of the page: text is text, images cannot run scripts, and markup
// is shown in a frame that has no rights.
import { cardElement } from "./card.js";
import { h, visible } from "./dom.js";
import { bytes } from "./format.js";
import { markdown } from "./markdown.js";
import { t } from "./text.js";

const images = ["image/png", "image/jpeg", "image/webp", "image/gif", "image/avif", "image/svg+xml"];
const textSizeMax = 16_384;

function decoded(data) {
  return Uint8Array.from(atob(data ?? ""), (character) => character.charCodeAt(0));
}

function image(type, data, label) {
  const url = URL.createObjectURL(new Blob([decoded(data)], { type }));
  const free = () => URL.revokeObjectURL(url);
  return h("img", { src: url, alt: visible(label), onload: free, onerror: free });
}

function text(data) {
  return visible(new TextDecoder().decode(decoded(data).subarray(0, textSizeMax)));
}

function json(data) {
  try {
    return JSON.stringify(JSON.parse(new TextDecoder().decode(decoded(data))), null, 2);
  } catch {
    return text(data);
  }
}

/** Returns a frame with the markup of an app, which loads again when it moves. A click in it counts as one on it. */
function frame(data, label) {
  const element = h("iframe", {
    class: "content", src: "/console/frame.html", sandbox: "allow-scripts", referrerpolicy: "no-referrer",
    title: visible(label),
  });
  const markup = new TextDecoder().decode(decoded(data));
  element.addEventListener("load", () => element.contentWindow?.postMessage(markup, "*"));
  return element;
}

addEventListener("message", (event) => {
  if (event.data !== "tapped") return;
  const frames = [...document.querySelectorAll("iframe.content")];
  frames.find((element) => element.contentWindow === event.source)?.click();
});

/** Returns an element with the content of an entry, or a note if that fails; `label` describes an image. */
export function contentElement(content, label) {
  try {
    return shown(content, label);
  } catch {
    return h("p", { class: "content note" }, t("content.other"));
  }
}

function shown(content, label) {
  const type = (content?.mediaType ?? "").split(";")[0].trim().toLowerCase();
  const data = content?.data;
  if (!data) return h("p", { class: "content note" }, t("content.none"));
  if (images.includes(type)) return h("div", { class: "content" }, image(type, data, label));
  if (type === "application/vnd.microsoft.card.adaptive") {
    const card = cardElement(new TextDecoder().decode(decoded(data)), image);
    if (card) return card;
  }
  if (type === "application/json") return h("pre", {}, visible(json(data)).slice(0, textSizeMax));
  if (type === "text/html") return frame(data, label);
  if (type === "text/markdown") return h("div", { class: "content markdown", dir: "auto" }, markdown(text(data)));
  if (type === "" || type === "text/plain") {
    const [first, ...rest] = text(data).split("\n");
    return h("p", { class: "content", dir: "auto" }, h("strong", {}, first), rest.length ? `\n${rest.join("\n")}` : "");
  }
  return h("p", { class: "content note" }, visible(type), ", ", bytes(decoded(data).length), ". ", t("content.other"));
}
