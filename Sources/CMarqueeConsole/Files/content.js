// The content of entries. Nothing of it becomes markup: text is text, and images cannot run scripts.
import { h, visible } from "./dom.js";
import { bytes } from "./format.js";
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

/** Returns an element with the content of an entry; `label` describes an image. */
export function contentElement(content, label) {
  const type = (content?.mediaType ?? "").split(";")[0].trim().toLowerCase();
  const data = content?.data;
  if (!data) return h("p", { class: "content note" }, t("content.none"));
  if (images.includes(type)) return h("div", { class: "content" }, image(type, data, label));
  if (type === "application/json") return h("pre", {}, visible(json(data)).slice(0, textSizeMax));
  if (type === "" || type === "text/plain" || type === "text/markdown") {
    const [first, ...rest] = text(data).split("\n");
    return h("p", { class: "content", dir: "auto" }, h("strong", {}, first), rest.length ? `\n${rest.join("\n")}` : "");
  }
  return h("p", { class: "content note" }, visible(type), ", ", bytes(decoded(data).length), ". ", t("content.other"));
}
