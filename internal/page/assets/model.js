// What the page knows of runs and phones. Whoever shows it is called when it has changed.
import { act, call, get, once, problem, sessionPath, wrongIn } from "./api.js";
import { listening } from "./feed.js";

export const model = {
  sessions: new Map(), // under way, by id: a session with its run, and the last step in step
  recent: [],          // sessions that have ended, the newest first
  phones: null,        // null until they are known
  phonesWrong: "",     // why they are not
  grants: [], answers: [],
  farm: null,          // the machines, for those who may see them
};

const watchers = new Set();
let told = 0;

// onChange has f called after a change, at most once a frame. The returned function ends that.
export function onChange(f) {
  watchers.add(f);
  return () => watchers.delete(f);
}

export function changed() {
  if (told) return;
  told = setTimeout(() => { told = 0; for (const f of watchers) f(); }, 16);
}

const ended = new Set(["COMPLETED", "ABORTED", "FAILED", "CANCELLED", "EXPIRED"]);
export const isOver = (run) => !run || ended.has(run.state);

export function snapshot(s) {
  const before = model.sessions;
  model.sessions = new Map();
  for (const x of s.sessions || []) model.sessions.set(x.session_id, { ...x, step: before.get(x.session_id)?.step });
  for (const x of model.sessions.values()) if (!x.step && x.run) lastStep(x.session_id);
  changed();
  loadRecent();
  loadPhones();
  loadStanding();
  loadFarm();
}

async function lastStep(id) {
  const steps = (await get(sessionPath(id, "/steps?last=1")))?.steps || [];
  const x = model.sessions.get(id);
  if (x && !x.step && steps.length) { x.step = steps.at(-1); changed(); }
}

// stands notes how a session stands.
export function stands(s) {
  const step = model.sessions.get(s.session_id)?.step;
  if (!isOver(s.run)) {
    model.sessions.set(s.session_id, { ...s, step });
    if (!step) lastStep(s.session_id); // its event may have come before
  } else {
    model.sessions.delete(s.session_id);
    model.recent = [s, ...model.recent.filter((r) => r.session_id !== s.session_id)].slice(0, 8);
  }
  changed();
  loadPhones();
}

export function stepped(step) {
  const x = model.sessions.get(step.session_id);
  if (!x) return;
  [x.step, x.run] = [step, { ...x.run, tokens: step.run_tokens }];
  changed();
}

async function loadRecent() {
  const list = (await get("/v1/sessions?over=true&limit=8"))?.sessions;
  if (list) { model.recent = list; changed(); }
}

let loading = null, asked = -Infinity;
const inView = (e) => { const r = e.getBoundingClientRect(); return r.height > 0 && r.bottom > 0 && r.top < innerHeight; };
// what phones show is asked for every so many ms: seldom where none is in view that no run drives, as each answer costs a phone commands
const asksEvery = () => [...document.querySelectorAll(".phones [data-free], .phone-page")].some(inView) ? 1000 : 10000;

// loadPhones asks which phones there are, and now and then what they show. Calls that come while it asks share the answer.
export function loadPhones() {
  if (!listening()) return null;
  const states = performance.now() - asked > asksEvery(), known = new Map((model.phones || []).map((p) => [p.device_id, p]));
  if (states && !loading) asked = performance.now();
  return loading ||= call("GET", "/v1/devices" + (states ? "?states=true" : "")).catch(() => ({})).then(({ status, json }) => {
    loading = null;
    const kept = ({ app, app_names, display, battery } = {}) => states ? {} : { app, app_names, display, battery };
    if (status === 200) [model.phones, model.phonesWrong] = [json.devices.map((p) => ({ ...kept(known.get(p.device_id)), ...p })), ""];
    else if (json?.error) model.phonesWrong = json.error.message + (json.error.mend ? " " + json.error.mend : "");
    changed();
  });
}

// loadStanding asks for what goes on without asking.
export async function loadStanding() {
  if (!listening()) return;
  const [grants, answers] = await Promise.all([get("/v1/grants"), get("/v1/answers")]);
  if (!grants || !answers) return;
  [model.grants, model.answers] = [grants.grants, answers.answers];
  changed();
}

// loadFarm asks for the machines.
export const loadFarm = async () => knowFarm(await get("/v1/farm"));

// knowFarm keeps the machines.
function knowFarm(farm) {
  if (farm) model.farm = farm;
  changed();
}

// shared tells whether there may be other machines.
export const shared = () => !!model.farm?.workers?.some((x) => x.id);

export function clear() {
  Object.assign(model, { sessions: new Map(), recent: [], phones: null, grants: [], answers: [], farm: null });
  changed();
}

// The requests that change something return what is wrong, or nothing.
export const stop = (id) => act(sessionPath(id, "/stop"));
export const pause = (id) => act(sessionPath(id, "/pause"));
export const takeOver = (id) => act(sessionPath(id, "/takeover"));
export const say = (id, text) => wrongIn(once(sessionPath(id, "/message"), { text }));
export const goOn = (id, more = {}) => wrongIn(once(sessionPath(id, "/continue"), { ...detached, ...more }));
export const remove = (id) => act(sessionPath(id, "/delete"));
export const forget = (id) => act("/v1/answers/" + encodeURIComponent(id) + "/forget").then(after);
export const endGrant = ({ scope, name, target }) => act("/v1/grants/end", { scope, name, target }).then(after);
export const grant = (body) => act("/v1/grants", body).then(after);
const after = (wrong) => { loadStanding(); return wrong; };

// onFarm changes what machines do.
async function onFarm(what, body) {
  const { status, json } = await call("POST", "/v1/farm/" + what, body).catch(() => ({ json: {} }));
  if (status !== 200) return problem(json);
  knowFarm(json);
  loadPhones();
  return undefined;
}
export const drain = (worker) => onFarm("drain", { worker });
export const cordon = (id, off) => onFarm("cordon", { device_id: id, off });
export const requeue = (id) => onFarm("requeue", { session_id: id });

const detached = { wait_seconds: 0, detached_ok: true };

// start begins a task, and runSkill repeats a skill. They return the session's id and what is wrong.
// more is what is asked for besides, where the phone is taken.
export const start = (task, device, more) => begin("/v1/sessions", { task, ...more }, device);
export const runSkill = (name, params, device, more) => begin("/v1/skills/" + encodeURIComponent(name) + "/run", { params, ...more }, device);

async function begin(path, body, device) {
  const { status, json } = await once(path, { ...body, ...detached, ...device ? { device_id: device } : {} }).catch(() => ({ json: {} }));
  if (status === 201) return [json.session_id, undefined];
  return ["", problem(json)];
}
