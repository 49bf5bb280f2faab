// The questions that wait for a person: a card each, and a list of those that are settled.
import { act, call, live, input, phone, picture, problem, sessionPath, steps } from "./api.js";
import { marks } from "./approval.js";
import { Card, runsOut } from "./card.js";
import { el, newID, unfocused } from "./dom.js";
import { listening } from "./feed.js";
import { spoken } from "./marked.js";
import { aside, channelName, clip, consentTo, fill, language, left, readable, silence, spent, words } from "./words.js";

const $ = (id) => document.getElementById(id);
export const cards = new Map(); // by question
const sent = new Set(); // ids of the replies of this page
const kept = new Map(); // by question: what was typed before the login ran out
let wanted = ""; // the question that the address names, until it was shown
let current = ""; // the question whose card is shown where there is room for one beside the list

// watch has a function called when a question has gone, with it. The returned function ends that.
const watchers = new Set();
export function watch(f) {
  watchers.add(f);
  return () => watchers.delete(f);
}

export const want = (id) => { wanted = id || wanted; };
export const wants = () => wanted;

const questionPath = (id, what = "") => "/v1/inquiries/" + encodeURIComponent(id) + what;

const api = {
  live, input, phone, picture, steps,
  // reply returns what is wrong, or nothing.
  async reply(id, body) {
    sent.add(body.reply_id);
    const { status, json } = await call("POST", questionPath(id, "/reply"), body);
    if (status === 200 && json.inquiry?.status === "pending") { cards.get(id)?.late(json.inquiry); return; }
    if ([200, 409, 410].includes(status) && json.inquiry) { settle(json.inquiry); return; }
    if (status === 404) { if (remove(id)) note(() => words().unknown); return; }
    return problem(json);
  },
  stop: (session) => act(sessionPath(session, "/stop")),
  // marked is a text as a tree.
  marked: async (text) => (await call("POST", "/v1/markdown", { text }).catch(() => ({})))?.json?.markdown || [text],
  enlarge(url, places) {
    $("large-img").src = url;
    $("large-shot").replaceChildren($("large-img"), ...marks(places));
    $("large").showModal();
  },
};

// decide answers a question with one of its offers. It returns what is wrong, or nothing.
export const decide = (id, type) => api.reply(id, { type: "decisions", decisions: [{ type }], reply_id: newID() });

// near tells the cards that come into view, so that a page with a thousand questions does not ask for all at once.
const near = new IntersectionObserver((seen) => {
  for (const e of seen) {
    if (!e.isIntersecting) continue;
    near.unobserve(e.target);
    cards.get(e.target.dataset.id)?.look();
  }
}, { rootMargin: "400px" });

// inOrder is the cards from top to bottom.
export const inOrder = () => [...$("open").children].map((e) => cards.get(e.dataset.id));

// later orders questions: what a person is to approve comes first, then what runs out first, then what is older.
const later = (a, b) => (b.kind === "approval") - (a.kind === "approval") || runsOut(a) - runsOut(b) ||
  new Date(a.asked_at) - new Date(b.asked_at);

// The card or the form that has the focus stays where it is on the screen, whatever changes above it. Browsers do so for what is
// at the top of the screen.
let steady = null; // that card or form, and where on the page it is
function hold() {
  const card = document.activeElement?.closest("#open > article, #home form") || null;
  const top = card ? card.getBoundingClientRect().top + window.scrollY : 0;
  document.body.style.overflowAnchor = card ? "none" : "";
  const y = window.scrollY, moved = card && card === steady?.card ? top - steady.top : 0;
  if (moved) window.scrollBy({ top: moved, behavior: "instant" });
  steady = { card, top: top - Math.max(0, moved - window.scrollY + y) }; // a page that was too short makes up for it later
}
if ($("home")) { // which an exported page has not
  document.addEventListener("focusin", hold);
  new ResizeObserver(hold).observe($("home"));
}

export function show(q) {
  put(q);
  count();
}

