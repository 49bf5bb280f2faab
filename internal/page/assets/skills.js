// The skills that there are, and a form to run each.
import { get } from "./api.js";
import { Arguments } from "./arguments.js";
import { useEffect, useLayoutEffect, useRef, useState } from "./hooks.js";
import { PhoneBox } from "./home.js";
import { runSkill } from "./model.js";
import { Wrong, html, useBusy } from "./view.js";
import { counted, words } from "./words.js";

export function Skills({ go }) {
  const w = words(), [list, setList] = useState(null);
  useEffect(() => { get("/v1/skills").then((x) => setList(x?.skills || [])); }, []);
  if (!list) return html`<p class="none">${w.connecting}</p>`;
  return html`<section aria-labelledby="skills-title"><h2 id="skills-title">${w.skills}</h2><p class="none">${w.skillsHow}</p>
    ${list.length ? html`<ul class="results skills">${list.map((s) => html`<${Skill} key=${s.name} s=${s} go=${go} />`)}</ul>` : html`<p class="none">${w.noSkills}</p>`}</section>`;
}

function Skill({ s, go }) {
  const w = words(), [open, setOpen] = useState(false), [phone, setPhone] = useState(""), [busy, wrong, doing] = useBusy();
  const box = useRef(null), fields = useRef([]), known = s.params?.properties || {};
  const first = Object.fromEntries(Object.entries(known).filter(([, p]) => p.default !== undefined).map(([k, p]) => [k, p.default]));
  useLayoutEffect(() => {
    if (!open) return;
    const form = new Arguments({ name: s.name, args: first }, s.params, { id: "skill-" + s.name });
    fields.current = form.plain().map(([name, value]) => form.field(name, value));
    box.current.replaceChildren(...fields.current.map((f) => f.root));
    (fields.current[0]?.control || box.current.closest("form").querySelector("select")).focus();
  }, [open]);
  const run = (more) => doing(async () => {
    const params = { ...first };
    try {
      for (const f of fields.current) { const v = f.change(); if (v !== undefined) params[f.name] = v; }
    } catch { return { message: w.noNumber }; }
    const [id, problem] = await runSkill(s.name, params, phone, more);
    if (id) go("/ui/sessions/" + encodeURIComponent(id));
    return problem;
  });
  return html`<li><span class="name" dir="auto">${s.name}</span>
    ${s.problem ? "" : html`<button type="button" aria-expanded=${String(open)} onClick=${() => setOpen(!open)}>${w.runIt} <span class="heard">${s.name}</span></button>`}
    <span class="facts">${s.problem ? "" : html`<span>${counted("steps", s.steps)}</span>`}${s.app ? html`<span>${s.app}</span>` : ""}</span>
    ${s.description ? html`<span class="answer" dir="auto">${s.description}</span>` : ""}${s.problem ? html`<span class="problem" dir="auto">${s.problem}</span>` : ""}
    ${open ? html`<form class="run-skill" onSubmit=${(e) => { e.preventDefault(); run(); }}><div ref=${box} class="edit"></div>
      <div class="row"><${PhoneBox} id=${"phone-" + s.name} phone=${phone} set=${setPhone} /><button class="main" disabled=${busy}>${w.start}</button></div>
      <${Wrong} wrong=${wrong} queue=${run} other=${() => document.getElementById("phone-" + s.name).focus()} /></form>` : ""}</li>`;
}
