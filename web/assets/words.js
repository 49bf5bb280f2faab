"use strict";
// The page's words. Keys are the same in both languages; a function takes what is to be put in.
const WORDS = {
  en: {
    other: "中文", logout: "Log out", connected: "live", connecting: "connecting…",
    stale: "The connection to the server is lost. What you see may be out of date; trying again…",
    loginTitle: "Log in", loginHow: "Run this where the server runs, and open the link that it prints. A link works once.",
    empty: "No open questions. This page shows new ones at once.",
    keys: "Keys: J and K move between questions, 1 to 9 choose an option, A goes to the answer, Ctrl+Enter sends it.",
    task: (t) => "Task: " + t, answer: "Your answer", secret: "Your answer (hidden; it is typed into the phone and shown nowhere)",
    send: "Send", refuse: "Refuse to answer", stop: "Stop the task", stopSure: "Really stop?", dismiss: "OK",
    asked: (ago, until) => "asked " + ago + " · can be answered until " + until,
    shot: "The phone's screen when it asked", noAnswer: "The answer is empty.", offline: "The server does not answer. Nothing is lost; try again.",
    now: "just now", minutes: (n) => n + " min ago", hours: (n) => n + " h ago",
    kinds: { info: "", inquiry: "", approval: "Approval", takeover: "Take-over" },
    answered: (who, what) => "answered by " + who + ": " + what, refused: (who) => who + " refused to answer",
    timed_out: () => "nobody answered in time", expired: () => "it expired", withdrawn: (why) => "withdrawn" + (why ? ": " + why : ""),
    through: (who, door) => who + " (" + door + ")", you: "you",
    doors: { page: "inbox page", http: "HTTP", mcp: "MCP client", console: "console", timer: "timer", model: "model", elicit: "client's dialog", cli: "command line", run: "the run" },
  },
  zh: {
    other: "English", logout: "退出登录", connected: "实时", connecting: "连接中…",
    stale: "与服务器的连接已断开，所见内容可能已过期，正在重试…",
    loginTitle: "登录", loginHow: "请在运行服务器的机器上执行以下命令，然后打开它给出的链接。每个链接只能用一次。",
    empty: "没有待回答的问题。新问题会立即显示在这里。",
    keys: "快捷键：J、K 切换问题，1 到 9 选择选项，A 跳到回答框，Ctrl+Enter 发送。",
    task: (t) => "任务：" + t, answer: "您的回答", secret: "您的回答（不会显示，只输入到手机，其他任何地方都看不到）",
    send: "发送", refuse: "拒绝回答", stop: "停止任务", stopSure: "确定停止？", dismiss: "知道了",
    asked: (ago, until) => ago + "提出 · 可回答至 " + until,
    shot: "提问时的手机屏幕", noAnswer: "回答是空的。", offline: "服务器没有响应。内容没有丢失，请重试。",
    now: "刚刚", minutes: (n) => n + " 分钟前", hours: (n) => n + " 小时前",
    kinds: { info: "", inquiry: "", approval: "审批", takeover: "接管" },
    answered: (who, what) => who + " 已回答：" + what, refused: (who) => who + " 拒绝回答",
    timed_out: () => "没有人及时回答", expired: () => "已过期", withdrawn: (why) => "已撤回" + (why ? "：" + why : ""),
    through: (who, door) => who + "（" + door + "）", you: "您",
    doors: { page: "收件页", http: "HTTP", mcp: "MCP 客户端", console: "控制台", timer: "定时器", model: "模型", elicit: "客户端对话框", cli: "命令行", run: "运行" },
  },
};

let lang = document.documentElement.lang === "zh" ? "zh" : "en";
try {
  const kept = localStorage.getItem("taploop.lang");
  if (kept === "en" || kept === "zh") lang = kept;
} catch { /* storage may be switched off */ }

const words = () => WORDS[lang];

// speak puts the words of the present language into everything that names one.
function speak() {
  document.documentElement.lang = lang;
  for (const e of document.querySelectorAll("[data-word]")) e.textContent = words()[e.dataset.word];
  document.getElementById("lang").textContent = words().other;
}
