// The questions that are settled, to look up: what was asked, what was said, by whom, and where.
import { get } from "./api.js";
import { useEffect, useState } from "./hooks.js";
import { reason, title, watch } from "./inbox.js";
import { html } from "./view.js";
import { ago, clip, words } from "./words.js";

const most = 500;

export function Answered() {
  const w = words(), [list, setList] = useState(null), [text, setText] = useState("");
  useEffect(() => {
    const load = () => get("/v1/inquiries?status=all&limit=" + most).then((x) => setList((x?.inquiries || []).filter((q) => q.status !== "pending").reverse()));
    load();
    return watch(load);
  }, []);
  const has = (q) => [title(q), q.task, reason(q)].join("\n").toLowerCase().includes(text.trim().toLowerCase());
  const shown = (list || []).filter(has);
  return html`<section aria-labelledby="answered-title"><h2 id="answered-title">${w.settledTitle}</h2>
    <form class="filters" role="search" onSubmit=${(e) => e.preventDefault()}><p class="field"><label for="a-text">${w.filterText}</label>
      <input id="a-text" type="search" autocomplete="off" value=${text} onInput=${(e) => setText(e.target.value)} /></p></form>
    ${!list ? html`<p class="none">${w.connecting}</p>` : !shown.length ? html`<p class="none">${w.nothing}</p>` :
      html`<ul class="results">${shown.slice(0, 200).map((q) => html`<li key=${q.question_id}>
        ${q.session_id ? html`<a class="name" dir="auto" href=${"/ui/sessions/" + encodeURIComponent(q.session_id)}>${clip(title(q), 200)}</a>` : html`<span class="name" dir="auto">${clip(title(q), 200)}</span>`}
        ${w.kinds[q.kind] ? html`<span class=${"kind " + q.kind}>${w.kinds[q.kind]}</span>` : ""}
        <span class="answer" dir="auto">${reason(q)}</span>
        <span class="facts"><span>${ago(q.resolution?.at || q.asked_at)}</span>${q.task ? html`<span dir="auto">${clip(q.task, 120)}</span>` : ""}</span></li>`)}</ul>`}</section>`;
}
