// The home page: tasks are begun here, and what runs is seen and steered.
import { alone } from "./api.js";
import { unfocused } from "./dom.js";
import { useEffect, useRef, useState } from "./hooks.js";
import { cards, decide, go } from "./inbox.js";
import { endGrant, forget, goOn, grant, isOver, model, pause, say, start, stop, takeOver } from "./model.js";
import { Badge, Frame, LivePicture, Stop, Why, Wrong, html, said, useBusy, why } from "./view.js";
import { ago, aside, clip, clock, counted, fill, language, lasting, thousands, words } from "./words.js";

const mostLive = 3; // a browser has few connections to a server
const usable = (p) => p.usable;
const held = (p) => p.holder || holderOf(p);

// tasks are those that were given last, each once.
const tasks = () => [...new Set([...model.sessions.values(), ...model.recent].map((s) => s.run?.task).filter(Boolean))].slice(0, 4);

export function Start({ device, onStart }) {
  const w = words(), [task, setTask] = useState(""), [phone, setPhone] = useState(device || ""), [busy, wrong, run] = useBusy(), begun = useRef("");
  useEffect(() => { // the focus goes to the task that was begun, once it is there
    const e = begun.current && document.querySelector('[data-session="' + CSS.escape(begun.current) + '"] h3 a');
    if (!e) return;
    begun.current = "";
    if (unfocused() || document.activeElement.closest(".start")) e.focus();
  });
  const send = (more) => task.trim() && run(async () => {
    const [id, problem] = await start(task.trim(), phone, more);
    if (id) { setTask(""); begun.current = id; onStart?.(id); }
    return problem;
  });
  const submit = (e) => { e.preventDefault(); send(); };
  const keys = (e) => { if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) submit(e); };
  return html`<form class="start panel" onSubmit=${submit}>
    <label for="task">${w.taskBox}</label>
    <textarea id="task" class="grows" rows="2" maxlength="20000" placeholder=${w.taskHint} value=${task} onInput=${(e) => setTask(e.target.value)} onKeyDown=${keys}></textarea>
    ${!task && tasks().length ? html`<div class="again"><span>${w.taskAgain}</span>${tasks().map((t) =>
      html`<button type="button" class="chip" onClick=${() => setTask(t)}>${clip(t, 60)}</button>`)}</div>` : ""}
    <div class="row">
      <${PhoneBox} id="phone" phone=${phone} set=${setPhone} />
      <button class="main" disabled=${busy}>${w.start}</button>
    </div>
    <${Wrong} wrong=${wrong} queue=${send} take=${send} other=${() => document.getElementById("phone").focus()} />
  </form>`;
}

// PhoneBox is the list of the phones on which a task can be done.
export function PhoneBox({ id, phone, set }) {
  const w = words();
  return html`<label for=${id}>${w.phoneBox}</label>
    <select id=${id} value=${phone} onChange=${(e) => set(e.target.value)}><option value="">${w.anyPhone}</option>
      ${(model.phones || []).filter(usable).map((p) => html`<option value=${p.device_id} selected=${p.device_id === phone}>${phoneName(p)}${aside(held(p) ? w.phoneHeld : p.cordoned ? w.cordoned : "")}</option>`)}</select>`;
}

export const phoneName = (p) => p.model && p.model !== p.device_id ? p.model + " · " + p.device_id : p.device_id;

// Elapsed is how long a run has been under way.
function Elapsed({ since }) {
  const [, tick] = useState(0);
  useEffect(() => { const t = setInterval(() => tick((n) => n + 1), 1000); return () => clearInterval(t); }, []);
  return html`<span>${lasting(Math.max(0, (Date.now() - new Date(since)) / 1000))}</span>`;
}

// Steer is what can be done with a run that is under way.
export function Steer({ s }) {
  const w = words(), [text, setText] = useState(""), [heard, setHeard] = useState(""), [busy, wrong, run] = useBusy();
  const { state } = s.run, rests = state === "PAUSED", id = "say-" + s.session_id, onPhone = !!s.serial;
  const wanted = useRef(false), hand = [...cards.values()].find(({ q }) => q.by_hand && q.session_id === s.session_id), byHand = hand?.q;
  useEffect(() => { // who takes over is led to the screen
    if (!hand || !wanted.current) return;
    wanted.current = false;
    go(hand);
  });
  const speak = async (e) => {
    e.preventDefault();
    if (text.trim() && await run(() => say(s.session_id, text.trim()))) { setHeard(text.trim()); setText(""); }
  };
  return html`<div class="steer">
    <form class="say" onSubmit=${speak}>
      <label class="heard" for=${id}>${w.saySomething}</label>
      <input id=${id} type="text" maxlength="2000" autocomplete="off" placeholder=${w.saySomething} value=${text} onInput=${(e) => setText(e.target.value)} />
      <button disabled=${busy}>${w.send}</button>
    </form>
    <p class="told" role="status">${heard ? fill(w.saidIt, { what: clip(heard, 80) }) : ""}</p>
    <div class="row">
      ${["PAUSED", "RUNNING", "QUEUED"].includes(state) ? html`<button type="button" key="pause" class=${rests ? "main" : ""} disabled=${busy} onClick=${() => run(() => (rests ? goOn : pause)(s.session_id))}>${rests ? w.goOn : w.pauseRun}</button>` : ""}
      ${onPhone && takeable(state) ? html`<button type="button" disabled=${busy} onClick=${() => { wanted.current = true; run(() => takeOver(s.session_id)); }}>${w.takeOver}</button>` : ""}
      ${byHand ? byHand.offers.map((o) => html`<button type="button" key=${o.name} class=${o.main ? "main" : ""} disabled=${busy} onClick=${() => run(() => decide(byHand.question_id, o.name))}>${w.offers[o.name] || o.name}</button>`) : ""}
      <${Stop} busy=${busy} act=${() => run(() => stop(s.session_id))} />
    </div>
    <${Wrong} wrong=${wrong} queue=${rests && ((more) => run(() => goOn(s.session_id, more)))} />
  </div>`;
}

