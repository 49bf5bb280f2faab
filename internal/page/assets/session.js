// A session, as it happens and afterwards: its pictures in a row, and step by step what was seen, thought and done.
import { alone, call, get, parse, picture, problem, sessionPath, visible } from "./api.js";
import { flat } from "./approval.js";
import { download } from "./download.js";
import { useEffect, useLayoutEffect, useRef, useState } from "./hooks.js";
import { Steer } from "./home.js";
import { reason, title } from "./inbox.js";
import { goOn, isOver, remove, requeue, shared } from "./model.js";
import { Badge, Frame, Marked, Stop, Why, Wrong, html, said, useBusy, why } from "./view.js";
import { clip, clock, consentTo, fill, language, lastingMs, thousands, words } from "./words.js";

const watching = new Set(); // functions that are told of a change in a session, by its id

// sessionEvents has the events of sessions tell those that are shown.
export function sessionEvents(hears) {
  for (const name of ["step", "session.state", "inquiry.created", "inquiry.resolved", "inquiry.withdrawn", "inquiry.expired"]) {
    hears(name, (x) => { for (const f of watching) f(x.session_id); });
  }
  hears("snapshot", () => { for (const f of watching) f(""); });
}

// onSession has f called when something happens in a session, with its id, or "" for any. The returned function ends that.
export function onSession(f) {
  watching.add(f);
  return () => watching.delete(f);
}

// useTrajectory is all of a session, read again when it has changed.
function useTrajectory(id) {
  const [t, setT] = useState(null);
  useEffect(() => {
    let over = false, reading = false, again = false;
    const load = async () => {
      if (reading) { again = true; return; }
      reading = true;
      const { status, json } = await call("GET", sessionPath(id, "/trajectory")).catch(() => ({ json: {} }));
      reading = false;
      if (over) return;
      const missing = status === 404 ? words().noSession : problem(json).message; // what was read stays while it cannot be read again
      setT((before) => status === 200 ? json : status !== 404 && before?.session ? before : { missing });
      if (again) { again = false; load(); }
    };
    const hear = (of) => { if (!of || of.startsWith(id)) load(); };
    const end = onSession(hear), back = () => { if (!document.hidden) load(); }; // another tab may have deleted it
    document.addEventListener("visibilitychange", back);
    load();
    return () => { over = true; end(); document.removeEventListener("visibilitychange", back); };
  }, [id]);
  return t;
}

export function Session({ id, go }) {
  const w = words(), t = useTrajectory(id);
  const [at, setAt] = useState(null), [playing, setPlaying] = useState(false);
  const steps = t?.steps || [], last = steps.length - 1, named = alone && at === null ? steps.findIndex((s) => "#step-" + s.index === location.hash) : -1;
  const n = named >= 0 ? named : at === null ? last : Math.min(at, last);
  const move = (to) => setAt(to >= last ? null : Math.max(0, to));
  useEffect(() => {
    if (!playing) return undefined;
    if (n >= last) { setPlaying(false); return undefined; }
    const timer = setTimeout(() => setAt(n + 1), 900);
    return () => clearTimeout(timer);
  }, [playing, n, last]);
  const play = () => { if (!playing && n >= last) setAt(0); setPlaying(!playing); };
  useLayoutEffect(() => { // at once, so that no key is taken for the step before
    const keys = (e) => {
      if (e.ctrlKey || e.metaKey || e.altKey || e.target.closest("input, textarea, select, dialog")) return;
      const to = { ArrowRight: n + 1, ArrowLeft: n - 1, ArrowDown: n + 1, ArrowUp: n - 1, Home: 0, End: last }[e.key];
      if (e.key === " " && !e.target.closest("button, a, summary")) play();
      else if (to !== undefined) { setPlaying(false); move(to); } else return;
      e.preventDefault();
    };
    document.addEventListener("keydown", keys);
    return () => document.removeEventListener("keydown", keys);
  });
  if (!t) return html`<p class="none">${w.connecting}</p>`;
  if (t.missing) return html`<p class="none" role="status">${t.missing}</p>`;
  return html`<article class="session">
    <${Head} t=${t} go=${go} />
    ${steps.length ? html`<section aria-label=${w.stepsTitle}>
      <div class="player">
        <button type="button" class="main play" aria-pressed=${String(playing)} onClick=${play}>${w.play}</button>
        <button type="button" aria-label=${w.previous} disabled=${n <= 0} onClick=${() => move(n - 1)}>←</button>
        <button type="button" aria-label=${w.next} disabled=${n >= last} onClick=${() => move(n + 1)}>→</button>
        <span class="of">${fill(w.stepOf, { n: steps[n].index, of: steps[last].index })}</span>
        <span class="keys">${w.playKeys}</span>
      </div>
      <${Line} steps=${steps} n=${n} move=${move} />
      <${Strip} steps=${steps} n=${n} move=${move} />
      <${Step} key=${steps[n].index} step=${steps[n]} t=${t} id=${id} />
    </section>` : t.session.serial ? html`<p class="none">${w.noSteps}</p>` : ""}
  </article>`;
}

