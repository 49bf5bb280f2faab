// A phone that is shown live, and takes touches. What is typed goes to the phone and is kept nowhere.
import { el, newID } from "./dom.js";
import { words } from "./words.js";

// parts reads a stream of pictures: parts between boundaries, each with its length. It calls part(headers, body) for each.
export async function parts(stream, part) {
  const reader = stream.getReader(), text = new TextDecoder();
  let rest = new Uint8Array(0);
  const more = async () => {
    const { value, done } = await reader.read();
    if (done) return false;
    const all = new Uint8Array(rest.length + value.length);
    all.set(rest);
    all.set(value, rest.length);
    rest = all;
    return true;
  };
  // head is where the headers end, which are short.
  const head = () => {
    for (let i = 3; i < rest.length; i++) {
      if (rest[i] === 10 && rest[i - 1] === 13 && rest[i - 2] === 10 && rest[i - 3] === 13) return i + 1;
    }
    return 0;
  };
  for (;;) {
    let end;
    while (!(end = head())) if (!await more()) return;
    const headers = {};
    for (const line of text.decode(rest.subarray(0, end)).split("\r\n")) {
      const [key, value] = line.split(/: (.*)/);
      if (value !== undefined) headers[key.toLowerCase()] = value;
    }
    const size = Number(headers["content-length"]) || 0;
    while (rest.length < end + size) if (!await more()) return;
    part(headers, rest.slice(end, end + size));
    rest = rest.slice(end + size);
  }
}

// inWords is why a phone is not shown, and what helps.
const inWords = ({ error, message, mend }) => [message || error, mend].filter(Boolean).join(" ");

// Stream shows a phone in an img until gone is called; a page that is not seen shows nothing. api says how to reach the server:
// live(serial, signal), which returns a response.
export class Stream {
  constructor(api, img) {
    this.api = api;
    this.img = img;
  }

  watch(serial) {
    this.seen = () => { if (document.hidden) this.stop(); else this.start(serial); };
    document.addEventListener("visibilitychange", this.seen);
    this.seen();
  }

  gone() {
    document.removeEventListener("visibilitychange", this.seen);
    this.stop();
  }

  // start shows the phone until stop is called, and tries again when the stream ends.
  async start(serial) {
    this.serial = serial;
    if (this.source) return;
    const mine = this.source = new AbortController();
    for (let wait = 500; this.source === mine; wait = Math.min(wait * 2, 8000)) {
      try {
        const r = await this.api.live(serial, mine.signal);
        if (r.ok) await parts(r.body, (headers, body) => { wait = 500; this.show(headers, body); });
        else { // what was seen last is not what is there
          this.forget();
          this.refused((await r.json()).error);
        }
      } catch { /* it is tried again */ }
      if (this.source !== mine) return;
      this.lose();
      await new Promise((done) => setTimeout(done, wait));
    }
  }

  // forget takes the picture away.
  forget() {
    if (this.img.src) URL.revokeObjectURL(this.img.src);
    this.img.removeAttribute("src");
  }

  stop() {
    this.source?.abort();
    this.source = null;
    this.forget();
  }

  show(headers, body) {
    if (headers["content-type"] !== "image/jpeg") return;
    const old = this.img.src;
    this.img.src = URL.createObjectURL(new Blob([body], { type: "image/jpeg" }));
    if (old) URL.revokeObjectURL(old);
  }

  refused() {} // what is not shown is tried again
  lose() {}
}

// Live shows a phone and takes touches, which api.input(serial, body) sends; it returns what is wrong.
export class Live extends Stream {
  constructor(api) {
    super(api, el("img", "", undefined, { alt: "", draggable: "false" }));
    this.queue = []; // touches on their way, one after the other
    this.typed = ""; // keys that are not sent yet
    this.root = el("div", "live");
    this.screen = el("div", "live-screen", undefined, { role: "application", tabindex: "0" });
    this.said = el("p", "live-said");
    this.screen.append(this.img, this.said);
    this.keys = el("div", "live-keys");
    this.form = el("form", "live-type");
    this.problem = el("p", "problem", undefined, { role: "alert" });
    this.hand = el("p", "live-hand", undefined, { role: "status" });
    this.root.append(this.screen, this.keys, this.form, this.hand, this.problem);
    this.touches();
    this.draw();
  }

  // draw puts the words of the present language in, and keeps what was typed.
  draw() {
    const w = words(), kept = this.text ? this.text.value : "", id = "live-" + (this.id ||= newID());
    this.screen.setAttribute("aria-label", w.liveScreen);
    this.keys.replaceChildren(...["back", "home", "recents", "delete", "enter", "wakeup"].map((key) => {
      const b = el("button", "", w.liveKeys[key], { type: "button", "data-key": key });
      b.addEventListener("click", () => this.send({ type: "key", key }));
      return b;
    }));
    this.text = el("input", "", undefined, { type: "password", id, autocomplete: "off", spellcheck: "false" });
    this.text.value = kept;
    const show = el("button", "quiet-row", w.liveShow, { type: "button", "aria-pressed": "false" });
    show.addEventListener("click", () => {
      const hidden = this.text.type === "text";
      this.text.type = hidden ? "password" : "text";
      show.setAttribute("aria-pressed", String(!hidden));
    });
    const row = el("div", "row");
    row.append(el("button", "", w.liveType, { type: "submit" }), show);
    this.form.replaceChildren(el("label", "", w.liveText, { for: id }), this.text, row);
    this.form.onsubmit = (e) => { e.preventDefault(); this.type(); };
    this.tell();
  }

