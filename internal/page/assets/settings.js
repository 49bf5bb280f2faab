// What the server is set to, who may come in, and what was done: to be read, not changed. Machines can be drained.
import { get } from "./api.js";
import { useEffect, useState } from "./hooks.js";
import { drain, loadFarm, model, shared } from "./model.js";
import { state, turnOff, turnOn } from "./push.js";
import { Stop, Wrong, html, useBusy } from "./view.js";
import { ago, aside, clip, clock, counted, fill, language, words } from "./words.js";

export function Settings() {
  const w = words(), [about, setAbout] = useState(null);
  useEffect(() => { get("/v1/about?lang=" + language()).then((x) => setAbout(x || {})); }, [language()]);
  if (!about) return html`<p class="none">${w.connecting}</p>`;
  return html`<div class="settings">
    <${Notices} />
    <${Machines} />
    <${Part} id="health" title=${w.health} rows=${about.health} head=${[w.what, w.stands]} row=${(r) => [r.name, r.value]} />
    <${Part} id="conf" title=${w.settings} rows=${about.settings} head=${[w.setting, w.value, w.origin]} row=${(r) => [r.name.split(/(?<=\.)/).map((p) => html`${p}<wbr />`), r.value, r.origin]} />
    <${Part} id="tokens" title=${w.tokensTitle} rows=${about.tokens} head=${[w.name, w.since]} row=${(r) => [r.name, clock(r.value)]} />
    <${Part} id="audit" title=${w.audit} rows=${about.audit} head=${[w.when, w.what, w.who, w.about]} row=${(e) => [clock(e.at), e.event, e.by || w.authorities[e.authority] || e.channel || "", told(e, about.audit)]} />
  </div>`;
}

// told is what an entry is about: the question where another entry has it, with what was answered, and its session.
function told(e, all) {
  const w = words(), asked = e.question_id && all.find((x) => x.question_id === e.question_id && x.seq < e.seq && x.text)?.text;
  const what = [e.text || asked && "“" + clip(asked, 200) + "”", e.answer].filter(Boolean).join(fill(w.said, { what: "" }));
  return e.session_id ? html`${what} <a href=${"/ui/sessions/" + encodeURIComponent(e.session_id)}>${w.openSession}</a>` : what;
}

// Notices are whether this device tells of questions.
function Notices() {
  const w = words(), [busy, wrong, run] = useBusy(), now = state();
  return html`<section aria-labelledby="notices"><h2 id="notices">${w.notifyTitle}</h2><p class="none">${now === "unable" ? w.notifyUnable : now === "blocked" ? w.notifyBlocked : w.notifyHow}</p>
    ${now === "on" || now === "off" ? html`<p><button type="button" class="notices" disabled=${busy} onClick=${() => run(now === "on" ? turnOff : turnOn)}>${now === "on" ? w.notifyOff : w.notifyOn}</button></p>` : ""}
    <${Wrong} wrong=${wrong} /></section>`;
}

// Machines are those that share the store, while there is one to share.
function Machines() {
  const w = words(), [busy, wrong, run] = useBusy(), { farm } = model;
  useEffect(() => {
    loadFarm();
    const t = setInterval(() => { if (!document.hidden) loadFarm(); }, 3000);
    return () => clearInterval(t);
  }, []);
  if (!shared()) return "";
  const stands = (x) => x.gone ? ["bad", w.machineStates.gone] : x.drained ? ["open", w.machineStates.draining] : ["good", w.machineStates.working];
  const phones = (x) => (x.phones || []).map((p) => html`<div><a href=${"/ui/phones/" + encodeURIComponent(p.device_id)}>${p.device_id}</a>${p.cordoned ? aside(w.cordoned) : ""}</div>`);
  const acts = (x) => html`<span class=${"badge " + stands(x)[0]}>${stands(x)[1]}</span> ${x.gone || x.drained ? "" : html`<${Stop} key=${x.id} name=${w.drain} of=${x.name} busy=${busy} act=${() => run(() => drain(x.id))} />`}`;
  return html`<div class="machines"><${Part} id="machines" title=${w.machinesTitle} rows=${farm.workers} head=${[w.name, w.role, w.phonesTitle, w.stands, w.lastSeen]}
      row=${(x) => [clip(x.name || x.id, 60), w.roles[x.role] || x.role, phones(x), acts(x), x.at ? ago(x.at) : ""]} />
    <p class="none">${w.drainHow}${farm.waiting ? " " + counted("waitingForMachine", farm.waiting) : ""}</p><${Wrong} wrong=${wrong} /></div>`;
}

function Part({ id, title, rows, head, row }) {
  const w = words();
  return html`<section aria-labelledby=${id}><h2 id=${id}>${title}</h2>${rows && rows.length ? html`<div class="scroll" tabindex="0" role="group" aria-labelledby=${id}><table>
    <thead><tr>${head.map((x) => html`<th scope="col">${x}</th>`)}</tr></thead>
    <tbody>${rows.map((r) => html`<tr>${row(r).map((x) => html`<td dir="auto">${x}</td>`)}</tr>`)}</tbody></table></div>` : html`<p class="none">${w.nothing}</p>`}</section>`;
}