// Head has the answer, or why there is none, on top, and what can be done.
function Head({ t, go }) {
  const w = words(), run = t.runs.at(-1), s = { ...t.session, run }, [busy, wrong, doing] = useBusy();
  const [task, setTask] = useState(""), id = s.session_id, over = isOver(run);
  if (!run) return html`<header class="head"><h2>${w.noTask}</h2><p class="facts"><span>${id}</span></p></header>`;
  const sum = (k) => t.runs.reduce((n, r) => n + r[k], 0), span = (k) => sum(k) && lastingMs(sum(k));
  const next = async (more) => { if (task.trim() && await doing(() => goOn(id, { task: task.trim(), ...more }))) setTask(""); };
  const out = () => doing(() => download(sessionPath(id, "/export"), "taploop-" + id.slice(0, 8) + ".html"));
  const again = t.runs.reduce((n, r) => n + r.asked_again, 0), phone = [s.device?.model, s.device?.android && "Android " + s.device.android].filter(Boolean).join(", ");
  return html`<header class="head">
    <h2 dir="auto">${clip(run.task)}</h2>
    ${clip(run.task) === run.task ? "" : html`<details><summary>${w.detailsButton}</summary><p class="kept" dir="auto">${run.task}</p></details>`}
    <p class="facts"><${Badge} run=${run} />${s.serial ? alone ? html`<span>${s.serial}</span>` : html`<a href=${"/ui/phones/" + encodeURIComponent(s.serial)}>${s.serial}</a>` : ""}
      ${phone ? html`<span>${phone}</span>` : ""}<span>${clock(run.created_at)}</span>${s.parent ? html`<span>${w.begunBy} ${alone ? s.parent : html`<a href=${"/ui/sessions/" + s.parent}>${s.parent.slice(0, 8)}</a>`}</span>` : ""}</p>
    ${run.answer ? html`<p class=${"result " + (run.state === "COMPLETED" ? "good" : "bad")} dir="auto">${run.answer}
      ${run.state === "COMPLETED" ? "" : html` <span class="mend">${run.mend?.[language()] || ""}</span>`}</p>` : ""}
    <${Verified} run=${run} />
    ${run.state === "COMPLETED" ? "" : html`<${Why} run=${run} kind="result bad" />`}
    ${came(t).length ? html`<section class="came" aria-labelledby="came"><h3 id="came">${w.cameIn}</h3><ul>${came(t).map((x) => html`<li dir="auto">${x}</li>`)}</ul></section>` : ""}
    ${run.recorded_url ? html`<div class="recorded"><p>${w.recordedScreen}</p><${Frame} url=${run.recorded_url} alt=${w.recordedScreen} lost=${w.pictureLost} /></div>` : ""}
    <dl class="totals">${[[w.stepsTitle, t.steps.length], [w.total, span("took_ms")], [w.byModel, span("model_ms")], [w.onPhone, span("phone_ms")],
      [w.waitedFor, span("asked_ms")], [w.askedAgain, again && fill(w.ofAll, { n: again, of: t.steps.length })],
      [w.tokensOut, sum("tokens") && fill(w.tokensInOut, { sent: thousands(sum("prompt_tokens")), received: thousands(sum("completion_tokens")) })]]
      .filter(([, v]) => v).map(([k, v]) => html`<div><dt>${k}</dt><dd>${v}</dd></div>`)}</dl>
    ${alone ? "" : html`${over ? html`<form class="next" onSubmit=${(e) => { e.preventDefault(); next(); }}><label for="next-task">${w.nextTask}</label>
      <textarea id="next-task" class="grows" rows="1" value=${task} onInput=${(e) => setTask(e.target.value)}></textarea>
      <div class="row"><button class="main" disabled=${busy}>${w.start}</button></div></form>` : html`<${Steer} s=${s} />`}
    <div class="row tools">
      ${run.stop_reason === "MAX_STEPS_REACHED" || run.state === "PAUSED" ? html`<button type="button" disabled=${busy} onClick=${() => doing(() => goOn(id, { max_steps: 20 }))}>${w.moreSteps}</button>` : ""}
      <button type="button" disabled=${busy} onClick=${out}>${w.export}</button>
      ${s.serial && shared() && movable(run) ? html`<${Stop} name=${w.requeue} busy=${busy} act=${() => doing(() => requeue(id))} />` : ""}
      ${over || run.state === "PAUSED" ? html`<${Stop} name=${w.remove} busy=${busy} act=${async () => { if (await doing(() => remove(id))) go("/ui"); }} />` : ""}
    </div>`}
    <${Wrong} wrong=${wrong} queue=${over && next} />
    ${t.runs.length > 1 ? html`<details><summary>${fill(w.earlierTasks, { n: t.runs.length - 1 })}</summary><ol class="earlier">
      ${t.runs.slice(0, -1).map((r) => html`<li dir="auto"><${Badge} run=${r} /> ${r.task}${r.answer || why(r) ? fill(w.said, { what: r.answer || why(r) }) : ""}</li>`)}</ol></details>` : ""}
    ${t.agents ? html`<section class="agents" aria-labelledby="agents"><h3 id="agents">${w.agents}</h3><${Agents} list=${t.agents} t=${t} /></section>` : ""}
  </header>`;
}

