// The page: who is logged in, which part of it the address names, and what is drawn again when something has changed.
import { render } from "./preact.js";
import { call, keep, problem, session } from "./api.js";
import { Answered } from "./answered.js";
import { connect, end, hears, listening, onLink } from "./feed.js";
import * as inbox from "./inbox.js";
import * as home from "./home.js";
import * as model from "./model.js";
import { Phone } from "./phone.js";
import * as push from "./push.js";
import { Runs } from "./runs.js";
import { Session, sessionEvents } from "./session.js";
import { Settings } from "./settings.js";
import { Skills } from "./skills.js";
import { Nowhere, answersAgain, html } from "./view.js";
import { changeLanguage, speak, words } from "./words.js";

const $ = (id) => document.getElementById(id);
let up = false; // the event stream is there
let renewed = null;

// The pages besides home, by the beginning of their path. The rest of it is the id.
const pages = [["/ui/sessions/", Session], ["/ui/phones/", Phone], ["/ui/sessions", Runs], ["/ui/answered", Answered],
  ["/ui/skills", Skills], ["/ui/settings", Settings]];

// place is the page that the address names, and its id; null is home, also for an id that is none.
function place() {
  const path = location.pathname.replace(/(.)\/$/, "$1"), found = pages.find(([at]) => at.endsWith("/") ? path.startsWith(at) : path === at);
  if (!found) return path === "/" || path === "/ui" ? null : [Nowhere, ""];
  try { return [found[1], decodeURIComponent(path.slice(found[0].length))]; } catch { return null; }
}

function draw() {
  const at = place(), inside = listening();
  $("home").hidden = !inside || at !== null;
  $("page").hidden = !inside || at === null;
  $("nav").hidden = !inside;
  for (const a of $("nav").children) {
    if (a.getAttribute("href") === location.pathname) a.setAttribute("aria-current", "page");
    else a.removeAttribute("aria-current");
  }
  render(inside && at ? html`<${at[0]} key=${location.pathname + document.documentElement.lang} id=${at[1]} go=${goTo} />` : null, $("page"));
  if (!inside || at) return;
  for (const [id, Part] of [["start", home.Start], ["work-list", home.Running], ["phones-list", home.Phones],
    ["standing-body", home.Standing]]) render(html`<${Part} />`, $(id));
  render(html`<${home.Results} list=${model.model.recent} />`, $("recent-list"));
}

// goTo shows another page without loading anew, and the question that its address names.
function goTo(path) {
  history.pushState(null, "", path);
  draw();
  window.scrollTo(0, 0);
  inbox.want(new URLSearchParams(location.hash.slice(1)).get("question"));
  inbox.select();
}

function link(on) {
  up = on;
  document.body.classList.toggle("lost", !on);
  $("stale").hidden = on;
  $("link").textContent = on ? words().connected : words().connecting;
  if (on) {
    $("login").hidden = true;
    $("logout").hidden = false;
    renewed ||= push.renew().catch(() => {});
  }
  inbox.count();
  draw();
}

function showLogin() {
  end();
  inbox.leave();
  model.clear();
  document.body.classList.remove("lost");
  $("stale").hidden = true;
  $("link").textContent = "";
  $("login").hidden = false;
  $("logout").hidden = true;
  draw();
}
session.over = showLogin;

let refused = () => ""; // why a link logs nobody in, in the present language

// enter reads the address: #login=CODE, #question=ID, or both. The code is taken out at once, so that it stays in no history,
// and traded for a login. It tells whether the page has to connect anew.
async function enter() {
  const hash = new URLSearchParams(location.hash.slice(1)), code = hash.get("login");
  inbox.want(hash.get("question"));
  if (!code) return false;
  const wanted = inbox.wants();
  history.replaceState(null, "", location.pathname + (wanted ? "#question=" + encodeURIComponent(wanted) : ""));
  const { status, json } = await call("POST", "/ui/login", { code }).catch(() => ({}));
  if (status === 200) keep(json.login);
  refused = () => status === 200 ? "" : json?.error?.code === "LINK_USED" ? words().linkUsed : problem(json || {}).message;
  $("login-error").textContent = refused();
  return true;
}

hears("snapshot", (s) => { answersAgain(); model.snapshot(s); return inbox.snapshot(s); });
hears("session.state", model.stands);
hears("step", (s) => { inbox.step(s); model.stepped(s); });
for (const what of ["created", "drafted"]) hears("inquiry." + what, inbox.show);
for (const what of ["resolved", "withdrawn", "expired"]) hears("inquiry." + what, inbox.settle);
hears("inquiry.created", push.asked);
for (const what of ["resolved", "withdrawn", "expired"]) hears("inquiry." + what, push.settled);
sessionEvents(hears);
onLink(link);
model.onChange(draw);
inbox.watch((q) => { if (q.resolution?.remember || q.resolution?.recalled) model.loadStanding(); });

document.addEventListener("keydown", (e) => { if (!$("home").hidden) inbox.keys(e); });
// A link to another part of the page leaves this one loaded.
document.addEventListener("click", (e) => {
  const a = e.target.closest?.("a[href^='/ui']");
  if (!a || e.defaultPrevented || e.button || e.metaKey || e.ctrlKey || e.shiftKey || a.target || a.hasAttribute("download")) return;
  e.preventDefault();
  goTo(a.getAttribute("href"));
});
addEventListener("popstate", draw);
$("lang").addEventListener("click", () => {
  changeLanguage();
  $("login-error").textContent = refused();
  if (listening()) {
    link(up);
    push.renew().catch(() => {}); // what is pushed from now on is in that language, too
  }
  inbox.speak();
  draw();
});
$("logout").addEventListener("click", async () => {
  await push.turnOff().catch(() => {}); // who is not logged in is told nothing
  await call("POST", "/ui/logout").catch(() => ({}));
  keep("");
  showLogin();
  inbox.forget();
});
// A link opened in this very tab.
addEventListener("hashchange", () => enter().then((anew) => anew ? connect() : inbox.select()));
// Whoever logs in in another tab and comes back here is logged in here, too.
document.addEventListener("visibilitychange", () => { if (!document.hidden && !listening()) connect(); });
// A browser keeps a page that was left for the way back, with its connections, of which it has few.
addEventListener("pagehide", end);
addEventListener("pageshow", (e) => { if (e.persisted) connect(); });
$("large").addEventListener("click", () => $("large").close());
setInterval(() => { if (!document.hidden) inbox.tick(); }, 5000);
setInterval(() => { if (!document.hidden) model.loadPhones(); }, 1500);
setInterval(() => { if (!document.hidden) model.loadStanding(); }, 15000);
speak();
enter().then(connect);
