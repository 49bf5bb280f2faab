// Small things that several parts of the page make.
import { words } from "./words.js";

// el makes an element with a class, a text and attributes.
export function el(tag, cls, text, attrs) {
  const e = document.createElement(tag);
  if (cls) e.className = cls;
  if (text !== undefined) e.textContent = text;
  for (const [k, v] of Object.entries(attrs || {})) e.setAttribute(k, v);
  return e;
}

// newID is for a request: the same one again is the same request. randomUUID is not there on plain HTTP in a network.
export function newID() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (b) => b.toString(16).padStart(2, "0")).join("");
}

// unfocused tells whether nothing has the focus, as when the button that had it was disabled or has gone.
export const unfocused = () => !document.activeElement || document.activeElement === document.body;

const sureFor = 4000, notBefore = 700; // of a second press, in ms

// sure lets only a second press within four seconds do something, and not at once: a double click stops no task. armed is called
// with whether the first press was taken, and act with the second.
export function sure(armed, act) {
  let timer = 0, asked = 0;
  return (e) => {
    if (!timer) {
      asked = performance.now();
      timer = setTimeout(() => { timer = 0; armed(false); }, sureFor);
      return armed(true);
    }
    if (e.detail > 1 || performance.now() - asked < notBefore) return;
    clearTimeout(timer);
    timer = 0;
    armed(false);
    return act();
  };
}

// stopper is a button that stops a task, when it is pressed twice.
export function stopper(act) {
  const b = el("button", "danger stop", words().stop, { type: "button" });
  b.addEventListener("click", sure((on) => { b.textContent = on ? words().stopSure : words().stop; }, act));
  return b;
}