// put puts a question in its place. One that is shown already stays as it is, with what was typed.
function put(q) {
  if (cards.has(q.question_id)) cards.get(q.question_id).drafted(q);
  if (q.status !== "pending" || cards.has(q.question_id)) return;
  const card = new Card(q, api);
  if (kept.has(q.question_id)) card.type(kept.get(q.question_id));
  kept.delete(q.question_id);
  const next = inOrder().find((c) => later(c.q, q) > 0);
  cards.set(q.question_id, card);
  $("open").insertBefore(card.root, next ? next.root : null);
  near.observe(card.root);
}

// take takes a card off the page.
function take(card) {
  near.unobserve(card.root);
  card.root.remove();
  card.gone();
  cards.delete(card.q.question_id);
}

function remove(id) {
  const card = cards.get(id);
  if (!card) return false;
  const hadFocus = card.focused && unfocused() || card.root.contains(document.activeElement);
  take(card);
  count();
  if (hadFocus && cards.size) go(cards.get(current));
  return hadFocus ? "focused" : "there";
}

// go opens a card and puts the focus on it.
export function go(card) {
  current = card.q.question_id;
  count();
  card.root.focus();
}

// settle takes a question away and says why. It may be told twice: by the answer to our request, and by an event.
export function settle(q) {
  const was = remove(q.question_id);
  if (was) told(q);
  if (was === "focused" && unfocused()) $("settled").firstChild?.focus(); // no question is left: to what came of this one
  for (const f of watchers) f(q);
}

// told adds a line about a question that is settled.
function told(q) {
  note(() => "“" + clip(headline(q) || q.text) + "”" + fill(words().said, { what: reason(q) }) + (q.usage ? aside(spent(q.usage)) : ""), q);
}

// note adds a line, which text gives in the present language. The newest few are kept.
function note(text, q = {}) {
  const line = el("li", q.status || "", undefined, { "data-id": q.question_id || "", tabindex: "-1" });
  const ok = el("button", "quiet", "", { type: "button" });
  ok.addEventListener("click", () => { line.remove(); count(); });
  line.append(el("span"), ok);
  line.speak = () => { line.firstChild.textContent = text(); ok.textContent = words().dismiss; };
  line.speak();
  $("settled").prepend(line);
  while ($("settled").children.length > 5) $("settled").lastChild.remove();
  count();
}

// reason says how a question was settled.
export function reason(q) {
  const w = words(), r = q.resolution || {};
  const model = r.authority === "agent" && r.by;
  const who = model ? fill(w.model, r) : r.reply_id && sent.has(r.reply_id) ? w.you :
    fill(w.through, { who: r.by || w.authorities[r.authority] || r.authority || "?", channel: channelName(r.channel || "?") });
  const said = q.secret ? "" : r.response || "";
  if (r.type === "delegate") return fill(w.delegated, { who });
  const decided = (r.decisions || []).map((d) => (w.decisions[d.type] || w.offers[d.type] || d.type) + (d.message ? fill(w.said, { what: d.message }) : ""));
  const what = clip(decided.join("; ") || (q.fields && q.fields.length ? readable(q.fields, said) : said));
  const say = (text, what) => fill(text, { who }) + (what ? fill(w.said, { what }) : "");
  if (q.status === "answered" && decided.length && r.decisions.every((d) => d.type === "approve")) return fill(w.approved, { who });
  switch (q.status) {
    case "answered":
      if (r.type === "could_not") return say(w.couldNot, what);
      return say(model ? w.decided : w.answered, what) + (r.unedited_draft_of ? fill(w.unedited, { by: r.unedited_draft_of }) : "") +
        aside(r.recalled && w.recalled);
    case "refused": return say(w.refused, what);
    case "withdrawn": return say(w.withdrawn, r.why);
    case "timed_out": return w.timedOut + (r.type === "default_answer" && what ? fill(w.agreed, { what }) : "");
    default: return w.expired;
  }
}

const headline = (q) => consentTo(q)?.headline;

// title is what a question is called in a list.
export const title = (q) => headline(q) || spoken(q.markdown) || q.text;

