// Text with marks (Markdown). The server reads it and sends what it stands for as a tree: a text, or an element's name, its address
// where it is a link, and what is in it. Only the elements below are made, so no text of others becomes HTML.
import { el } from "./dom.js";
import { clip } from "./words.js";

const made = new Set(["p", "em", "strong", "del", "code", "pre", "blockquote", "ul", "ol", "li", "h3", "h4", "hr", "br", "a",
  "table", "thead", "tbody", "tr", "th", "td"]);

// grown are the nodes of a tree.
export function grown(tree) {
  return (tree || []).map((n) => {
    if (typeof n === "string") return document.createTextNode(n);
    const e = el(made.has(n.tag) ? n.tag : "span");
    if (n.tag === "a" && /^https?:\/\//i.test(n.href || "")) {
      for (const [k, v] of Object.entries({ href: n.href, title: n.href, target: "_blank", rel: "noopener noreferrer nofollow" })) e.setAttribute(k, v);
    }
    e.append(...grown(n.in));
    return e;
  });
}

// marked are the nodes of a heading, the first paragraph or heading of a text, and those of the rest. A text that begins with something
// else has its words as a heading that is heard only.
export function marked(tree, text) {
  if (!tree || !tree.length) return [[document.createTextNode(text)], []];
  if (/^(p|h\d)$/.test(tree[0].tag)) return [grown(tree[0].in), grown(tree.slice(1))];
  return [[el("span", "heard", clip(spoken(tree)))], grown(tree)];
}

// spoken is a tree in words alone.
export const spoken = (tree) => (tree || []).map((n) => typeof n === "string" ? n : spoken(n.in) + (/^(em|strong|del|code|a)$/.test(n.tag) ? "" : " ")).join("").trim();