export const takeable = (state) => state === "RUNNING" || state.startsWith("WAITING_") && state !== "WAITING_TAKEOVER";

// Running is a list of the runs that are under way.
export function Running() {
  const w = words(), all = [...model.sessions.values()].filter((s) => !isOver(s.run));
  if (!all.length) return html`<p class="none">${w.nothingRuns}</p>`;
  const lively = all.filter((s) => s.serial && s.run.state === "RUNNING").slice(0, mostLive);
  return html`<ul class="runs">${all.map((s) => html`<li key=${s.session_id} class="run-card" data-session=${s.session_id}>
    <a class="see" href=${"/ui/sessions/" + encodeURIComponent(s.session_id)} aria-label=${w.openSession + " " + clip(s.run.task, 80)}>
      ${lively.includes(s) ? html`<${LivePicture} serial=${s.serial} alt="" />` :
      s.step && s.step.screenshot_url ? html`<${Frame} url=${s.step.screenshot_url} alt="" />` : html`<span class="noshot"></span>`}</a>
    <div class="about">
      <h3 dir="auto"><a href=${"/ui/sessions/" + encodeURIComponent(s.session_id)}>${clip(s.run.task, 200)}</a></h3>
      <p class="facts"><${Badge} run=${s.run} />${s.serial ? html`<a href=${"/ui/phones/" + encodeURIComponent(s.serial)}>${s.serial}</a>` : ""}
        <${Elapsed} since=${s.run.created_at} />${s.run.tokens ? html`<span>${fill(w.tokens, { n: thousands(s.run.tokens) })}</span>` : ""}</p>
      <p class="now" dir="auto">${s.step ? s.step.index + ". " + clip(said(s.step), 300) : w.beginning}</p>
      <${Why} run=${s.run} kind="problem" />
      <${Steer} s=${s} />
    </div></li>`)}</ul>`;
}

// Phones is a list of the phones that there are.
export function Phones() {
  const w = words();
  if (!model.phones) return html`<p class="none">${model.phonesWrong || w.connecting}</p>`;
  if (!model.phones.length) return html`<p class="none">${model.phonesWrong || w.noPhones}</p>`;
  return html`${model.phonesWrong ? html`<p class="problem">${model.phonesWrong}</p>` : ""}<ul class="phones">${model.phones.map((p) => html`<li key=${p.device_id} data-free=${p.usable && !held(p) ? "" : undefined}>
    <a class="name" href=${"/ui/phones/" + encodeURIComponent(p.device_id)}>${phoneName(p)}</a>
    <${PhoneFacts} p=${p} /></li>`)}</ul>`;
}

// holderOf is the session that has a phone.
const holderOf = (p) => [...model.sessions.values()].find((s) => s.serial === p.device_id && !isOver(s.run));

// PhoneFacts is how a phone stands, and what it shows.
export function PhoneFacts({ p }) {
  const w = words(), by = holderOf(p);
  const [tone, stands] = !p.usable ? ["bad", w.phoneStates[p.state] || p.state || "?"] : held(p) ? ["main", w.phoneHeld] : p.cordoned ? ["open", w.cordoned] : ["good", w.phoneFree];
  return html`<span class=${"badge " + tone}>${stands}</span>
    <span class="facts">${[
    p.worker ? fill(w.atMachine, { name: clip(p.worker, 60) }) : "",
    p.cordoned && stands !== w.cordoned ? w.cordoned : "",
    by ? fill(w.heldBy, { what: clip(by.run.task, 60) }) : p.holder ? fill(w.heldBy, { what: w.somebody }) : "",
    p.battery ? fill(w.battery, { n: p.battery }) : "",
    p.app ? fill(w.inFront, { app: p.app_names?.[language()] || p.app }) : "",
    p.display === "off" ? w.displayOff : p.display === "locked" ? w.displayLocked : "",
  ].filter(Boolean).map((t) => html`<span>${t}</span>`)}</span>`;
}

