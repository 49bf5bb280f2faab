// A question on the page. All text goes in as text, never as HTML.
import { Approval, marks } from "./approval.js";
import { el, newID, stopper, unfocused } from "./dom.js";
import { Form } from "./fields.js";
import { Live } from "./live.js";
import { grown, marked } from "./marked.js";
import { said } from "./view.js";
import { ago, channelName, clip, clock, consentTo, fill, language, left, readable, silence, spent, words } from "./words.js";

// runsOut is until when an answer is wanted; where that has passed and nothing came of it, until when one is taken.
export const runsOut = (q) => +new Date(silence(q) || Date.now() < new Date(q.attention_until) ? q.attention_until : q.expires_at);

// context is what whoever asks has told besides, with the marks of its text as what they stand for.
function context(q) {
  const box = el("div", "marked context");
  box.append(...q.context ? grown(q.context) : [el("p", "", q.task)]);
  return box;
}

// Card shows one question. api says how to reach the server: reply(id, body) and stop(session), which return what is wrong,
// steps(session), picture(url, over), which returns another url, and enlarge(url, places); for a take-over phone(session, over), and what Live wants.
export class Card {
  constructor(q, api) {
    this.q = q;
    this.api = api;
    this.sent = null; // the last reply, kept so that sending it again is the same reply
    this.list = [];
    this.focused = null; // what had the focus when a reply was sent, until it is taken or not
    this.hand = q.by_hand && q.session_id ? new Live(api) : null;
    this.approval = q.action_requests && q.action_requests.length ? new Approval(this) : null;
    this.root = el("article", "card", undefined, { tabindex: "0", "data-id": q.question_id });
    this.draw();
  }

  // draw builds everything anew and keeps what was typed.
  draw() {
    const w = words(), q = this.q, typed = this.touched() ? this.typed() : [], rows = this.approval?.rows;
    this.moved = null;
    const asks = el("div", "asks"), box = el("div", "words");
    const kicker = el("p", "kicker");
    if (w.kinds[q.kind]) kicker.append(el("span", "kind " + q.kind, w.kinds[q.kind]));
    if (q.client) kicker.append(el("span", "client", fill(w.from, q)));
    const told = q.task && !q.consent?.[language()]?.who;
    if (told && q.run_id) kicker.append(el("span", "task", fill(w.task, { task: clip(q.task, 200) })));
    if (kicker.children.length) asks.append(kicker);
    asks.append(...this.headline());
    if (told && !q.run_id) asks.append(context(q));
    this.meta = el("p", "meta");
    this.due = el("span", "due");
    this.asked = el("span");
    this.spent = el("span", "spent");
    this.meta.append(this.asked, this.due, this.spent);
    this.steps = el("ol", "steps");
    asks.append(this.meta);
    asks.append(this.left = el("p", "wants left", w.leftBehind));
    box.append(this.form(), this.steps, this.channels());
    // In this order on a narrow page, and for those who hear it: what is answered is seen first.
    const picture = this.hand ? [this.hand.root] : q.screenshot_url ? [this.shot()] : [];
    this.root.replaceChildren(asks, ...picture, box);
    this.root.setAttribute("aria-labelledby", "q-" + q.question_id);
    this.root.classList.toggle("plain", !picture.length);
    if (rows) this.approval.resume(rows);
    this.clean = JSON.stringify(this.typed());
    this.type(typed);
    this.tick();
    this.addSteps([]);
  }

  // headline is the question, with the marks of its text as what they stand for; of an action it is what would happen.
  headline() {
    const q = this.q, consent = consentTo(q), id = "q-" + q.question_id;
    const h = el("h2", "question", consent ? consent.headline : undefined, { id });
    if (consent) return [h, ...[consent.wants, consent.who].filter(Boolean).map((line) => el("p", "wants", line))];
    const [first, rest] = marked(q.markdown, q.text);
    h.append(...first);
    if (!rest.length) return [h];
    const more = el("div", "marked");
    more.append(...rest);
    return [h, more];
  }

