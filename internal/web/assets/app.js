"use strict";
// The inbox: open questions, live. What logs this browser in is kept in the storage of the page's origin, where the port counts,
// and sent as a header: a cookie would go to the other servers of the host, too.

const $ = (id) => document.getElementById(id);
const cards = new Map(); // by question
const sent = new Set(); // ids of the replies of this page
const kept = new Map(); // by question: what was typed before the login ran out
const quiet = 35000; // without a sign of the server, in ms; it sends one every 15 s
let source = null; // ends the event stream; null when nobody is logged in
let watchdog = 0, again = 0, wait = 500;
let wanted = ""; // the question that the address names, until it was shown

let secret = ""; // when there is no storage, it holds until the page is left

function keep(login) {
  secret = login;
  try {
    if (login) localStorage.setItem("taploop.login", login);
    else localStorage.removeItem("taploop.login");
  } catch { /* storage may be switched off */ }
}

function login() {
  try { return localStorage.getItem("taploop.login") || secret; } catch { return secret; }
}

// ask sends a request of this browser. A login that does not hold any more is asked for.
async function ask(path, options = {}) {
  const headers = { "X-Taploop-Login": login(), "Content-Type": "application/json" };
  const r = await fetch(path, { cache: "no-store", headers, ...options });
  if (r.status === 401) showLogin();
  return r;
}