// queue lists the questions beside the open one. A button that has the focus stays.
function queue() {
  const focus = document.activeElement?.dataset.open;
  $("queue").replaceChildren(...inOrder().map((c) => {
    const id = c.q.question_id, item = el("li"), b = el("button", "pick", undefined, { type: "button", "data-open": id });
    if (id === current) b.setAttribute("aria-current", "true");
    if (words().kinds[c.q.kind]) b.append(el("span", "kind " + c.q.kind, words().kinds[c.q.kind]));
    b.append(el("span", "what", clip(title(c.q), 120)), el("span", "left", silence(c.q) ? left(c.q.attention_until) : ""));
    b.addEventListener("click", () => go(c));
    item.append(b);
    return item;
  }));
  if (focus) $("queue").querySelector('[data-open="' + CSS.escape(focus) + '"]')?.focus();
}

export function count() {
  const n = cards.size;
  if (!cards.has(current)) current = inOrder()[0]?.q.question_id || "";
  for (const c of cards.values()) c.root.classList.toggle("current", c.q.question_id === current);
  queue();
  $("waiting").classList.toggle("many", n > 1);
  $("count").textContent = n;
  $("count").hidden = n === 0;
  $("empty").hidden = n !== 0 || !listening();
  $("keys").hidden = n === 0;
  $("answered").hidden = !$("settled").children.length;
  document.title = (n ? "(" + n + ") " : "") + "taploop";
}

// snapshot makes the cards what the server says. Of questions that are not open any more the server is asked why.
export async function snapshot(s) {
  const there = new Set(s.inquiries.map((q) => q.question_id));
  const open = cards.get(current); // none yet, when the page has just come
  s.inquiries.forEach(put);
  for (const c of cards.values()) if (c.problem.textContent === words().offline) c.problem.textContent = "";
  current = (open || inOrder().find((c) => c.touched()))?.q.question_id;
  count();
  for (const id of [...cards.keys()]) {
    if (!there.has(id)) await lookUp(id, settle, () => remove(id));
  }
  await select();
}

// select goes to the question that the address names. Of one that is not open any more it says how it was settled.
export async function select() {
  const id = wanted;
  if (!id || !listening()) return;
  wanted = "";
  const card = cards.get(id);
  if (!card) return lookUp(id, told, () => note(() => words().unknown));
  current = id;
  count();
  card.root.scrollIntoView({ block: "start" });
  card.root.focus({ preventScroll: true });
}

// lookUp asks what became of a question that is not among the open ones. It calls nothing when it is open after all, or the server
// does not say.
async function lookUp(id, settled, unknown) {
  const { status, json } = await call("GET", questionPath(id)).catch(() => ({}));
  if (status === 200 && json.status !== "pending") settled(json);
  else if (status === 404) unknown();
}

// leave takes all questions off the page, and keeps what was typed but secrets.
export function leave() {
  for (const [id, card] of [...cards]) {
    if (!card.q.secret) kept.set(id, card.typed());
    take(card);
  }
  $("settled").replaceChildren();
  count();
}

export const forget = () => kept.clear();

export function step(s) {
  for (const c of cards.values()) if (c.q.session_id === s.session_id) c.addSteps([s]);
}

export function speak() {
  for (const c of cards.values()) c.draw();
  for (const line of $("settled").children) line.speak();
  count();
}

export function tick() {
  for (const c of cards.values()) c.tick();
}

export function keys(e) {
  if (e.target.closest(".live-screen")) return; // they are for the phone
  if (e.ctrlKey || e.metaKey || e.altKey || /^(INPUT|TEXTAREA|SELECT)$/.test(e.target.tagName)) {
    if (e.key === "Escape") e.target.closest("article")?.focus();
    return;
  }
  const all = inOrder(), at = all.findIndex((c) => c.root.contains(document.activeElement)), open = all[at] || cards.get(current);
  if (e.key === "j" && all.length) go(all[Math.min(at + 1, all.length - 1)]);
  else if (e.key === "k" && all.length) go(all[Math.max(at - 1, 0)]);
  else if (e.key === "a" && open) open.enter();
  else if (e.key === "d" && at >= 0) all[at].sendDraft();
  else if (/^[1-9]$/.test(e.key) && at >= 0) all[at].choose(Number(e.key) - 1);
  else return;
  e.preventDefault();
}
