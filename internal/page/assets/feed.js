// What happens, from the server's event stream.
import { ask, read, session } from "./api.js";

const quiet = 35000; // without a sign of the server, in ms; it sends one every 15 s
let source = null; // ends the event stream; null when nobody is logged in
let watchdog = 0, again = 0, wait = 500;

// heard are the functions that are called with what the events of their names bring; link is called with whether the stream is there.
const heard = new Map(), links = [];
let there = null; // whether the stream is, as links know it
const link = (on) => { if (on !== there) for (const f of links) f(there = on); };
export const hears = (name, f) => heard.set(name, [...heard.get(name) || [], f]);
export const onLink = (f) => links.push(f);
export const listening = () => source !== null;

// connect begins the stream anew, unless nobody is logged in.
export async function connect() {
  clearTimeout(again);
  source?.abort();
  const mine = source = new AbortController();
  alive(false);
  await listen(mine.signal).catch(() => {});
  if (mine === source) lost();
}

// listen reads the event stream until it ends. An EventSource sends no header.
async function listen(signal) {
  const r = await ask("/v1/events", { signal });
  if (!r.ok) return;
  alive(true);
  const reader = r.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let rest = ""; ;) {
    const { value, done } = await reader.read();
    if (done) return;
    const events = (rest + value).split("\n\n");
    rest = events.pop();
    events.forEach(hear);
  }
}

function hear(lines) {
  alive(true);
  const event = Object.fromEntries(lines.split("\n").map((line) => line.split(/: (.*)/)));
  const all = heard.get(event.event);
  if (!all) return;
  const data = read(event.data);
  for (const f of all) {
    try {
      Promise.resolve(f(data)).catch(reportError);
    } catch (e) { reportError(e); }
  }
}

// alive notes a sign of the server. Silence is a lost connection too: a phone that slept is told nothing.
function alive(sign) {
  clearTimeout(watchdog);
  watchdog = setTimeout(() => source?.abort(), quiet);
  if (!sign) return;
  wait = 500;
  link(true);
}

// lost tries again, slower each time.
function lost() {
  clearTimeout(watchdog);
  clearTimeout(again);
  link(false);
  again = setTimeout(connect, wait);
  wait = Math.min(wait * 2, 10000);
}

// end ends the stream: nobody is logged in.
export function end() {
  source?.abort();
  source = there = null;
  clearTimeout(watchdog);
  clearTimeout(again);
}

session.over = end;
