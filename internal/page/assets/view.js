// What every part made with Preact needs.
import { h } from "./preact.js";
import { useEffect, useRef, useState } from "./hooks.js";
import htm from "./htm.js";
import { live, picture } from "./api.js";
import { sure, unfocused } from "./dom.js";
import { grown } from "./marked.js";
import { Stream } from "./live.js";
import { isOver, model } from "./model.js";
import { clip, fill, language, words } from "./words.js";

export const html = htm.bind(h);

const silent = new Set(); // functions that take back that the server does not answer

// answersAgain is called when the server is back.
export function answersAgain() { for (const f of silent) f(); }

// useBusy is a state of "something is under way", what came of it, and a function that does something so.
export function useBusy() {
  const [busy, setBusy] = useState(false), [wrong, setWrong] = useState(null);
  useEffect(() => {
    const back = () => setWrong((x) => x && x.message && x.message !== words().offline ? x : null);
    silent.add(back);
    return () => silent.delete(back);
  }, []);
  const run = async (f) => {
    const at = document.activeElement; // a button that is disabled loses the focus
    setBusy(true);
    setWrong(null);
    const problem = await Promise.resolve(f()).catch(() => ({ message: words().offline }));
    setBusy(false);
    setWrong(problem || null);
    setTimeout(() => { if (unfocused() && at.isConnected) at.focus(); });
    return !problem;
  };
  return [busy, wrong, run];
}

export const Wrong = ({ wrong, ...how }) => html`<p class="problem" role="alert">${wrong?.holder ? taken(wrong.holder) : wrong?.message}
  ${wrong && wrong.mend ? html` <span class="mend">${wrong.mend}</span>` : ""}</p>
  ${wrong?.holder ? html`<${Taken} holder=${wrong.holder} ...${how} />` : ""}`;

function taken({ session_id: id }) {
  const w = words(), task = model.sessions.get(id)?.run?.task;
  return fill(w.phoneTaken, { what: task ? "“" + clip(task, 80) + "”" : id ? w.oneOfYours : w.somebody });
}

// Taken is what can be done where a session has the phone: queue and take send the request once more, with what is asked for
// besides, and other leads to another phone.
function Taken({ holder: { session_id: id }, queue, take, other }) {
  const w = words();
  return html`<div class="row taken">
    ${id ? html`<a class="button" href=${"/ui/sessions/" + encodeURIComponent(id)}>${w.openHolder}</a>` : ""}
    ${queue ? html`<button type="button" onClick=${() => queue({ queue: true })}>${w.queueUp}</button>` : ""}
    ${other ? html`<button type="button" onClick=${other}>${w.otherPhone}</button>` : ""}
    ${take && id ? html`<${Stop} name=${w.takePlace} act=${() => take({ supersede: true })} />` : ""}</div>`;
}

// Nowhere is the page of an address that has none.
export const Nowhere = () => html`<h2>${words().noPage}</h2><p><a href="/ui">${words().home}</a></p>`;

// Stop is a button that wants a second press, and says so beside it. of is what it is about, where several have one name.
export function Stop({ act, name, of, busy }) {
  const [on, setOn] = useState(false), press = useRef(null), w = words();
  const doing = useRef(act);
  doing.current = act;
  press.current ||= sure(setOn, () => doing.current());
  return html`<button type="button" class=${"danger stop" + (on ? " armed" : "")} disabled=${busy} onClick=${press.current}>${name || w.stopRun}${of ? html`<span class="heard"> ${of}</span>` : ""}</button>
    <span class="sure" role="status">${on ? fill(w.pressAgain, { name: name || w.stopRun }) : ""}</span>`;
}

// Badge is how a run stands.
export function Badge({ run }) {
  const w = words(), state = run ? run.state : "";
  const tone = state === "COMPLETED" ? "good" : state === "FAILED" || state === "ABORTED" ? "bad" : isOver(run) ? "plain" : state === "RUNNING" ? "main" : "open";
  return html`<span class=${"badge " + tone}>${w.states[state] || state}</span>`;
}

// said is a step in one line: what is done, and on what or why.
export const said = (step) => did(step) + (step.explain && step.verb !== "AWAKE" ? fill(words().said, { what: step.explain }) : "");

// did is what a step does in a few words, without places.
export const did = (step) => step.words?.[language()] || step.action;

// why is why a run has ended or rests, "" while it goes on.
export const why = (run) => isOver(run) || run.state === "PAUSED" ? run.why?.[language()] || "" : "";

// Why says that, and what can be done about it. A pause that somebody wanted is nothing wrong.
export const Why = ({ run, kind }) => why(run) ? html`<p class=${run.stop_reason === "USER_PAUSED" ? "told" : kind} dir="auto">${why(run)}${run.mend?.[language()] ? html` <span class="mend">${run.mend[language()]}</span>` : ""}</p>` : "";

// Marked is a text with marks, as the server has read it.
export function Marked({ tree, text }) {
  const ref = useRef(null);
  useEffect(() => { if (tree) ref.current.replaceChildren(...grown(tree)); }, [tree]);
  return tree ? html`<div class="marked" ref=${ref} key="marked"></div>` : html`<p key="plain">${text}</p>`;
}

// Frame is a picture of the server's at its url. Of one that is not there any more, lost says so.
export function Frame({ url, alt, onLoad, lost }) {
  const [src, setSrc] = useState(""), [gone, setGone] = useState(false);
  useEffect(() => {
    let over = false, mine = "";
    if (!url) { setSrc(""); return undefined; }
    picture(url, () => over).then((made) => {
      mine = made;
      if (over) URL.revokeObjectURL(made);
      else { setSrc(made); setGone(!made); }
    });
    return () => { over = true; if (mine) setTimeout(() => URL.revokeObjectURL(mine), 1000); };
  }, [url]);
  return gone && lost ? html`<span class="noshot">${lost}</span>` : html`<img src=${src || undefined} alt=${alt} onLoad=${onLoad} />`;
}

// LivePicture is a phone's screen, live, as long as it is shown and the page is seen.
export function LivePicture({ serial, alt }) {
  const img = useRef(null);
  useEffect(() => {
    const shown = new Stream({ live }, img.current);
    shown.watch(serial);
    return () => shown.gone();
  }, [serial]);
  return html`<img ref=${img} alt=${alt} />`;
}
