// The index of all runs, with filters, a page of it at a time.
import { alone, get } from "./api.js";
import { useEffect, useRef, useState } from "./hooks.js";
import { model } from "./model.js";
import { Results, phoneName } from "./home.js";
import { onSession } from "./session.js";
import { html } from "./view.js";
import { words } from "./words.js";

const page = 50;
const days = { day: 1, week: 7, month: 30 };

// chosen is what a server would answer the query with, of all sessions.
function chosen({ sessions }, q) {
  const has = (text, part) => (text || "").toLowerCase().includes((q.get(part) || "").toLowerCase()), from = Number(q.get("offset"));
  return sessions.filter((s) => has([s.run?.task, s.run?.answer, s.run?.error].join(" "), "q") && (s.apps?.some((a) => has(a, "app")) || !q.get("app")) &&
    (!q.get("state") || s.run?.state === q.get("state")) && (!q.get("serial") || s.serial === q.get("serial")) &&
    !(Date.parse(s.updated_at) < Date.parse(q.get("since")))).slice(from, from + Number(q.get("limit")));
}

// named is the filters that the address names, "" for one that it does not.
function named() {
  const q = new URLSearchParams(alone ? "" : location.search);
  return Object.fromEntries(["q", "state", "serial", "app", "when"].map((k) => [k, q.get(k) || ""]));
}

// inAddress is the filters as the end of an address.
function inAddress(filter) {
  const q = new URLSearchParams(Object.entries(filter).filter(([, v]) => v)).toString();
  return q && "?" + q;
}

export function Runs() {
  const w = words(), [filter, setFilter] = useState(named), here = alone ? "" : location.search, wrote = useRef(here);
  const [list, setList] = useState(null), [more, setMore] = useState(false);
  const [phones, setPhones] = useState([]); // of a page that stands alone
  useEffect(() => { if (alone) get("/v1/sessions").then((x) => setPhones([...new Set(x.sessions.map((s) => s.serial).filter(Boolean))].map((p) => ({ device_id: p })))); }, []);
  const load = async (from, limit = page) => {
    const q = new URLSearchParams({ limit, offset: from });
    for (const k of ["q", "state", "serial", "app"]) if (filter[k]) q.set(k, filter[k]);
    if (filter.when) q.set("since", new Date(Date.now() - days[filter.when] * 864e5).toISOString());
    return (alone ? chosen(await get("/v1/sessions"), q) : (await get("/v1/sessions?" + q))?.sessions) || [];
  };
  useEffect(() => { if (here !== wrote.current) setFilter(named()); }, [here]); // a link led here anew
  useEffect(() => {
    wrote.current = inAddress(filter);
    if (!alone) history.replaceState(null, "", location.pathname + wrote.current);
    let late = false;
    const t = setTimeout(async () => {
      const got = await load(0);
      if (!late) { setList(got); setMore(got.length === page); }
    }, list ? 150 : 0);
    return () => { late = true; clearTimeout(t); };
  }, [filter]);
  useEffect(() => { // what is shown follows what happens, at most twice a second
    let soon = 0, over = false;
    const end = onSession(() => {
      soon ||= setTimeout(async () => {
        const got = list && await load(0, Math.max(list.length, page));
        soon = 0;
        if (got && !over) setList(got);
      }, 500);
    });
    return () => { over = true; clearTimeout(soon); end(); };
  }, [filter, list]);
  const further = async () => {
    const got = await load(list.length);
    setList([...list, ...got]);
    setMore(got.length === page);
  };
  const set = (k) => ({ target: { value } }) => setFilter((was) => ({ ...was, [k]: value }));
  const choice = (k, name, options) => html`<p class="field"><label for=${"f-" + k}>${name}</label>
    <select id=${"f-" + k} value=${filter[k]} onChange=${set(k)}><option value="">${w.any}</option>
    ${options.map(([v, text]) => html`<option value=${v}>${text}</option>`)}</select></p>`;
  const box = (k, name) => html`<p class="field"><label for=${"f-" + k}>${name}</label>
    <input id=${"f-" + k} type="search" autocomplete="off" value=${filter[k]} onInput=${set(k)} /></p>`;
  return html`<section aria-labelledby="runs-title"><h2 id="runs-title">${w.allRuns}</h2>
    <form class="filters" role="search" onSubmit=${(e) => e.preventDefault()}>
      ${box("q", w.filterText)}
      ${choice("state", w.filterState, Object.entries(w.states))}
      ${choice("serial", w.onPhone, (model.phones || phones).map((p) => [p.device_id, phoneName(p)]))}
      ${box("app", w.appBox)}
      ${choice("when", w.filterTime, Object.keys(days).map((d) => [d, w.times[d]]))}
    </form>
    ${list ? html`<${Results} list=${list} />` : html`<p class="none">${w.connecting}</p>`}
    ${more ? html`<p><button type="button" onClick=${further}>${w.showMore}</button></p>` : ""}
  </section>`;
}