  // inputs are the fields of the answer; what is typed for the phone is none of it.
  inputs() { return [...this.root.querySelectorAll(".words :is(input, textarea, select)")]; }
  typed() { return this.inputs().map((e) => [e.value, e.checked]); }

  // touched reports whether somebody has typed here.
  touched() { return this.clean !== undefined && JSON.stringify(this.typed()) !== this.clean; }

  // drafted shows a model's draft of the answer, and whether the question was left behind. It comes late: what was typed stays,
  // and the draft is only told then.
  drafted(q) {
    this.q = { ...this.q, usage: q.usage, left_behind: q.left_behind };
    this.tick();
    if (!q.suggestion || this.q.suggestion) return;
    const at = this.inputs().indexOf(document.activeElement);
    this.q = { ...this.q, suggestion: q.suggestion };
    if (this.touched()) {
      this.problem.before(this.suggestion());
      return;
    }
    this.draw();
    if (at >= 0) this.inputs()[at].focus();
  }

  // suggestion says what the draft is, with a button that sends it as it is.
  suggestion() {
    const w = words(), { answer, by } = this.q.suggestion, box = el("div", "suggestion");
    const said = this.q.fields && this.q.fields.length ? readable(this.q.fields, answer) : answer;
    const send = el("button", "quiet-row", w.sendSuggestion, { type: "button" });
    send.addEventListener("click", () => this.reply("answer", answer));
    box.append(el("span", "", fill(w.suggestion, { by })), el("q", "", said), send);
    return box;
  }

  // sendDraft sends the draft as it is.
  sendDraft() { this.root.querySelector(".suggestion button")?.click(); }

  // suggested are the fields with the draft's values in them.
  suggested() {
    let values = {};
    try { values = JSON.parse(this.q.suggestion.answer); } catch { /* there is none */ }
    return this.q.fields.map((f) => Object.hasOwn(values, f.name) ? { ...f, default: values[f.name] } : f);
  }

  type(typed) {
    if (typed.length) this.inputs().forEach((e, i) => { [e.value, e.checked] = typed[i]; });
  }

  // shot is the picture with the marks where it is touched. It is enlarged by a press, or takes another place; see placing.
  shot() {
    const b = this.frame = el("button", "shot", undefined, { type: "button", title: words().enlarge });
    this.img ||= el("img");
    this.img.alt = words().shot;
    this.marks = marks(this.q.places);
    b.append(this.img, ...this.marks);
    b.addEventListener("click", (e) => {
      const r = this.img.getBoundingClientRect();
      if (!this.moved && this.img.src) this.api.enlarge(this.img.src, this.q.places);
      else if (this.moved && e.detail) this.move({ x: (e.clientX - r.left) / r.width, y: (e.clientY - r.top) / r.height });
    });
    b.addEventListener("keydown", (e) => {
      const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[e.key];
      if (!this.moved || !way) return;
      e.preventDefault();
      this.move({ x: this.place.x + way[0] / 50, y: this.place.y + way[1] / 50 });
    });
    return b;
  }

  // move puts the mark at another place, which is told to whoever called placing.
  move({ x, y }) {
    const within = (n) => Math.min(Math.max(Math.round(n * 1000) / 1000, 0), 1);
    this.place = { x: within(x), y: within(y) };
    [this.marks[0].style.left, this.marks[0].style.top] = [this.place.x * 100 + "%", this.place.y * 100 + "%"];
    this.moved(this.place);
  }

  // placing lets a press on the picture, or the arrow keys on it, say where it is touched instead. null ends that.
  placing(moved) {
    if (!moved && !this.moved) return;
    if (this.moved && !moved) this.frame.replaceChildren(this.img, ...this.marks = marks(this.q.places));
    this.moved = moved;
    this.place = this.q.places[0];
    this.frame.classList.toggle("placing", !!moved);
    this.frame.title = moved ? words().tapPlace : words().enlarge;
    if (moved) this.frame.focus();
  }