// hidden is what could turn the direction of writing, or hide what a text says; the joiners of scripts and emoji are no part of it.
const hidden = /(?![\n\t\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\u034f\u115f\u1160\u3164\uffa0\u{e0100}-\u{e01ef}]/gu;

// exact is a number of a JSON text to the digit, as JSON.stringify writes it: a whole one may be an id that no number is equal to.
const exact = (v, at) => at && JSON.rawJSON && !Number.isSafeInteger(v) && /^-?\d+$/.test(at.source) ? JSON.rawJSON(at.source) : v;

// parse is JSON.parse with every digit.
const parse = (text) => JSON.parse(text, (_, v, at) => typeof v === "number" ? exact(v, at) : v);

// read is a JSON text of the server's without what is hidden in its words: models, phones and other people wrote them.
const read = (text) => JSON.parse(text, (_, v, at) => typeof v === "string" ? v.replace(hidden, "") : typeof v === "number" ? exact(v, at) : v);

async function call(method, path, body) {
  const r = await ask(path, { method, body: JSON.stringify(body) });
  return { status: r.status, json: await r.text().then(read).catch(() => ({})) };
}

const problem = (json) => json.error ? { message: json.error.message, fields: json.fields } : { message: words().offline };

const api = {
  // reply returns what is wrong, or nothing.
  async reply(id, body) {
    sent.add(body.reply_id);
    const { status, json } = await call("POST", "/v1/inquiries/" + encodeURIComponent(id) + "/reply", body);
    if (status === 200 && json.inquiry?.status === "pending") { cards.get(id)?.late(json.inquiry); return; }
    if ([200, 409, 410].includes(status) && json.inquiry) { settle(json.inquiry); return; }
    if (status === 404) { if (remove(id)) note(() => words().unknown); return; }
    return problem(json);
  },
  async stop(session) {
    const { status, json } = await call("POST", "/v1/sessions/" + encodeURIComponent(session) + "/stop");
    if (status !== 200) return problem(json);
  },
  async steps(session) {
    const { status, json } = await call("GET", "/v1/sessions/" + encodeURIComponent(session) + "/steps?last=5");
    return status === 200 ? json.steps : [];
  },
  // picture returns an address of this page, which the caller revokes: an img sends no header.
  async picture(url) {
    const r = await ask(url);
    return r.ok ? URL.createObjectURL(await r.blob()) : "";
  },
  // phone is the serial of the session's phone, "" when there is none.
  async phone(session) {
    const { status, json } = await call("GET", "/v1/sessions/" + encodeURIComponent(session));
    return status === 200 ? json.serial : "";
  },
  live(serial, signal) { return ask("/v1/devices/" + encodeURIComponent(serial) + "/live", { signal }); },
  async input(serial, body) {
    const { status, json } = await call("POST", "/v1/devices/" + encodeURIComponent(serial) + "/input", body);
    if (status !== 200) return problem(json);
  },
  async takeover(session) {
    const { status, json } = await call("POST", "/v1/sessions/" + encodeURIComponent(session) + "/takeover");
    if (status !== 200) note(() => problem(json).message);
  },
  enlarge(url, places) {
    $("large-img").src = url;
    $("large-shot").replaceChildren($("large-img"), ...marks(places));
    $("large").showModal();
  },
};

// near tells the cards that come into view, so that a page with a thousand questions does not ask for all at once.
const near = new IntersectionObserver((seen) => {
  for (const e of seen) {
    if (!e.isIntersecting) continue;
    near.unobserve(e.target);
    const card = cards.get(e.target.dataset.id);
    if (card) card.look();
  }
}, { rootMargin: "400px" });

// inOrder is the cards from top to bottom.
const inOrder = () => [...$("open").children].map((e) => cards.get(e.dataset.id));

// show puts a question in its place: what runs out first is on top, and of two that run out together the older one. One that is
// shown already stays as it is, with what was typed.
function show(q) {
  if (cards.has(q.question_id)) cards.get(q.question_id).drafted(q);
  if (q.status !== "pending" || cards.has(q.question_id)) return;
  const card = new Card(q, api);
  if (kept.has(q.question_id)) card.type(kept.get(q.question_id));
  kept.delete(q.question_id);
  const later = (c) => runsOut(c.q) - runsOut(q) || new Date(c.q.asked_at) - new Date(q.asked_at);
  const next = inOrder().find((c) => later(c) > 0);
  cards.set(q.question_id, card);
  $("open").insertBefore(card.root, next ? next.root : null);
  near.observe(card.root);
  count();
}

function remove(id) {
  const card = cards.get(id);
  if (!card) return false;
  const hadFocus = card.root.contains(document.activeElement);
  near.unobserve(card.root);
  card.root.remove();
  card.gone();
  cards.delete(id);
  if (hadFocus && cards.size) inOrder()[0].root.focus();
  count();
  return true;
}

// settle takes a question away and says why. It may be told twice: by the answer to our request, and by an event.
function settle(q) {
  if (remove(q.question_id)) told(q);
  if (q.resolution?.remember || q.resolution?.recalled) stand();
}

// told adds a line about a question that is settled.
function told(q) {
  note(() => "“" + clip(q.text) + "”: " + reason(q) + (q.usage ? aside(spent(q.usage)) : ""), q);
}

// note adds a line, which text gives in the present language. The newest few are kept.
function note(text, q = {}) {
  const line = el("li", q.status || "", undefined, { "data-id": q.question_id || "" });
  const ok = el("button", "quiet", "", { type: "button" });
  ok.addEventListener("click", () => line.remove());
  line.append(el("span"), ok);
  line.speak = () => { line.firstChild.textContent = text(); ok.textContent = words().dismiss; };
  line.speak();
  $("settled").prepend(line);
  while ($("settled").children.length > 5) $("settled").lastChild.remove();
}

function clip(text) {
  const all = [...text];
  return all.length > 300 ? all.slice(0, 300).join("") + "…" : text;
}

function reason(q) {
  const w = words(), r = q.resolution || {};
  const model = r.authority === "agent" && r.by;
  const who = model ? fill(w.model, r) : r.reply_id && sent.has(r.reply_id) ? w.you :
    fill(w.through, { who: r.by || r.authority || "?", channel: channelName(r.channel || "?") });
  const said = q.secret ? "" : r.response || "";
  if (r.type === "delegate") return fill(w.delegated, { who });
  const what = clip(q.fields && q.fields.length ? readable(q.fields, said) : said);
  const say = (text, what) => fill(text, { who }) + (what ? fill(w.said, { what }) : "");
  switch (q.status) {
    case "answered":
      return say(model ? w.decided : w.answered, what) + (r.unedited_draft_of ? fill(w.unedited, { by: r.unedited_draft_of }) : "") +
        aside(r.recalled && w.recalled);
    case "refused": return say(w.refused, what);
    case "withdrawn": return say(w.withdrawn, r.why);
    case "timed_out": return w.timedOut + (r.type === "default_answer" && what ? fill(w.agreed, { what }) : "");
    default: return w.expired;
  }
}

function count() {
  $("count").textContent = cards.size;
  $("count").hidden = cards.size === 0;
  $("empty").hidden = cards.size !== 0 || !source;
  $("keys").hidden = cards.size === 0;
  document.title = (cards.size ? "(" + cards.size + ") " : "") + "taploop";
}

// snapshot makes the page what the server says. Of questions that are not open any more the server is asked why.
async function snapshot(s) {
  const there = new Set(s.inquiries.map((q) => q.question_id));
  s.inquiries.forEach(show);
  atWork.clear();
  (s.sessions || []).forEach(stands);
  drawWork();
  stand();
  for (const id of [...cards.keys()]) {
    if (!there.has(id)) await lookUp(id, settle, () => remove(id));
  }
  await select();
}

// select goes to the question that the address names. Of one that is not open any more it says how it was settled.
async function select() {
  const id = wanted;
  if (!id || !source) return;
  wanted = "";
  const card = cards.get(id);
  if (card) {
    card.root.scrollIntoView({ block: "start" });
    card.root.focus({ preventScroll: true });
    return;
  }
  await lookUp(id, told, () => note(() => words().unknown));
}

// lookUp asks what became of a question that is not among the open ones. It calls nothing when it is open after all, or the server
// does not say.
async function lookUp(id, settled, unknown) {
  const { status, json } = await call("GET", "/v1/inquiries/" + encodeURIComponent(id)).catch(() => ({}));
  if (status === 200 && json.status !== "pending") settled(json);
  else if (status === 404) unknown();
}

const atWork = new Map(); // sessions whose phone a person can take over
const takeable = (state) => state === "RUNNING" || state.startsWith("WAITING_") && state !== "WAITING_TAKEOVER";

// stands notes how a session stands.
function stands(s) {
  if (s.run && takeable(s.run.state)) atWork.set(s.session_id, s);
  else atWork.delete(s.session_id);
  drawWork();
}

// drawWork lists the tasks that are under way, each with a button that takes its phone over. A button that has the focus stays.
function drawWork() {
  const list = $("work-list"), focus = document.activeElement?.dataset.session;
  list.replaceChildren(...[...atWork.values()].map((s) => {
    const line = el("li"), b = el("button", "", words().takeOver, { type: "button", "data-session": s.session_id });
    b.setAttribute("aria-label", words().takeOver + ": " + clip(s.run.task));
    b.addEventListener("click", async () => { b.disabled = true; await api.takeover(s.session_id).catch(() => {}); b.disabled = false; });
    line.append(el("span", "task", clip(s.run.task)), el("span", "phone", s.serial), b);
    return line;
  }));
  $("work").hidden = !atWork.size || !source;
  for (const b of list.querySelectorAll("button")) if (focus && b.dataset.session === focus) b.focus();
}

let standing = []; // what is done without asking, and the answers that are used again

// stand asks for what holds, and draws it.
async function stand() {
  if (!source) return;
  const get = (path) => call("GET", path).catch(() => ({})), [grants, answers] = await Promise.all([get("/v1/grants"), get("/v1/answers")]);
  if (grants.status !== 200 || answers.status !== 200) return;
  const end = (path, body) => async () => { await call("POST", path, body).catch(() => {}); await stand(); };
  standing = [
    ...grants.json.grants.map((g) => [() => granted(g), end("/v1/grants/end", { scope: g.scope, name: g.name })]),
    ...answers.json.answers.map((a) => [() => remembered(a), end("/v1/answers/" + encodeURIComponent(a.id) + "/forget")]),
  ];
  drawStanding();
}

function granted(g) {
  const w = words();
  return fill(w.granted, { what: fill(w.grants[g.scope], g), until: clock(g.until) }) + aside(g.by);
}

function remembered(a) {
  const w = words(), scope = fill(w.rememberedIn[a.scope], { name: a.scope === "session" ? a.session_id : a.app });
  return fill(w.remembered, { question: clip(a.question), answer: clip(a.answer), scope, at: clock(a.at) }) + aside(a.by);
}

function drawStanding() {
  const w = words();
  $("standing-list").replaceChildren(...standing.map(([line, end]) => {
    const item = el("li"), b = el("button", "", w.endIt, { type: "button" });
    b.setAttribute("aria-label", w.endIt + ": " + line());
    b.addEventListener("click", () => { b.disabled = true; end(); });
    item.append(el("span", "task", line()), b);
    return item;
  }));
  $("standing").hidden = !standing.length || !source;
}

const heard = {
  snapshot, "session.state": stands, "inquiry.created": show, "inquiry.drafted": show, "inquiry.resolved": settle, "inquiry.withdrawn": settle, "inquiry.expired": settle,
  step(s) { for (const c of cards.values()) if (c.q.session_id === s.session_id) c.addSteps([s]); },
};

async function connect() {
  clearTimeout(again);
  source?.abort();
  const mine = source = new AbortController();
  alive(false);
  await listen(mine.signal).catch(() => {});
  if (mine === source) lost();
}

// listen reads the event stream until it ends. An EventSource sends no header.
async function listen(signal) {
  const r = await ask("/v1/events", { headers: { "X-Taploop-Login": login() }, signal });
  if (!r.ok) return;
  alive(true);
  const reader = r.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let rest = ""; ;) {
    const { value, done } = await reader.read();
    if (done) return;
    const events = (rest + value).split("\n\n");
    rest = events.pop();
    events.forEach(hear);
  }
}