  // type sends the text of the box, which is emptied only once the phone has it, or may have it.
  async type() {
    const text = this.text.value;
    if (text && await this.send({ type: "text", text }) && this.text.value === text) this.text.value = "";
  }

  // tell says what there is to see, and whether the phone itself is touched.
  tell() {
    const w = words();
    this.said.textContent = this.lost ? w.liveLost : [w.liveSees[this.sees || "none"], this.why].filter(Boolean).join(" ");
    this.said.hidden = !this.said.textContent;
    this.screen.classList.toggle("blind", !["shown", "locked"].includes(this.sees) || !!this.lost);
    this.keys.querySelector("[data-key=wakeup]").hidden = this.sees !== "off";
    this.hand.textContent = this.byHand ? w.liveByHand : "";
  }

  stop() {
    super.stop();
    this.sees = "";
    this.tell();
  }

  refused(error) { this.problem.textContent = inWords(error); }

  lose() {
    this.lost = true;
    this.tell();
  }

  show(headers, body) {
    if (this.lost) this.problem.textContent = "";
    this.lost = false;
    this.why = headers["x-taploop-screen"] === "lost" ? inWords(JSON.parse(new TextDecoder().decode(body))) : "";
    this.sees = headers["x-taploop-screen"];
    const byHand = Number(headers["x-taploop-by-hand"]) || 0;
    if (byHand > (this.counted ?? byHand)) {
      this.byHand = true;
      clearTimeout(this.quiet);
      this.quiet = setTimeout(() => { this.byHand = false; this.tell(); }, 15000);
    }
    this.counted = byHand;
    super.show(headers, body);
    if (!["shown", "locked"].includes(this.sees)) this.forget();
    this.tell();
  }

  // full says when as many touches wait that the phone does not follow.
  full() {
    const is = this.queue.length > 30;
    if (is) this.problem.textContent = words().liveSlow;
    return is;
  }

  // send has one touch at a time on its way. It tells whether the phone took it, or may have.
  async send(body) {
    if (this.full()) return false;
    const before = this.queue.at(-1) || Promise.resolve();
    const mine = before.then(async () => {
      const wrong = await this.api.input(this.serial, body);
      this.problem.textContent = wrong ? wrong.message : "";
      return !wrong || wrong.code === "OUTCOME_UNKNOWN";
    });
    this.queue.push(mine);
    const taken = await mine;
    this.queue.shift();
    return taken;
  }

  // touches makes taps and swipes of what the pointer does on the picture, and text and keys of the keyboard.
  touches() {
    const exact = (e) => {
      const r = this.img.getBoundingClientRect();
      return { x: (e.clientX - r.left) / r.width, y: (e.clientY - r.top) / r.height };
    };
    const within = (n) => n >= 0 && n <= 1, nearest = (n) => Math.min(Math.max(n, 0), 1);
    const place = (e) => ({ x: nearest(exact(e).x), y: nearest(exact(e).y) });
    let from = null;
    this.screen.addEventListener("pointerdown", (e) => {
      if (e.button !== 0 || !this.img.src || this.lost || !within(exact(e).x) || !within(exact(e).y)) return;
      from = { ...place(e), at: e.timeStamp, id: e.pointerId };
      this.screen.setPointerCapture(e.pointerId);
      this.screen.focus({ preventScroll: true });
      e.preventDefault();
    });
    this.screen.addEventListener("pointercancel", () => { from = null; });
    this.screen.addEventListener("pointerup", (e) => {
      if (!from || e.pointerId !== from.id) return;
      const { x, y, at } = from, to = place(e), ms = Math.min(Math.round(e.timeStamp - at), 10000);
      from = null;
      if (this.lost) return; // nobody sees where it ends
      if (Math.hypot(to.x - x, to.y - y) < 0.02) this.send(ms < 400 ? { type: "tap", x, y } : { type: "tap", x, y, ms });
      else this.send({ type: "swipe", x, y, to_x: to.x, to_y: to.y, ms: Math.max(ms, 100) });
    });
    this.screen.addEventListener("wheel", (e) => {
      if (!this.img.src || this.lost) return;
      e.preventDefault();
      if (this.queue.length) return;
      const { x } = place(e), way = e.deltaY > 0 ? 1 : -1;
      this.send({ type: "swipe", x, y: 0.5 + way * 0.2, to_x: x, to_y: 0.5 - way * 0.2, ms: 250 });
    }, { passive: false });
    this.screen.addEventListener("keydown", (e) => this.press(e));
    this.screen.addEventListener("paste", (e) => {
      e.preventDefault();
      this.typed += e.clipboardData.getData("text");
      this.flush();
    });
  }

  // press types what is pressed on the picture. Tab leaves it, as everywhere.
  press(e) {
    const key = { Enter: "enter", Backspace: "delete", Escape: "back", Home: "home" }[e.key];
    if (e.ctrlKey || e.metaKey || e.altKey || e.key === "Tab") return;
    if (key) {
      this.flush();
      this.send({ type: "key", key });
    } else if ([...e.key].length === 1) {
      this.typed += e.key;
      clearTimeout(this.pause);
      this.pause = setTimeout(() => this.flush(), 300);
    } else return;
    e.preventDefault();
    e.stopPropagation();
  }

  // flush sends the keys, which wait while the phone does not follow.
  flush() {
    clearTimeout(this.pause);
    const text = this.typed;
    if (!text) return;
    if (this.full()) { this.pause = setTimeout(() => this.flush(), 300); return; }
    this.typed = "";
    this.send({ type: "text", text });
  }
}
