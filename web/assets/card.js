"use strict";
// A question on the page. All text goes in as text, never as HTML.

// el makes an element with a class, a text and attributes.
function el(tag, cls, text, attrs) {
  const e = document.createElement(tag);
  if (cls) e.className = cls;
  if (text !== undefined) e.textContent = text;
  for (const [k, v] of Object.entries(attrs || {})) e.setAttribute(k, v);
  return e;
}

function ago(at) {
  const minutes = Math.floor((Date.now() - new Date(at)) / 60000);
  if (minutes < 1) return words().now;
  return minutes < 60 ? words().minutes(minutes) : words().hours(Math.floor(minutes / 60));
}

const clock = (at) => new Date(at).toLocaleString(lang === "zh" ? "zh-CN" : "en", { dateStyle: "short", timeStyle: "short" });

// newID is for a reply: the same one again is the same reply. randomUUID is not there on plain HTTP in a network.
function newID() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (b) => b.toString(16).padStart(2, "0")).join("");
}

// Card shows one question. door says how to reach the server: reply(id, body), stop(session), steps(session).
class Card {
  constructor(q, door) {
    this.q = q;
    this.door = door;
    this.sent = null; // the last reply, kept so that sending it again is the same reply
    this.list = [];
    this.root = el("article", "card", undefined, { tabindex: "0", "data-id": q.question_id });
    this.draw();
    if (q.session_id) this.look();
  }

  // draw builds everything anew and keeps what was typed.
  draw() {
    const w = words(), q = this.q, typed = this.field ? this.field.value : "";
    const box = el("div", "words");
    if (q.task) box.append(el("p", "task", w.task(q.task)));
    const kind = w.kinds[q.kind];
    box.append(el("h2", "question", (kind ? kind + ": " : "") + q.text, { id: "q-" + q.question_id }));
    this.meta = el("p", "meta");
    this.steps = el("ol", "steps");
    box.append(this.meta, this.steps, this.form());
    this.root.replaceChildren(box);
    this.root.setAttribute("aria-labelledby", "q-" + q.question_id);
    this.root.classList.toggle("plain", !q.screenshot_url);
    if (q.screenshot_url) {
      const shot = el("div", "shot");
      shot.append(el("img", "", undefined, { src: q.screenshot_url, alt: w.shot, loading: "lazy" }));
      this.root.append(shot);
    }
    this.field.value = typed;
    this.tick();
    this.showSteps(this.list);
  }

  form() {
    const w = words(), q = this.q, form = el("form");
    const options = el("div", "options");
    (q.options || []).forEach((o) => {
      const b = el("button", "option", o, { type: "button" });
      b.addEventListener("click", () => this.reply("answer", o));
      options.append(b);
    });
    const free = !(q.options && q.options.length) || q.free_text;
    const name = "a-" + q.question_id;
    this.field = q.secret ? el("input", "", undefined, { type: "password", autocomplete: "off", id: name })
      : el("textarea", "", undefined, { id: name, rows: "2" });
    const label = el("label", "", q.secret ? w.secret : w.answer, { for: name });
    const row = el("div", "row");
    if (q.options && q.options.length) form.append(options);
    if (free) {
      form.append(label, this.field);
      row.append(el("button", "main", w.send, { type: "submit" }));
    }
    const refuse = el("button", "refuse", w.refuse, { type: "button" });
    refuse.addEventListener("click", () => this.reply("decline", free && !q.secret ? this.field.value : ""));
    row.append(refuse);
    if (q.session_id) row.append(this.stopper());
    this.problem = el("p", "problem", undefined, { role: "alert" });
    form.append(row, this.problem);
    form.addEventListener("submit", (e) => { e.preventDefault(); this.reply("answer", this.field.value); });
    this.field.addEventListener("keydown", (e) => {
      if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) { e.preventDefault(); form.requestSubmit(); }
    });
    return form;
  }

  // stopper is a button that wants a second press within four seconds.
  stopper() {
    const w = words(), b = el("button", "danger stop", w.stop, { type: "button" });
    let sure = 0;
    b.addEventListener("click", async () => {
      if (!sure) {
        b.textContent = w.stopSure;
        sure = setTimeout(() => { sure = 0; b.textContent = w.stop; }, 4000);
        return;
      }
      clearTimeout(sure);
      sure = 0;
      await this.busy(() => this.door.stop(this.q.session_id));
      b.textContent = w.stop;
    });
    return b;
  }

  async reply(type, response) {
    if (type === "answer" && !response.trim()) { this.problem.textContent = words().noAnswer; return; }
    if (!this.sent || this.sent.type !== type || this.sent.response !== response) this.sent = { reply_id: newID(), type, response };
    await this.busy(() => this.door.reply(this.q.question_id, this.sent));
  }

  // busy keeps the buttons still while something is under way. What goes wrong is said here, and nothing typed is lost.
  async busy(f) {
    const buttons = this.root.querySelectorAll("button");
    for (const b of buttons) b.disabled = true;
    this.problem.textContent = "";
    try {
      this.problem.textContent = await f() || "";
    } catch {
      this.problem.textContent = words().offline;
    }
    for (const b of buttons) b.disabled = false;
  }

  tick() { this.meta.textContent = words().asked(ago(this.q.asked_at), clock(this.q.expires_at)); }

  async look() {
    try {
      const list = await this.door.steps(this.q.session_id);
      if (list.length >= this.list.length) this.showSteps(list);
    } catch { /* the question can be answered without */ }
  }

  addStep(step) {
    if (!this.list.some((s) => s.index === step.index)) this.showSteps([...this.list, step].slice(-5));
  }

  showSteps(list) {
    this.list = list;
    this.steps.replaceChildren(...list.map((s) => el("li", "", s.index + ". " + (s.explain || s.thought || s.action))));
  }

  choose(n) {
    const b = this.root.querySelectorAll("button.option")[n];
    if (b) b.click();
  }
}
