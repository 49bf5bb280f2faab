// Requests of the page. What logs this browser in is kept in the storage of the page's origin, where the port counts, and sent as
// a header: a cookie would go to the other servers of the host, too.
import { newID } from "./dom.js";
import { words } from "./words.js";

let secret = ""; // when there is no storage, it holds until the page is left

export function keep(login) {
  secret = login;
  try {
    if (login) localStorage.setItem("taploop.login", login);
    else localStorage.removeItem("taploop.login");
  } catch { /* storage may be switched off */ }
}

export function login() {
  try { return localStorage.getItem("taploop.login") || secret; } catch { return secret; }
}

// session tells the page that its login does not hold any more.
export const session = { over() {} };

// kept are the answers that a page which stands alone has in itself, by their paths.
const kept = new Map([...document.querySelectorAll("script[data-path]")].map((e) => [e.dataset.path, e]));
export const alone = kept.size > 0;

// ask sends a request of this browser. A login that does not hold any more is asked for.
export async function ask(path, options = {}) {
  if (alone) return new Response(kept.get(path)?.textContent || "", { status: kept.has(path) ? 200 : 404 });
  const headers = { "X-Taploop-Login": login(), "Content-Type": "application/json", ...options.headers };
  const r = await fetch(path, { cache: "no-store", ...options, headers });
  if (r.status === 401) session.over();
  return r;
}

// hidden is what could turn the direction of writing, or hide what a text says; the joiners of scripts and emoji are no part of it.
const hidden = /(?![\n\t\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\u034f\u115f\u1160\u3164\uffa0\u{e0100}-\u{e01ef}]/gu;

// exact is a number of a JSON text to the digit, as JSON.stringify writes it: a whole one may be an id that no number is equal to.
const exact = (v, at) => at && JSON.rawJSON && !Number.isSafeInteger(v) && /^-?\d+$/.test(at.source) ? JSON.rawJSON(at.source) : v;

// parse is JSON.parse with every digit.
export const parse = (text) => JSON.parse(text, (_, v, at) => typeof v === "number" ? exact(v, at) : v);

// clean is a value without what is hidden in its words: models, phones and other people wrote them. The arguments of an action stay
// as they are, since an edit sends them back.
export const clean = (v, of) => typeof v === "string" ? v.replace(hidden, "") : !v || typeof v !== "object" || JSON.isRawJSON?.(v) ? v :
  Array.isArray(v) ? v.map((x) => clean(x, of)) :
    Object.fromEntries(Object.entries(v).map(([k, x]) => [k, of === "action_requests" && k === "args" ? x : clean(x, k)]));

// read is a JSON text of the server's.
export const read = (text) => clean(parse(text));

// visible is a text in which what is hidden can be seen.
export const visible = (text) => text.replace(hidden, (s) => s.split("").map((c) => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0")).join(""));

// told is arguments as JSON, where what is hidden can be seen.
export const told = (args) => visible(JSON.stringify(args, null, 1));

export async function call(method, path, body, headers) {
  const r = await ask(path, { method, body: JSON.stringify(body), headers });
  return { status: r.status, json: await r.text().then(read).catch(() => ({})) };
}

// get is the object at a path, or null.
export async function get(path) {
  const { status, json } = await call("GET", path).catch(() => ({}));
  return status === 200 ? json : null;
}

// problem is what is wrong: in people's words where the page has some for it, else as the server says it.
export const problem = (json) => {
  if (!json.error) return { message: words().offline };
  const { code, message, mend, holder } = json.error, known = words().wrongs[code];
  return { code, message: known || message, mend: known ? "" : mend, holder, fields: json.fields };
};

// act sends a request that changes something. It returns what is wrong, or nothing.
export const act = (path, body) => wrongIn(call("POST", path, body));

// wrongIn is what is wrong, or nothing, once the answer has come.
export async function wrongIn(answer) {
  const { status, json } = await answer.catch(() => ({ json: {} }));
  return status >= 200 && status < 300 ? undefined : problem(json);
}

// once sends a request that begins or tells something. The same one again within ten minutes, because no answer came, has the same
// key: then it is the same request for the server, too.
const unanswered = new Map(); // keys, by path and body
export async function once(path, body) {
  const same = path + JSON.stringify(body), key = unanswered.get(same) || newID();
  unanswered.set(same, key);
  setTimeout(() => unanswered.delete(same), 600000);
  const answer = await call("POST", path, body, { "Idempotency-Key": key });
  if (answer.status < 500) unanswered.delete(same);
  return answer;
}

export const sessionPath = (id, what = "") => "/v1/sessions/" + encodeURIComponent(id) + what;
export const devicePath = (serial, what = "") => "/v1/devices/" + encodeURIComponent(serial) + what;

// patiently is what read makes of the answer at a path, or "" where there is none. A server that is away or busy is asked again
// until over says that nobody wants it any more.
async function patiently(path, read, over) {
  for (let wait = 500; !over(); wait = Math.min(wait * 2, 8000)) {
    const r = await ask(path).catch(() => null);
    if (r?.ok) return read(r);
    if (r && r.status < 500 && r.status !== 429) break;
    await new Promise((done) => setTimeout(done, wait));
  }
  return "";
}

// picture returns an address of this page, which the caller revokes, or "" where there is no picture: an img sends no header.
export async function picture(url, over) {
  if (alone) return kept.has(url) ? "data:image/jpeg;base64," + kept.get(url).textContent : "";
  return patiently(url, async (r) => URL.createObjectURL(await r.blob()), over);
}

// phone is the serial of a session's phone, "" when there is none.
export const phone = (session, over) => patiently(sessionPath(session), async (r) => (await r.json()).serial || "", over);

// steps are the last ones of a session.
export const steps = (session, over) => patiently(sessionPath(session, "/steps?last=5"), async (r) => (await r.json()).steps || [], over);

export const live = (serial, signal) => ask(devicePath(serial, "/live"), { signal });
export const input = (serial, body) => act(devicePath(serial, "/input"), body);