function hear(lines) {
  alive(true);
  const event = Object.fromEntries(lines.split("\n").map((line) => line.split(/: (.*)/)));
  if (!Object.hasOwn(heard, event.event)) return;
  try {
    heard[event.event](read(event.data));
  } catch (e) { reportError(e); }
}

// alive notes a sign of the server. Silence is a lost connection too: a phone that slept is told nothing.
function alive(sign) {
  clearTimeout(watchdog);
  watchdog = setTimeout(() => source?.abort(), quiet);
  if (!sign) return;
  wait = 500;
  link(true);
  $("login").hidden = true;
  $("logout").hidden = false;
}

// lost greys the page and tries again, slower each time.
function lost() {
  clearTimeout(watchdog);
  clearTimeout(again);
  link(false);
  again = setTimeout(connect, wait);
  wait = Math.min(wait * 2, 10000);
}

function link(up) {
  document.body.classList.toggle("lost", !up);
  $("stale").hidden = up;
  $("link").textContent = up ? words().connected : words().connecting;
  count();
}

function showLogin() {
  source?.abort();
  source = null;
  clearTimeout(watchdog);
  clearTimeout(again);
  for (const [id, card] of [...cards]) {
    if (!card.q.secret) kept.set(id, card.typed());
    remove(id);
  }
  $("settled").replaceChildren();
  $("work").hidden = $("standing").hidden = true;
  document.body.classList.remove("lost");
  $("stale").hidden = true;
  $("link").textContent = "";
  $("login").hidden = false;
  $("logout").hidden = true;
  count();
}