// came is what people said and did that belongs to no step.
const came = (t) => [...t.questions.filter((q) => !t.steps.some((s) => s.index === q.step) && !ofCalls(t.agents).includes(q.question_id)).map((q) => title(q) + fill(words().said, { what: reason(q) })),
  ...t.runs.flatMap((r) => r.said || []).map((text) => "“" + text + "”")];

// movable tells whether another machine could take the run up.
const movable = ({ state, stop_reason: why }) => state === "QUEUED" || state === "RUNNING" || state === "PAUSED" && (why === "SERVER_RESTARTED" || why === "DEVICE_DISCONNECTED");

// Verified says what the end of a run was held against.
export function Verified({ run }) {
  const w = words(), v = run.verification, known = v && w.verdicts[v.verdict];
  if (!known || run.state !== "COMPLETED") return "";
  return html`<p class="verdict"><span class=${"badge " + { verified: "good", contradicted: "bad" }[v.verdict]}>${known}</span> <span dir="auto">${run.seen?.[language()] || ""}</span>${v.step ? html` <span class="mend">${fill(w.stepN, { n: v.step })}</span>` : ""}</p>`;
}

// Agents is who worked in a session without a phone: agents, and below each what it did and began, with what people said to it.
function Agents({ list, t }) {
  const w = words();
  return html`<ul class="tree">${list.map((n) => {
    const says = n.says?.[language()], q = t.questions.find((x) => x.question_id === n.question_id);
    const phone = n.id.length === 32 && !alone;
    return html`<li key=${n.id}>${phone ? html`<a href=${"/ui/sessions/" + n.id}><code>${n.id.slice(0, 8)}</code></a>` : html`<code>${n.id}</code>`} ${says || n.name ? html`<b dir="auto">${says || n.name}</b> ` : ""}
    ${n.outcome ? html`<span class="badge">${w.states[n.outcome] || w.outcomes.unknown}</span> ` : ""}${says ? html`<${Given} args=${parsed(n.words)} says=${says} />` : html`<span dir="auto">${n.words || ""}</span>`}
    ${q ? html`<${Talk} s=${{}} q=${q} />` : ""}
    ${n.changed ? html`<p>${w.changedTo}</p><${Given} args=${n.changed} says="" />` : ""}
    ${n.result ? html`<details><summary>${w.result}</summary><pre tabindex="0" dir="auto">${n.result}</pre></details>` : ""}${n.below ? html`<${Agents} list=${n.below} t=${t} />` : ""}</li>`;
  })}</ul>`;
}

// parsed is what a text of JSON says, or the text where it was cut.
function parsed(text) {
  try { return parse(text); } catch { return { "": text }; }
}