  // gone frees what the card holds once it is off the page.
  gone() {
    this.over = true;
    this.hand?.gone();
    if (this.img?.src) URL.revokeObjectURL(this.img.src);
  }

  // channels lists where the question can be answered: those that ask one after the other, then the standing ones.
  channels() {
    const box = el("div", "channels"), list = el("ul", "", undefined, { "aria-label": words().channelsTitle });
    box.append(el("span", "", words().channelsTitle), list);
    this.timed = [];
    for (const d of this.q.channels || []) {
      const chip = el("li", d.channel === "page" ? "here" : "", d.channel === "page" ? words().here : channelName(d.channel));
      if (d.until && d.channel !== "pass_to_client") { // the client may answer as long as the question is open
        chip.append(el("span", "until", fill(words().until, { time: clock(d.until) })));
        this.timed.push([chip, new Date(d.until)]);
      }
      list.append(chip);
    }
    box.hidden = !list.children.length;
    return box;
  }

  form() {
    if (this.approval) return this.approval.form();
    if (this.q.offers && this.q.offers.length) return this.offers();
    const w = words(), q = this.q, form = el("form", "", undefined, { novalidate: "" });
    const row = el("div", "row");
    this.fields = this.field = null;
    if (q.fields && q.fields.length) {
      this.fields = new Form(this.suggested(), "f-" + q.question_id);
      form.append(this.fields.root);
    } else {
      this.answerBox(form, row);
    }
    this.again = this.scopes();
    if (this.fields || this.field) row.append(el("button", "main", w.send, { type: "submit" }));
    if (q.draft) row.append(this.restorer());
    const refuse = el("button", "refuse", w.refuse, { type: "button" });
    refuse.addEventListener("click", () => this.reply("decline", this.field && !q.secret && !q.draft && this.touched() ? this.field.value : ""));
    if (q.suggestion) form.append(this.suggestion());
    form.addEventListener("keydown", (e) => {
      if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) { e.preventDefault(); this.send(); }
    });
    return this.foot(form, row, row, ...this.again ? [this.again.parentNode] : [], refuse, ...q.secret ? [] : [this.wordless("delegate", w.delegate)]);
  }

  // foot ends a form with what is wrong, its row of buttons, and those that are seldom wanted, which a button in at shows.
  foot(form, row, at, ...rare) {
    const seldom = [this.wordless("timeout", words().noTime), ...this.q.session_id ? [stopper(() => this.busy(() => this.api.stop(this.q.session_id)))] : []];
    const [more, extra] = this.more(words().more, ...rare, ...seldom);
    at.append(more);
    this.problem = el("p", "problem", undefined, { role: "alert" });
    form.append(this.problem, row, extra);
    form.addEventListener("submit", (e) => { e.preventDefault(); (this.approval || this).send(); });
    return form;
  }

  // offers is the form of a question that is answered with one of its offers, each a button; the box is for the words of those that
  // take some. Labels are the page's where it has any.
  offers() {
    const w = words(), q = this.q, form = el("form", "", undefined, { novalidate: "" }), id = "a-" + q.question_id;
    const row = el("div", "row"), why = el("ul", "why");
    for (const d of q.details || []) why.append(el("li", "", (w.details[d.name] || d.name + ": ") + d.text));
    form.append(why);
    this.field = q.offers.some((o) => o.words) ? el("textarea", "grows", undefined, { id, rows: "2" }) : null;
    if (this.field) form.append(el("label", "", this.hand ? w.handRemark : w.remark, { for: id }), this.field);
    for (const o of q.offers) {
      const b = el("button", o.main ? "main" : o.name, w.offers[o.name] || o.name, { type: "button", "data-offer": o.name });
      b.addEventListener("click", () => {
        const message = o.words && this.field.value.trim() ? this.field.value : undefined;
        this.post({ type: "decisions", decisions: [{ type: o.name, message }] });
      });
      row.append(b);
    }
    if (this.hand) this.hand.draw();
    return this.foot(form, row, row);
  }

  // scopes is a choice of for how long the answer is used again; null where it cannot be.
  scopes() {
    const w = words(), list = this.q.remember_for || [];
    if (!list.length) return null;
    const label = el("label", "again", w.again), choice = el("select");
    for (const s of ["", ...list]) choice.append(el("option", "", w.scopes[s || "none"], { value: s }));
    label.append(" ", choice);
    return choice;
  }

  // answerBox is the options of a question that is no form, and the box for words.
  answerBox(form, row) {
    const w = words(), q = this.q, id = "a-" + q.question_id, some = q.options && q.options.length;
    if (some) {
      const options = el("div", "options");
      q.options.forEach((o, i) => {
        const b = el("button", "option", undefined, { type: "button" });
        if (i < 9) b.append(el("kbd", "", String(i + 1)));
        b.append(el("span", "", o));
        b.addEventListener("click", () => this.reply("answer", o));
        options.append(b);
      });
      form.append(options);
    }
    if (some && !q.free_text && !q.draft) return;
    this.field = q.secret ? el("input", "", undefined, { type: "password", autocomplete: "off", spellcheck: "false", id })
      : el("textarea", q.draft ? "draft" : "grows", undefined, { id, rows: q.draft ? "14" : "2" });
    const proposed = q.suggestion ? q.suggestion.answer : q.default_answer || "";
    this.field.value = q.draft || ((q.options || []).includes(proposed) ? "" : proposed);
    form.append(el("label", "", q.draft ? w.draft : q.secret ? (q.session_id ? w.secret : w.hidden) : some ? w.otherAnswer : w.answer, { for: id }), this.field);
    if (q.draft) form.append(...this.preview());
  }

  // preview shows the draft with its marks as what they stand for.
  preview() {
    const box = el("div", "marked preview", undefined, { hidden: "" });
    const b = el("button", "see-draft", words().preview, { type: "button", "aria-expanded": "false" });
    b.addEventListener("click", async () => {
      box.hidden = !box.hidden;
      b.setAttribute("aria-expanded", String(!box.hidden));
      if (!box.hidden) box.replaceChildren(...grown(await this.api.marked(this.field.value)));
    });
    return [b, box];
  }

  // restorer puts the draft back as it came, and takes that back on a second press.
  restorer() {
    const b = el("button", "quiet-row", words().restore, { type: "button" });
    let mine = null;
    b.addEventListener("click", () => {
      [mine, this.field.value] = mine !== null && this.field.value === this.q.draft ? [null, mine] : [this.field.value, this.q.draft];
      this.field.focus();
    });
    return b;
  }

  // wordless is a button that sends a reply without words.
  wordless(type, label) {
    const b = el("button", "quiet-row " + type, label, { type: "button" });
    b.addEventListener("click", () => this.post({ type }));
    return b;
  }

  // late takes a question that stays open although nobody answers in time, or because a model is asked.
  late(q) {
    this.q.attention_until = q.attention_until;
    if (q.deferred) this.problem.textContent = words().passedOn;
    this.tick();
  }

  // more is a button that shows what is seldom wanted, with the buttons that it shows.
  more(name, ...what) {
    const box = el("div", "row extra"), b = el("button", "quiet-row more", name, { type: "button" });
    const show = (on) => { box.hidden = !on; b.setAttribute("aria-expanded", String(on)); };
    b.addEventListener("click", () => show(box.hidden));
    box.append(...what);
    show(false);
    return [b, box];
  }

  send() {
    if (this.fields) {
      const answer = this.fields.answer();
      if (answer !== null) this.reply("answer", answer);
      return;
    }
    if (this.field) this.reply("answer", this.field.value);
  }

  async reply(type, response) {
    if (type === "answer" && !response.trim()) {
      this.problem.textContent = words().noAnswer;
      this.field.focus();
      return;
    }
    await this.post(type === "answer" && this.again?.value ? { type, response, remember: this.again.value } : { type, response });
  }

  // post sends a reply. The same one again keeps its id.
  async post(body) {
    if (!this.sent || JSON.stringify({ ...this.sent, reply_id: undefined }) !== JSON.stringify(body)) this.sent = { ...body, reply_id: newID() };
    await this.busy(() => this.api.reply(this.q.question_id, this.sent));
  }

  // busy keeps the buttons still while something is under way. What goes wrong is said here, at the fields that it is about,
  // and nothing typed is lost.
  async busy(f) {
    const buttons = this.root.querySelectorAll("form button"), focus = this.root.contains(document.activeElement) && document.activeElement;
    for (const b of buttons) b.disabled = true;
    this.root.setAttribute("aria-busy", "true");
    this.problem.textContent = "";
    this.focused = focus;
    let wrong;
    try {
      wrong = await f();
    } catch {
      wrong = { message: words().offline };
    }
    for (const b of buttons) b.disabled = false;
    this.root.removeAttribute("aria-busy");
    this.focused = null;
    if (focus && unfocused()) focus.focus();
    if (!wrong) return;
    const placed = this.fields && this.fields.show(wrong.fields);
    this.problem.textContent = placed ? words().fieldsWrong : wrong.message;
  }

  // tick says how much time there is, and what happens when it is over.
  tick() {
    const w = words(), q = this.q, late = Date.now() >= new Date(q.attention_until), then = silence(q), until = clock(q.expires_at);
    const text = then ? w.due : late ? w.overdue : w.wanted;
    const due = then && late ? then : fill(text, { left: left(q.attention_until), then, until });
    if (this.due.textContent !== due) this.due.textContent = due;
    const asked = fill(w.asked, { ago: ago(q.asked_at) });
    if (this.asked.textContent !== asked) this.asked.textContent = asked;
    this.spent.textContent = q.usage ? spent(q.usage) : "";
    this.left.hidden = !q.left_behind;
    this.root.classList.toggle("late", late);
    this.root.classList.toggle("soon", !late && new Date(q.attention_until) - Date.now() < 60000);
    for (const [chip, until] of this.timed) chip.hidden = Date.now() >= until;
  }

  // look fetches the picture and the last steps, once. The page calls it when the card comes into view.
  async look() {
    if (this.looked || !this.q.session_id) return;
    this.looked = true;
    const ignore = () => {}; // the question can be answered without
    if (this.hand) this.api.phone(this.q.session_id, () => this.over).then((serial) => serial && !this.over && this.hand.watch(serial)).catch(ignore);
    this.api.steps(this.q.session_id, () => this.over).then((steps) => this.addSteps(steps || [])).catch(ignore);
    if (!this.img) return;
    const src = await this.api.picture(this.q.screenshot_url, () => this.over);
    if (!src) return;
    const read = new Image(); // the place that is kept for the picture would be gone until it is read
    read.src = src;
    await read.decode().catch(ignore);
    this.img.src = src;
    if (this.over) this.gone();
  }

  // addSteps shows steps with those that are known: events may tell of some before they were asked for, or in between.
  addSteps(more) {
    const list = [...this.list, ...more.filter((x) => !this.list.some((s) => s.index === x.index))];
    this.list = list.sort((a, b) => a.index - b.index).slice(-5);
    this.steps.replaceChildren(...this.list.map((s) => el("li", "", s.index + ". " + said(s))));
    this.steps.hidden = !this.list.length;
  }

  choose(n) {
    const b = this.root.querySelectorAll("button.option")[n];
    if (b) b.click();
  }

  // enter puts the cursor where the answer begins.
  enter() {
    if (this.fields) this.fields.focus();
    else (this.field || this.root.querySelector("button.option, button.decide, button[data-offer]") || this.root).focus();
  }
}