let refused = () => ""; // why a link logs nobody in, in the present language

// enter reads the address: #login=CODE, #question=ID, or both. The code is taken out at once, so that it stays in no history,
// and traded for a login. It tells whether the page has to connect anew.
async function enter() {
  const hash = new URLSearchParams(location.hash.slice(1)), code = hash.get("login");
  wanted = hash.get("question") || wanted;
  if (!code) return false;
  history.replaceState(null, "", location.pathname + (wanted ? "#question=" + encodeURIComponent(wanted) : ""));
  const { status, json } = await call("POST", "/ui/login", { code }).catch(() => ({}));
  if (status === 200) keep(json.login);
  refused = () => status === 200 ? "" : !json?.error ? words().offline :
    json.error.code === "LINK_USED" ? words().linkUsed : json.error.message;
  $("login-error").textContent = refused();
  return true;
}

function keys(e) {
  if (e.target.closest(".live-screen")) return; // they are for the phone
  if (e.ctrlKey || e.metaKey || e.altKey || /^(INPUT|TEXTAREA|SELECT)$/.test(e.target.tagName)) {
    if (e.key === "Escape") e.target.closest("article")?.focus();
    return;
  }
  const all = inOrder(), at = all.findIndex((c) => c.root.contains(document.activeElement));
  if (e.key === "j" && all.length) all[Math.min(at + 1, all.length - 1)].root.focus();
  else if (e.key === "k" && all.length) all[Math.max(at - 1, 0)].root.focus();
  else if (e.key === "a" && at >= 0) all[at].enter();
  else if (e.key === "d" && at >= 0) all[at].sendDraft();
  else if (/^[1-9]$/.test(e.key) && at >= 0) all[at].choose(Number(e.key) - 1);
  else return;
  e.preventDefault();
}

document.addEventListener("keydown", keys);
$("lang").addEventListener("click", () => {
  lang = nextLanguage();
  try { localStorage.setItem("taploop.lang", lang); } catch { /* then it holds until the page is left */ }
  speak();
  $("login-error").textContent = refused();
  if (source) link(!document.body.classList.contains("lost"));
  for (const c of cards.values()) c.draw();
  drawWork();
  drawStanding();
  for (const line of $("settled").children) line.speak();
});
$("logout").addEventListener("click", async () => { await call("POST", "/ui/logout").catch(() => ({})); keep(""); showLogin(); kept.clear(); });
// A link opened in this very tab.
addEventListener("hashchange", () => enter().then((anew) => anew ? connect() : select()));
// Whoever logs in in another tab and comes back here is logged in here, too.
document.addEventListener("visibilitychange", () => { if (!document.hidden && !source) connect(); });
$("large").addEventListener("click", () => $("large").close());
setInterval(() => { if (!document.hidden) for (const c of cards.values()) c.tick(); }, 5000);
setInterval(() => { if (!document.hidden) stand(); }, 15000);
speak();
enter().then(connect);
