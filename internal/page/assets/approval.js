// Actions that wait for a decision. What they say of the phone goes in as text, never as HTML.
import { parse, told, visible } from "./api.js";
import { Arguments } from "./arguments.js";
import { el } from "./dom.js";
import { clip, fill, language, words } from "./words.js";

// Approval is the form about the actions of a card's question: what each is, and a button for each decision that is allowed.
export class Approval {
  constructor(card) {
    this.card = card;
    this.chosen = card.q.action_requests.map(() => ""); // kept when the card is drawn anew
  }

  config(request) { return (this.card.q.review_configs || []).find((c) => c.action_name === request.name) || {}; }
  allowed(request) { return this.config(request).allowed_decisions || []; }

  form() {
    const w = words(), card = this.card, q = card.q, form = el("form", "approval", undefined, { novalidate: "" });
    const because = q.consent?.[language()]?.because || q.reason;
    if (because) form.append(el("p", "reason", because));
    this.rows = q.action_requests.map((r, i) => this.row(form, r, i));
    this.main = el("button", "main", w.send, { type: "submit" });
    const row = el("div", "row"), alone = this.rows.length === 1;
    const rare = alone ? [...this.rows[0].buttons.querySelectorAll(".respond")] : [];
    const [details, what] = card.more(w.detailsButton, this.details()), at = alone ? this.rows[0].buttons : row;
    row.append(this.main);
    card.foot(form, row, at, ...rare).append(what);
    at.append(details);
    this.show();
    return form;
  }

  // resume has what was being edited on the card before it was drawn again.
  resume(rows) {
    rows.forEach(({ edit }, i) => { if (this.chosen[i] === "edit") this.rows[i].edit.resume(edit); });
    this.show();
  }

  // details is what a decision does not need, for those who want to know.
  details() {
    const w = words(), q = this.q = this.card.q, list = el("ul", "why");
    const lines = [[w.details.under, q.element], [w.details.because, q.consent ? "" : q.reason], [w.severity, w.severities[q.severity] || ""], [w.rule, q.rule]];
    for (const [name, text] of lines) if (text) list.append(el("li", "", name + text));
    for (const r of q.action_requests) {
      if (r.description) list.append(el("li", "", w.action + r.description));
      if (r.args && Object.keys(r.args).length) list.append(this.args(r));
    }
    return list;
  }

  args(request) {
    const item = el("li");
    item.append(el("pre", "args", told(request.args), { tabindex: "0", "aria-label": words().args }));
    return item;
  }

  // row is one action with its buttons, and the box for what a decision is sent with.
  row(form, request, i) {
    const w = words(), q = this.card.q, alone = q.action_requests.length === 1, id = "d-" + q.question_id + "-" + i;
    const box = el("fieldset", "action"), buttons = el("div", "decisions");
    const said = alone && q.consent?.[language()]?.headline;
    const legend = el("legend", said ? "heard" : "", said || (alone ? "" : i + 1 + ". ") + (request.description || request.name));
    box.append(legend);
    // without a picture, what is decided about is in the arguments alone
    if (!q.screenshot_url && Object.keys(request.args || {}).length) box.append(given(request.args, this.config(request).args_schema));
    const label = el("label", "", "", { for: id }), text = el("textarea", "grows", undefined, { id, rows: "2" });
    const place = q.screenshot_url && alone && q.places && q.places.length === 1 && request.args && request.args.at;
    const edit = new Arguments(request, this.config(request).args_schema, { id, place, text, card: this.card });
    for (const type of this.allowed(request)) {
      const b = el("button", "decide " + type, w.decisions[type] || type, { type: "button", "data-type": type });
      b.addEventListener("click", () => {
        const edited = this.chosen[i] === "edit" && edit.changed();
        if (this.chosen[i] === "edit" && type !== "edit") text.value = "";
        const again = this.chosen[i] === type;
        this.chosen[i] = type;
        if (type === "edit" && !again) edit.begin();
        this.show();
        this.card.problem.textContent = type === "approve" && alone && edited ? fill(w.editFirst, { name: w.decisions.approve }) : "";
        if (type === "approve" && alone && !edited) this.send(); // else the request is shown as it was first
        else if (type === "edit") edit.focus();
        else if (type !== "approve") text.focus();
      });
      buttons.append(b);
    }
    box.append(buttons, edit.root, label, text);
    form.append(box);
    return { buttons, label, text, edit };
  }

  // show marks what is chosen, and has a box only where something is to be written.
  show() {
    const w = words();
    this.rows.forEach(({ buttons, label, text, edit }, i) => {
      for (const b of buttons.querySelectorAll(".decide")) b.setAttribute("aria-pressed", String(b.dataset.type === this.chosen[i]));
      const editing = this.chosen[i] === "edit";
      edit.show(editing);
      label.hidden = text.hidden = !w.decisionBox[this.chosen[i]] || editing && !edit.asJSON;
      label.textContent = w.decisionBox[this.chosen[i]] || "";
    });
    this.main.hidden = this.chosen.every((c) => !c) || this.rows.length === 1 && this.chosen[0] === "approve";
  }

  send() {
    const w = words(), list = [];
    for (const [i, type] of this.chosen.entries()) {
      const { text, edit } = this.rows[i], decision = { type };
      if (!type) return this.wrong(w.notDecided, this.rows[i].buttons.firstElementChild);
      if (type === "edit") {
        try { decision.edited_action = edit.action(parse); } catch { return this.wrong(w.noJSON, text); }
      } else if (type !== "approve" && text.value.trim()) {
        decision.message = text.value;
      }
      list.push(decision);
    }
    return this.card.post({ type: "decisions", decisions: list });
  }

  wrong(why, at) {
    this.card.problem.textContent = why;
    at.focus();
  }
}

// flat is every plain argument with its name, which has the names of what it is in before it.
export const flat = (args, at = "") => Object.entries(args).flatMap(([k, v]) =>
  v && typeof v === "object" && !JSON.isRawJSON?.(v) ? flat(v, at + k + ".") : [[at + k, v]]);

// given is the arguments of a call as a list of what they are called and what they say. As JSON they are among the details.
function given(args, schema) {
  const list = el("dl", "given"), known = schema?.properties || {};
  for (const [name, v] of flat(args).slice(0, 30)) {
    const row = el("div"), text = typeof v === "string" ? v : JSON.stringify(v);
    row.append(el("dt", "", visible(known[name]?.title || name)), el("dd", "", clip(visible(text), 1000), { dir: "auto" }));
    list.append(row);
  }
  return list;
}

// marks shows on a picture where it is touched; places are fractions of it.
export function marks(places) {
  return (places || []).map((p) => {
    const m = el("span", "mark", undefined, { "aria-hidden": "true" });
    m.style.left = p.x * 100 + "%";
    m.style.top = p.y * 100 + "%";
    return m;
  });
}
