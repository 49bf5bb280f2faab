// The page's texts: WORDS, from the server, has those of every language.
import { WORDS } from "./texts.js";

const languages = Object.keys(WORDS);
let lang = document.documentElement.lang;
try {
  const kept = localStorage.getItem("taploop.lang");
  if (languages.includes(kept)) lang = kept;
} catch { /* storage may be switched off */ }

export const words = () => WORDS[lang];
export const language = () => lang;

// nextLanguage is the one that the page's button changes to.
const nextLanguage = () => languages[(languages.indexOf(lang) + 1) % languages.length];

// fill puts values into the places of a text that name them.
export const fill = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => values[name]);

// counted is a number of things by the name of their text, which has a form for one.
export const counted = (what, n) => fill(words()[what][n === 1 ? "one" : "other"], { n });

// aside is a text in parentheses, "" for none.
export const aside = (what) => what ? fill(words().aside, { what }) : "";

// spent says what a question has cost so far.
export function spent(u) {
  const w = words(), calls = counted("calls", u.calls);
  const all = { calls, sent: u.prompt_tokens, received: u.completion_tokens, took: lastingMs(u.took_ms) };
  return fill(w.spent, all) + (u.cost ? fill(w.cost, { cost: u.cost.toFixed(6) }) : "");
}

// silence says what is done when nobody answers the question, "" for nothing.
export function silence(q) {
  const answer = q.fields && q.default_answer ? readable(q.fields, q.default_answer) : q.default_answer;
  return fill(words().silence[(q.on_timeout || "").split(":")[0]] || "", { answer });
}

// limits says what a field takes, "" for anything.
export function limits({ min, max, type }) {
  const w = words(), from = min !== undefined, to = max !== undefined;
  if (!from && !to) return "";
  const range = fill(w.range[from && to ? (min === max ? "exactly" : "between") : from ? "least" : "most"], { min, max });
  return w.units[type] ? fill(w.units[type], { range }) : range;
}

// speak puts the words of the present language into everything that names one.
export function speak() {
  document.documentElement.lang = lang;
  for (const e of document.querySelectorAll("[data-word]")) e.textContent = words()[e.dataset.word];
  for (const e of document.querySelectorAll("[data-name]")) e.setAttribute("aria-label", words()[e.dataset.name]);
  document.getElementById("lang").textContent = WORDS[nextLanguage()].language;
}

// changeLanguage puts the page into its next language, and keeps that for the next visit.
export function changeLanguage() {
  lang = nextLanguage();
  try { localStorage.setItem("taploop.lang", lang); } catch { /* then it holds until the page is left */ }
  speak();
}

// ago is how long ago a time was, in words.
export function ago(at) {
  const minutes = Math.floor((Date.now() - new Date(at)) / 60000), w = words();
  if (minutes < 1) return w.now;
  if (minutes < 60) return fill(w.minutes, { n: minutes });
  return minutes < 2880 ? fill(w.hours, { n: Math.floor(minutes / 60) }) : clock(at);
}

// left is the time until at in words.
export const left = (at) => lasting(Math.max(0, Math.ceil((new Date(at) - Date.now()) / 1000)));

// lasting is a time in words: seconds, minutes or hours.
export function lasting(seconds) {
  const w = words();
  if (seconds < 90) return fill(w.seconds, { n: Math.round(seconds) });
  return seconds < 5400 ? fill(w.mins, { n: Math.round(seconds / 60) }) : fill(w.hrs, { n: Math.round(seconds / 3600) });
}

// lastingMs is what something took in words: a tenth of a second is told as long as that matters.
export const lastingMs = (ms) => ms >= 9950 ? lasting(ms / 1000) : ms < 1000 ? fill(words().millis, { n: Math.round(ms) }) : fill(words().seconds, { n: Math.round(ms / 100) / 10 });

// clock is a time of today, or a time with its day.
export function clock(at) {
  const t = new Date(at), today = t.toDateString() === new Date().toDateString();
  const day = today ? {} : { month: "short", day: "numeric" };
  return t.toLocaleString(lang, { ...day, hour: "numeric", minute: "2-digit" });
}

// channelName is a channel in words. One that the page does not know is shown by its name.
export function channelName(name) {
  const [kind, ...which] = name.split(":"); // a model may have its name there
  return Object.hasOwn(words().channels, kind) ? [words().channels[kind], ...which].join(" ") : name;
}

// consentTo is a question in words of the program's own, where it has some: of an act, and of a phone that is handed over.
export const consentTo = (q) => q.consent?.[lang] || (q.says?.[lang] ? { headline: q.says[lang] } : undefined);

// clip bounds a text of others.
export function clip(text, most = 300) {
  const all = [...text];
  return all.length > most ? all.slice(0, most).join("") + "…" : text;
}

// thousands is a number in the form of the language.
export const thousands = (n) => Number(n).toLocaleString(lang);

// readable is the answer to a form in words.
export function readable(fields, text) {
  let values;
  try { values = JSON.parse(text); } catch { return text; }
  const w = words(), word = (v) => v === true ? w.yes : v === false ? w.no : Array.isArray(v) ? v.join(", ") : String(v);
  return fields.filter((f) => Object.hasOwn(values, f.name)).map((f) => (f.label || f.name) + fill(w.said, { what: word(values[f.name]) })).join(" · ");
}
