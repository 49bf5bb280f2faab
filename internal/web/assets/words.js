"use strict";
// The page's texts: WORDS, from the server, has those of every language.

const languages = Object.keys(WORDS);
let lang = document.documentElement.lang;
try {
  const kept = localStorage.getItem("taploop.lang");
  if (languages.includes(kept)) lang = kept;
} catch { /* storage may be switched off */ }

const words = () => WORDS[lang];

// nextLanguage is the one that the page's button changes to.
const nextLanguage = () => languages[(languages.indexOf(lang) + 1) % languages.length];

// fill puts values into the places of a text that name them.
const fill = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => values[name]);

// aside is a text in parentheses, "" for none.
const aside = (what) => what ? fill(words().aside, { what }) : "";

// spent says what a question has cost so far.
function spent(u) {
  const w = words(), calls = fill(w.calls[u.calls === 1 ? "one" : "other"], { n: u.calls });
  const all = { calls, sent: u.prompt_tokens, received: u.completion_tokens, seconds: (u.took_ms / 1000).toFixed(1) };
  return fill(w.spent, all) + (u.cost ? fill(w.cost, { cost: u.cost.toFixed(6) }) : "");
}

// silence says what is done when nobody answers the question, "" for nothing.
function silence(q) {
  const answer = q.fields && q.default_answer ? readable(q.fields, q.default_answer) : q.default_answer;
  return fill(words().silence[(q.on_timeout || "").split(":")[0]] || "", { answer });
}

// limits says what a field takes, "" for anything.
function limits({ min, max, type }) {
  const w = words(), from = min !== undefined, to = max !== undefined;
  if (!from && !to) return "";
  const range = fill(w.range[from && to ? (min === max ? "exactly" : "between") : from ? "least" : "most"], { min, max });
  return w.units[type] ? fill(w.units[type], { range }) : range;
}

// speak puts the words of the present language into everything that names one.
function speak() {
  document.documentElement.lang = lang;
  for (const e of document.querySelectorAll("[data-word]")) e.textContent = words()[e.dataset.word];
  document.getElementById("lang").textContent = WORDS[nextLanguage()].language;
}
