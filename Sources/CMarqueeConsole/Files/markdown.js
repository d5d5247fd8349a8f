// Markdown of apps as elements: headings, lists, quotes, code, emphasis and links. Markup in it is text, images are
// their descriptions, and links are not followed.
import { h, visible } from "./dom.js";

/** The parts of a line. Their lengths are bounded, so that the time is linear. */
const span = new RegExp([/`([^`]{1,1024})`/, /\*\*([^*]{1,1024})\*\*/, /__([^_]{1,1024})__/,
  /\*([^*\s][^*]{0,1023})\*/, /\b_([^_]{1,1024})_\b/,
  /!?\[([^\]]{0,512})\]\(([^)\s]{0,1024})(?:\s[^)]{0,256})?\)/].map((one) => one.source).join("|"));
const depthMax = 8;

/** Returns the parts of a line: texts and elements. */
function inline(text, depth = 0) {
  const parts = [];
  for (let rest = text; rest; ) {
    const found = depth < depthMax && span.exec(rest);
    if (!found) return [...parts, visible(rest)];
    const [whole, code, strong, strong2, em, em2, label, href] = found;
    parts.push(visible(rest.slice(0, found.index)));
    if (code) parts.push(h("code", {}, visible(code)));
    else if (strong ?? strong2) parts.push(h("strong", {}, inline(strong ?? strong2, depth + 1)));
    else if (em ?? em2) parts.push(h("em", {}, inline(em ?? em2, depth + 1)));
    else if (whole.startsWith("!")) parts.push(visible(label));
    else parts.push(h("span", { class: "link", title: visible(href) }, inline(label || href, depth + 1)));
    rest = rest.slice(found.index + whole.length);
  }
  return parts;
}

const item = /^\s*(?:[-*+]|(\d+)[.)])\s+(.*)$/s;

/** Returns the element of consecutive lines of one kind. */
function block(kind, lines) {
  if (kind === "code") return h("pre", {}, visible(lines.join("\n")));
  if (kind === "quote") return h("blockquote", {}, inline(lines.join(" ")));
  if (kind === "ul" || kind === "ol") return h(kind, {}, lines.map((line) => h("li", {}, inline(line))));
  if (kind === "heading") return h("p", { class: "heading" }, h("strong", {}, inline(lines.join(" "))));
  return h("p", {}, inline(lines.join(" ")));
}

/** Returns the kind of a line, and the line without its mark. */
function classified(line) {
  const heading = /^#{1,6}\s+(.*?)#{0,6}$/s.exec(line);
  if (heading) return ["heading", heading[1]];
  const listed = item.exec(line);
  if (listed) return [listed[1] ? "ol" : "ul", listed[2]];
  const quote = /^>\s?(.*)$/.exec(line);
  if (quote) return ["quote", quote[1]];
  return line.trim() ? ["text", line] : ["empty", ""];
}

/** Returns the elements of a text in Markdown. */
export function markdown(text) {
  const blocks = [];
  let [kind, lines] = ["empty", []];
  const end = (next) => {
    if (kind !== "empty") blocks.push(block(kind, lines));
    [kind, lines] = [next, []];
  };
  for (const line of text.split(/\r?\n/)) {
    if (/^\s*```/.test(line)) {
      end(kind === "code" ? "empty" : "code");
    } else if (kind === "code") {
      lines.push(line);
    } else {
      const [next, content] = classified(line);
      if (next !== kind || next === "heading") end(next);
      lines.push(content);
    }
  }
  end("empty");
  return blocks;
}
