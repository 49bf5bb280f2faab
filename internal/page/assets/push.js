// Notifications on this device: by the server where the browser has a push service, and by the page while it is open.
import { act, get } from "./api.js";
import { title } from "./inbox.js";
import { clip, language, words } from "./words.js";

const able = "serviceWorker" in navigator && "Notification" in window && isSecureContext;
const script = window.trustedTypes ? trustedTypes.createPolicy("worker", { createScriptURL: () => "/ui/worker.js" }).createScriptURL("") : "/ui/worker.js";
let worker = null; // its registration, to come

const working = async () => able ? (worker ||= navigator.serviceWorker.register(script, { scope: "/ui" }).then(() => navigator.serviceWorker.ready)) : null;
const subscription = async () => (await working())?.pushManager?.getSubscription();

const wanted = (on) => {
  try {
    if (on !== undefined) localStorage.setItem("taploop.notify", on ? "on" : "off");
    return localStorage.getItem("taploop.notify") === "on";
  } catch { return false; }
};

// state is "unable", "blocked", "on" or "off".
export const state = () => !able ? "unable" : Notification.permission === "denied" ? "blocked" : wanted() && Notification.permission === "granted" ? "on" : "off";

const tell = (s) => {
  const { endpoint, keys } = s.toJSON();
  return act("/v1/push", { endpoint, keys, lang: language() });
};

// renew has the server keep this browser's subscription, which ends unless the page is opened now and then.
export async function renew() {
  if (state() !== "on") return;
  const s = await subscription().catch(() => null);
  if (s) await tell(s);
}

// turnOn asks the person, and subscribes. It returns what is wrong, or nothing.
export async function turnOn() {
  if (await Notification.requestPermission() !== "granted") return { message: words().notifyBlocked };
  const key = (await get("/v1/push"))?.key, push = (await working()).pushManager;
  wanted(true);
  const s = key && push ? await push.subscribe({ userVisibleOnly: true, applicationServerKey: key }).catch(() => null) : null;
  return s ? tell(s) : undefined; // without a push service the page tells while it is open
}

export async function turnOff() {
  wanted(false);
  const s = await subscription().catch(() => null);
  if (!s) return undefined;
  await s.unsubscribe();
  return act("/v1/push/forget", { endpoint: s.endpoint });
}

// asked tells of a new question while the page is open and not seen.
export async function asked(q) {
  if (!document.hidden || state() !== "on") return;
  const options = { body: clip(title(q)), tag: q.question_id, lang: language(), data: "/ui#question=" + q.question_id, icon: "/ui/icon.svg" };
  await (await working()).showNotification(words().notifyWaits, options);
}

// settled takes back what was told of a question.
export async function settled(q) {
  if (state() !== "on") return;
  for (const n of await (await working()).getNotifications({ tag: q.question_id })) n.close();
}