// Given is the arguments of a call, but for those that its words have already.
function Given({ args, says }) {
  const list = flat(args).map(([k, v]) => [k, typeof v === "string" ? v : JSON.stringify(v)]).filter(([, v]) => !says.includes(v));
  return list.length ? html`<dl class="given">${list.slice(0, 30).map(([k, v]) => html`<div><dt>${visible(k)}</dt><dd dir="auto">${clip(visible(v), 1000)}</dd></div>`)}</dl>` : "";
}

// ofCalls is the questions about calls of agents, which stand with these.
const ofCalls = (list) => (list || []).flatMap((n) => [n.question_id, ...ofCalls(n.below)]);

// Line is a bar for each step, as wide as it took.
function Line({ steps, n, move }) {
  const sum = steps.reduce((t, s) => t + took(s), 0) || 1;
  return html`<div class=${"timeline" + (steps.length > 80 ? " many" : "")} aria-hidden="true">${steps.map((s, i) => html`<span key=${s.index} class=${i === n ? "on" : s.refusal ? "bad" : ""}
    style=${{ flexGrow: Math.round(1000 * took(s) / sum) + 4 }} onClick=${() => move(i)}></span>`)}</div>`;
}

const took = (s) => Object.values(s.parts_ms || {}).reduce((a, b) => a + b, 0);

// Strip is the pictures in a row, of which those in view are fetched.
function Strip({ steps, n, move }) {
  const w = words(), box = useRef(null);
  useEffect(() => {
    const e = box.current?.children[n];
    if (e) box.current.scrollTo({ left: e.offsetLeft - box.current.clientWidth / 2 + e.clientWidth / 2, behavior: "auto" });
  }, [n]);
  return html`<ol class="strip" ref=${box} tabindex="0" aria-label=${w.strip}>${steps.map((s, i) => html`<li key=${s.index}>
    <button type="button" tabindex="-1" aria-current=${i === n ? "step" : undefined} aria-label=${fill(w.stepN, { n: s.index }) + fill(w.said, { what: clip(said(s), 80) })} onClick=${() => move(i)}>
      <${Thumb} url=${s.screenshot_url} /><span>${s.index}</span></button></li>`)}</ol>`;
}

let turn = Promise.resolve(); // small pictures come one at a time, so that each frame has little to do

// Thumb is a small picture, made of a large one when it has come into view and is still there at its turn.
function Thumb({ url }) {
  const ref = useRef(null);
  useEffect(() => {
    let seen = false, over = !url, waits = false;
    const draw = async () => {
      waits = false;
      const made = !over && seen ? await picture(url, () => over || !seen) : "";
      if (!made) return;
      const img = new Image(), small = ref.current, done = () => URL.revokeObjectURL(made);
      img.src = made;
      await img.decode().then(() => createImageBitmap(img, { resizeWidth: 2 * small.clientWidth, resizeQuality: "medium" }))
        .then((b) => { o.disconnect(); small.width = b.width; small.height = b.height; small.getContext("bitmaprenderer").transferFromImageBitmap(b); }).catch(() => {}).finally(done);
    };
    const o = new IntersectionObserver((list) => {
      seen = list.at(-1).isIntersecting;
      if (seen && !waits) { waits = true; turn = turn.then(draw); }
    }, { rootMargin: "600px" });
    o.observe(ref.current);
    return () => { over = true; o.disconnect(); };
  }, [url]);
  return html`<canvas class="thumb" ref=${ref}></canvas>`;
}