// Results is a list of sessions with their outcomes.
export function Results({ list }) {
  const w = words();
  if (!list.length) return html`<p class="none">${w.noResults}</p>`;
  return html`<ul class="results">${list.map((s) => html`<li key=${s.session_id}>
    <a class="name" dir="auto" href=${alone ? s.session_id + ".html" : "/ui/sessions/" + encodeURIComponent(s.session_id)}>${clip(s.run ? s.run.task : s.session_id, 160)}</a>
    <${Badge} run=${s.run} />
    <span class="facts">${s.serial ? html`<span>${s.serial}</span>` : ""}<span>${ago(s.updated_at)}</span>${s.run ? html`<span>${counted("steps", s.run.steps)}</span>` : ""}</span>
    ${s.run && (s.run.answer || why(s.run)) ? html`<span class="answer" dir="auto">${clip(s.run.answer || why(s.run), 200)}</span>` : ""}</li>`)}</ul>`;
}

// Standing is what goes on without asking, and how it is begun.
export function Standing() {
  const w = words(), [busy, wrong, run] = useBusy();
  const line = (text, end) => html`<li><span class="task">${text}</span><button type="button" disabled=${busy} aria-label=${w.endIt + fill(w.said, { what: text })} onClick=${() => run(end)}>${w.endIt}</button></li>`;
  return html`<ul id="standing-list">
      ${model.grants.map((g) => line(granted(g), () => endGrant(g)))}
      ${model.answers.map((a) => line(remembered(a), () => forget(a.id)))}</ul>
    ${model.grants.length || model.answers.length ? "" : html`<p class="none">${w.nothingStands}</p>`}
    <${Wrong} wrong=${wrong} /><${Give} />`;
}

function granted(g) {
  const w = words();
  return fill(w.granted, { what: fill(w.grants[g.scope], { name: g.scope === "app" && [...knownApps().values()].find(([, pkg]) => pkg === g.name)?.[0] || g.name }), until: clock(g.until) }) + aside(g.by);
}

function remembered(a) {
  const w = words(), scope = fill(w.rememberedIn[a.scope], { name: a.scope === "session" ? a.session_id : a.app });
  return fill(w.remembered, { question: clip(a.question), answer: clip(a.answer), scope, at: clock(a.at) }) + aside(a.by);
}

// knownApps are the apps that phones and runs show now, with their names and packages, by the names in lower case.
function knownApps() {
  const seen = [...model.phones || [], ...[...model.sessions.values()].map((s) => s.step || {})].filter((x) => x.app && x.app_names);
  return new Map(seen.map((x) => [x.app_names[language()].toLowerCase(), [x.app_names[language()], x.app]]));
}

// Give is a form that gives leave to go on without asking: in what, and for how long.
function Give() {
  const w = words(), [open, setOpen] = useState(false), [what, setWhat] = useState(""), [app, setApp] = useState(""), [minutes, setMinutes] = useState("15");
  const [busy, wrong, run] = useBusy(), sessions = [...model.sessions.values()];
  const give = async (e) => {
    e.preventDefault();
    const [scope, name] = what === "app" ? ["app", knownApps().get(app.trim().toLowerCase())?.[1] || app.trim()] : what === "all" ? ["all", ""] : ["session", what];
    if (await run(() => grant({ scope, name, minutes: Number(minutes) }))) setOpen(false);
  };
  if (!open) return html`<button type="button" onClick=${() => { setOpen(true); setWhat(sessions[0]?.session_id || "app"); }}>${w.giveLeave}</button>`;
  return html`<form class="give" onSubmit=${give}>
    <p>${w.giveHow}</p>
    <div class="row">
      <label for="give-what">${w.giveWhat}</label>
      <select id="give-what" value=${what} onChange=${(e) => setWhat(e.target.value)}>
        ${sessions.map((s) => html`<option value=${s.session_id}>${fill(w.grants.session, { name: clip(s.run.task, 40) })}</option>`)}
        <option value="app">${w.oneApp}</option><option value="all">${w.grants.all}</option></select>
      ${what === "app" ? html`<label for="give-app">${w.appBox}</label><input id="give-app" type="text" list="give-apps" placeholder=${w.appHow} required autocomplete="off" value=${app} onInput=${(e) => setApp(e.target.value)} />
        <datalist id="give-apps">${[...knownApps().values()].map(([name]) => html`<option value=${name} />`)}</datalist>` : ""}
      <label for="give-time">${w.giveTime}</label>
      <select id="give-time" value=${minutes} onChange=${(e) => setMinutes(e.target.value)}>
        ${["5", "15", "60", "240"].map((m) => html`<option value=${m}>${lasting(60 * m)}</option>`)}</select>
      <button class="danger" disabled=${busy}>${w.giveLeave}</button>
      <button type="button" onClick=${() => setOpen(false)}>${w.cancel}</button>
    </div><${Wrong} wrong=${wrong} /></form>`;
}
