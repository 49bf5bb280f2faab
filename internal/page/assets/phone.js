// A phone: its screen, live, and what can be done with it.
import { devicePath, live, input } from "./api.js";
import { useEffect, useRef } from "./hooks.js";
import { Live } from "./live.js";
import { cordon, isOver, model } from "./model.js";
import { PhoneFacts, Start, Steer, phoneName } from "./home.js";
import { Badge, LivePicture, Wrong, html, useBusy } from "./view.js";
import { clip, counted, words } from "./words.js";

export function Phone({ id, go }) {
  const w = words(), [busy, wrong, run] = useBusy(), p = (model.phones || []).find((x) => x.device_id === id);
  const s = [...model.sessions.values()].find((x) => x.serial === id && !isOver(x.run));
  return html`<article class="phone-page" data-path=${devicePath(id)}>
    <div class="about">
      <h2>${p ? phoneName(p) : id}</h2>
      ${p ? html`<p class="facts"><${PhoneFacts} p=${p} /></p>` :
      html`<p class="none">${model.phones ? w.phoneGone : w.connecting}</p>`}
      ${p && model.farm ? html`<p><button type="button" class="cordon" disabled=${busy} onClick=${() => run(() => cordon(id, !!p.cordoned))}>${p.cordoned ? w.uncordon : w.cordon}</button></p><${Wrong} wrong=${wrong} />` : ""}
      ${s ? html`<section class="panel" aria-labelledby="has-it"><h3 id="has-it" dir="auto"><a href=${"/ui/sessions/" + encodeURIComponent(s.session_id)}>${clip(s.run.task, 200)}</a></h3>
        <p class="facts"><${Badge} run=${s.run} /><span>${counted("steps", s.run.steps)}</span></p><${Steer} s=${s} /></section>` :
      p?.usable ? html`<${Start} device=${id} onStart=${(x) => go("/ui/sessions/" + encodeURIComponent(x))} />` : ""}
    </div>
    <div class="see">${s && s.run.state === "WAITING_TAKEOVER" ? html`<${ByHand} serial=${id} />` :
      p && p.usable ? html`<${LivePicture} serial=${id} alt=${w.liveScreenOf} />` : ""}</div>
  </article>`;
}

// ByHand is the phone live, for a person who has taken it over.
function ByHand({ serial }) {
  const box = useRef(null);
  useEffect(() => {
    const shown = new Live({ live, input });
    box.current.append(shown.root);
    shown.watch(serial);
    return () => { shown.gone(); shown.root.remove(); };
  }, [serial]);
  return html`<div ref=${box}></div>`;
}