// Step is one step: what was seen, with the touch on it, and what was thought and done.
function Step({ step: s, t, id }) {
  const w = words(), [large, setLarge] = useState(false), q = t.questions.find((x) => x.step === s.index);
  return html`<section class="step" aria-labelledby="step-title">
    <div class="see"><button type="button" class=${"shot" + (large ? " large" : "")} aria-pressed=${String(large)} aria-label=${w.enlarge} onClick=${() => setLarge(!large)}>
      ${s.screenshot_url ? html`<${Frame} url=${s.screenshot_url} alt=${fill(w.screenAt, { n: s.index })} lost=${w.pictureLost} />` : html`<span class="noshot">${w.displayOff}</span>`}
      ${s.screenshot_url ? html`<${Touch} places=${s.places} />` : ""}</button></div>
    <div class="say">
      <p class="line"><span class="no">${s.index}</span><span class=${"badge " + tone(s, q)}>${w.outcomes[outcome(s, q)]}</span></p>
      <h3 id="step-title" dir="auto">${said(s)}</h3>
      ${s.refusal ? html`<p class="result bad" dir="auto">${s.refused?.[language()] || s.refusal}</p>` : ""}
      ${s.thought ? html`<blockquote dir="auto">${s.thought}</blockquote>` : ""}
      ${s.question || q ? html`<${Talk} s=${s} q=${q} />` : ""}
      <p class="facts">${parts(s).map(([k, ms]) => html`<span>${w.parts[k]} ${lastingMs(ms)}</span>`)}
        ${s.asked_ms ? html`<span>${w.waited} ${lastingMs(s.asked_ms)}</span>` : ""}
        ${s.tokens ? html`<span>${fill(w.tokens, { n: thousands(s.tokens) })}</span>` : ""}${s.app ? html`<span>${s.app_names?.[language()] || s.app}</span>` : ""}</p>
      ${[[w.inWords, s.caption], [w.soFar, s.summary]].filter(([, v]) => v).map(([k, v]) => html`<details key=${k}><summary>${k}</summary><p class="kept" dir="auto">${v}</p></details>`)}
      <${Tries} id=${id} index=${s.index} />
    </div></section>`;
}

// parts are those of a step's time that say something to people.
const parts = ({ parts_ms: all }) => Object.entries(all || {}).filter(([k, ms]) => words().parts[k] && ms >= 50);

// Talk is the question of a step, and what came of it.
function Talk({ s, q }) {
  const w = words(), consent = q && consentTo(q), open = q?.status === "pending";
  return html`<div class="talk"><div class="q" dir="auto">${consent ? consent.headline : html`<${Marked} tree=${q?.markdown} text=${q ? q.text : s.question} />`}</div>
    ${s.options && !q ? html`<ul>${s.options.map((o) => html`<li dir="auto">${o}</li>`)}</ul>` : ""}
    <p class="a" dir="auto">${open ? alone ? w.openQuestion : html`<a href=${"/ui#question=" + q.question_id}>${w.openQuestion}</a>` :
      q ? reason(q) : [s.settled?.[language()], s.reply].filter(Boolean).join(fill(w.said, { what: "" }))}</p></div>`;
}

const outcome = (s, q) => s.verb === "ABORT" ? "gaveUp" : q?.status === "pending" ? "waits" : s.state === "INTENT" ? "underWay" : s.state === "UNKNOWN" ? "unknown" : s.partial ? "partial" : s.refusal ? "refused" : "done";
const tone = (s, q) => ({ done: "good", refused: "bad", partial: "bad", gaveUp: "bad" })[outcome(s, q)] || "open";

// Touch draws where the screen was touched: a ring, or a way from one place to another.
function Touch({ places }) {
  if (!places || !places.length) return "";
  const at = (p) => ({ left: p.x * 100 + "%", top: p.y * 100 + "%" });
  return html`${places.length > 1 ? html`<svg class="way" viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true"><line x1=${places[0].x * 100} y1=${places[0].y * 100} x2=${places[1].x * 100} y2=${places[1].y * 100} /></svg>` : ""}
    ${places.map((p, i) => html`<span class=${"mark" + (i ? " to" : "")} aria-hidden="true" style=${at(p)}></span>`)}`;
}

// Tries are the prompt and the reply as they were, fetched when they are wanted.
function Tries({ id, index }) {
  const w = words(), [tries, setTries] = useState(null);
  const open = async (e) => {
    if (e.target.open && !tries) setTries((await get(sessionPath(id, "/steps/" + index)))?.tries || []);
  };
  return html`<details onToggle=${open}><summary>${w.replyPrompt}</summary>${(tries || []).map((x) => html`<div class="try">
    <p class="facts"><span>${x.model}</span><span>${lastingMs(x.took_ms)}</span><span>${fill(w.tokensInOut, { sent: thousands(x.prompt_tokens), received: thousands(x.completion_tokens) })}</span></p>
    ${x.reply ? html`<h4>${w.reply}</h4><pre tabindex="0" dir="auto">${x.reply}</pre>` : ""}${x.error ? html`<p class="result bad" dir="auto"><b>${x.again ? w.notUsed : w.notRead}</b> ${x.error}</p>` : ""}
    ${x.prompt ? html`<details><summary>${w.prompt}</summary><pre tabindex="0" dir="auto">${x.prompt}</pre></details>` : ""}</div>`)}</details>`;
}
