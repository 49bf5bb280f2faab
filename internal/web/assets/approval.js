"use strict";
// Actions that wait for a decision. What they say of the phone goes in as text, never as HTML.

// Approval is the form about the actions of a card's question: what each is, and a button for each decision that is allowed.
class Approval {
  constructor(card) {
    this.card = card;
    this.chosen = card.q.action_requests.map(() => ""); // kept when the card is drawn anew
  }

  allowed(request) {
    const config = (this.card.q.review_configs || []).find((c) => c.action_name === request.name);
    return config ? config.allowed_decisions : [];
  }

  form() {
    const w = words(), card = this.card, q = card.q, form = el("form", "approval", undefined, { novalidate: "" });
    const why = el("ul", "why");
    for (const [name, text] of [[w.details.under, q.element], [w.details.because, q.reason], [w.severity, w.severities[q.severity] || ""]]) {
      if (text) why.append(el("li", "", name + text));
    }
    form.append(why);
    this.rows = q.action_requests.map((r, i) => this.row(form, r, i));
    this.main = el("button", "main", w.sendDecision, { type: "submit" });
    const row = el("div", "row");
    row.append(this.main, card.wordless("timeout", w.noTime));
    if (q.session_id) row.append(card.stopper());
    card.problem = el("p", "problem", undefined, { role: "alert" });
    form.append(card.problem, row);
    form.addEventListener("submit", (e) => { e.preventDefault(); this.send(); });
    this.show();
    return form;
  }

  // row is one action with its buttons, and the box for what a decision is sent with.
  row(form, request, i) {
    const w = words(), q = this.card.q, alone = q.action_requests.length === 1, id = "d-" + q.question_id + "-" + i;
    const box = el("fieldset", "action"), buttons = el("div", "decisions");
    box.append(el("legend", "", (alone ? "" : i + 1 + ". ") + (request.description || request.name)));
    // without a picture, what is decided about is in the arguments alone
    if (!q.screenshot_url && Object.keys(request.args || {}).length) box.append(el("pre", "args", JSON.stringify(request.args, null, 1), { tabindex: "0" }));
    const label = el("label", "", "", { for: id }), text = el("textarea", "grows", undefined, { id, rows: "2" });
    for (const type of this.allowed(request)) {
      const b = el("button", "decide " + type, w.decisions[type] || type, { type: "button", "data-type": type });
      b.addEventListener("click", () => {
        if (type === "edit" && this.chosen[i] !== "edit") text.value = JSON.stringify({ name: request.name, args: request.args }, null, 1);
        else if (this.chosen[i] === "edit" && type !== "edit") text.value = "";
        this.chosen[i] = type;
        this.show();
        if (type === "approve" && alone) this.send();
        else if (type !== "approve") text.focus();
      });
      buttons.append(b);
    }
    box.append(buttons, label, text);
    form.append(box);
    return { buttons, label, text };
  }

  // show marks what is chosen, and has a box only where something is to be written.
  show() {
    const w = words();
    this.rows.forEach(({ buttons, label, text }, i) => {
      for (const b of buttons.children) b.setAttribute("aria-pressed", String(b.dataset.type === this.chosen[i]));
      label.hidden = text.hidden = !w.decisionBox[this.chosen[i]];
      label.textContent = w.decisionBox[this.chosen[i]] || "";
    });
    this.main.hidden = this.chosen.every((c) => !c) || this.rows.length === 1 && this.chosen[0] === "approve";
  }

  send() {
    const w = words(), list = [];
    for (const [i, type] of this.chosen.entries()) {
      const { text } = this.rows[i], decision = { type };
      if (!type) return this.wrong(w.notDecided, this.rows[i].buttons.firstElementChild);
      if (type === "edit") {
        try { decision.edited_action = parse(text.value); } catch { return this.wrong(w.noJSON, text); }
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

// marks shows on a picture where it is touched; places are fractions of it.
function marks(places) {
  return (places || []).map((p) => {
    const m = el("span", "mark", undefined, { "aria-hidden": "true" });
    m.style.left = p.x * 100 + "%";
    m.style.top = p.y * 100 + "%";
    return m;
  });
}
