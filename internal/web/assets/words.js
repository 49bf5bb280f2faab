"use strict";
// The page's words. Keys are the same in both languages; a function takes what is to be put in. The names of the channels come
// from the server.
const WORDS = {
  en: {
    other: "中文", logout: "Log out", connected: "live", connecting: "connecting…",
    stale: "The connection to the server is lost. What you see may be out of date; trying again…",
    loginTitle: "Log in", loginHow: "Run this where the server runs, and open the link that it prints. A link works once.",
    linkUsed: "This link was used before or is too old. taploop ui makes a new one.",
    empty: "No open questions", emptyHow: "This page shows new ones at once.", unknown: "There is no such question, or it was deleted.",
    keys: "Keys: J and K move between questions, 1 to 9 choose an option, A goes to the answer, Esc leaves it, Ctrl+Enter sends it, D sends a draft as it is.",
    suggestion: (by) => "Draft of " + by + ":", sendSuggestion: "Send the draft", model: (by) => "the model " + by, unedited: (by) => " (unedited draft of " + by + ")",
    spent: (u) => "models: " + u.calls + (u.calls === 1 ? " call, " : " calls, ") + u.prompt_tokens + " tokens sent, " + u.completion_tokens + " received, " +
      (u.took_ms / 1000).toFixed(1) + " s" + (u.cost ? ", cost " + u.cost.toFixed(6) : ""),
    decided: (who, what) => "decided by " + who + (what ? ": " + what : ""),
    passedOn: "A model is asked now. Its answer counts, or else what you said.",
    task: (t) => "Task: " + t, from: (who) => "Asked by " + who,
    answer: "Your answer", otherAnswer: "Or another answer", secret: "Your answer (hidden; it is typed into the phone and shown nowhere)",
    hidden: "Your answer (hidden)",
    draft: "Edit the draft. The whole text is your answer.", sendDraft: "Send the text", restore: "Undo my edits",
    send: "Send", refuse: "Refuse to answer", delegate: "Let the agent decide", noTime: "No answer in time", stop: "Stop the task", stopSure: "Really stop?", dismiss: "OK",
    asked: (ago) => "asked " + ago,
    due: (left, then) => left + " left, then " + then, wanted: (left, until) => "wanted within " + left + ", open until " + until,
    overdue: (until) => "still waiting, open until " + until,
    silence: (q) => ({
      default_answer: "“" + (q.fields ? readable(q.fields, q.default_answer) : q.default_answer) + "” is taken",
      continue_without_answer: "it goes on without an answer", abort: "the task ends", reject: "it is not done", auto_reply: "a model answers", model: "a model decides",
    })[(q.on_timeout || "").split(":")[0]] || "",
    seconds: (n) => n + " s", mins: (n) => n + " min", hrs: (n) => n + " h",
    shot: "The phone's screen when it asked", enlarge: "Show it larger",
    noAnswer: "The answer is empty.", fieldsWrong: "Something does not fit yet: see above.", offline: "The server does not answer. Nothing is lost; try again.",
    optional: "optional", missing: "This is needed.", noNumber: "This is no number.", noDate: "There is no such day.", yes: "Yes", no: "No", choose: "Choose…",
    wants: (range) => "Wanted: " + range + ".",
    range: { exactly: "exactly ", to: " to ", least: "at least ", most: "at most ", text: " characters", choices: " choices" },
    now: "just now", minutes: (n) => n + " min ago", hours: (n) => n + " h ago",
    kinds: { info: "", inquiry: "", approval: "Approval", takeover: "Take-over" },
    answered: (who, what) => "answered by " + who + (what ? ": " + what : ""), refused: (who, what) => who + " refused to answer" + (what ? ": " + what : ""),
    delegated: (who) => who + " left it to the agent",
    timed_out: (what) => "nobody answered in time" + (what ? "; taken as agreed: " + what : ""), expired: () => "it expired",
    withdrawn: (why) => "withdrawn" + (why ? ": " + why : ""),
    through: (who, channel) => who + " (" + channel + ")", you: "you",
    under: "Under the finger: ", because: "Asked because: ", severity: "How much harm it can do: ",
    severities: { routine: "little", sensitive: "some", critical: "a lot: only you decide" },
    decisions: { approve: "Approve", edit: "Edit…", reject: "Reject…", respond: "Respond…" },
    decisionBox: { edit: "The action in its place", reject: "Why not, for the agent (if you like)", respond: "What the agent is told instead" },
    sendDecision: "Send the decision", notDecided: "Decide about each action.", noJSON: "This cannot be read as an action.",
    again: "When the same is asked again:", recalled: "a remembered answer",
    scopes: { "": "ask", session: "use this answer, in this session", app: "use this answer, in this app", always: "always use this answer" },
    standingTitle: "What goes on without asking", endIt: "End",
    grant: (g) => ({ session: "Session " + g.name, app: "The app " + g.name, action: "The action " + g.name, all: "Everything" })[g.scope] +
      ": nothing is asked but critical actions, until " + clock(g.until) + (g.by ? " (" + g.by + ")" : ""),
    remembered: (a) => "“" + clip(a.question) + "” is answered with “" + clip(a.answer) + "” " +
      ({ session: "in session " + a.session_id, app: "in the app " + a.app, always: "always" })[a.scope] + ", since " + clock(a.at) + (a.by ? " (" + a.by + ")" : ""),
    workTitle: "Tasks under way", takeOver: "Take over",
    handDone: "Done", handCouldNot: "Could not", handRemark: "A remark for the agent, if you like (nothing secret: it is kept)",
    liveScreen: "The phone's screen, live. Click or tap to touch it, drag to swipe; keys are typed on the phone, Escape goes back, Tab leaves it.",
    liveSees: {
      none: "Waiting for the picture…", locked: "", shown: "",
      secure: "The app in front forbids pictures of its screen. Use the phone itself for this part.", off: "The phone's display is off.",
      lost: "The phone cannot be looked at.",
    },
    liveLost: "The picture is interrupted; trying again…",
    liveKeys: { back: "Back", home: "Home", recents: "Recent apps", delete: "Delete", enter: "Enter", wakeup: "Wake" },
    liveText: "Type on the phone (kept nowhere)", liveType: "Type it", liveShow: "Show",
    liveByHand: "Somebody is using the phone itself, or its screen changes by itself.",
    channelsTitle: "Can be answered at", here: "this page", until: (t) => "until " + t,
    channels: CHANNELS.en,
  },
  zh: {
    other: "English", logout: "退出登录", connected: "实时", connecting: "连接中…",
    stale: "与服务器的连接已断开，所见内容可能已过期，正在重试…",
    loginTitle: "登录", loginHow: "请在运行服务器的机器上执行以下命令，然后打开它给出的链接。每个链接只能用一次。",
    linkUsed: "此链接已被使用或已过期，请运行 taploop ui 获取新链接。",
    empty: "没有待回答的问题", emptyHow: "新问题会立即显示在这里。", unknown: "没有这个问题，或者它已被删除。",
    keys: "快捷键：J、K 切换问题，1 到 9 选择选项，A 跳到回答框，Esc 离开，Ctrl+Enter 发送，D 原样发送草稿。",
    suggestion: (by) => by + " 拟的回答：", sendSuggestion: "发送草稿", model: (by) => "模型 " + by, unedited: (by) => "（" + by + " 的草稿，未作修改）",
    spent: (u) => "模型：调用 " + u.calls + " 次，发送 " + u.prompt_tokens + " 个 token，收到 " + u.completion_tokens + " 个，" +
      (u.took_ms / 1000).toFixed(1) + " 秒" + (u.cost ? "，费用 " + u.cost.toFixed(6) : ""),
    decided: (who, what) => "由" + who + "决定" + (what ? "：" + what : ""),
    passedOn: "现在由模型来回答。以它的回答为准；它没有回答时，以你所说的为准。",
    task: (t) => "任务：" + t, from: (who) => "提问者：" + who,
    answer: "您的回答", otherAnswer: "或者其他回答", secret: "您的回答（不会显示，只输入到手机，其他任何地方都看不到）",
    hidden: "您的回答（不会显示）",
    draft: "请修改草稿，全文就是您的回答。", sendDraft: "发送全文", restore: "撤销我的修改",
    send: "发送", refuse: "拒绝回答", delegate: "由助手决定", noTime: "按超时处理", stop: "停止任务", stopSure: "确定停止？", dismiss: "知道了",
    asked: (ago) => ago + "提出",
    due: (left, then) => "还剩 " + left + "，之后" + then, wanted: (left, until) => "希望在 " + left + "内回答，可回答至 " + until,
    overdue: (until) => "仍在等待回答，可回答至 " + until,
    silence: (q) => ({
      default_answer: "采用“" + (q.fields ? readable(q.fields, q.default_answer) : q.default_answer) + "”",
      continue_without_answer: "不等回答继续", abort: "任务结束", reject: "不执行", auto_reply: "由模型回答", model: "由模型决定",
    })[(q.on_timeout || "").split(":")[0]] || "",
    seconds: (n) => n + " 秒", mins: (n) => n + " 分钟", hrs: (n) => n + " 小时",
    shot: "提问时的手机屏幕", enlarge: "放大查看",
    noAnswer: "回答是空的。", fieldsWrong: "有些内容还不符合要求，请看上面的提示。", offline: "服务器没有响应。内容没有丢失，请重试。",
    optional: "选填", missing: "此项必填。", noNumber: "这不是数字。", noDate: "没有这一天。", yes: "是", no: "否", choose: "请选择…",
    wants: (range) => "要求：" + range + "。",
    range: { exactly: "正好 ", to: " 到 ", least: "至少 ", most: "最多 ", text: " 个字符", choices: " 项" },
    now: "刚刚", minutes: (n) => n + " 分钟前", hours: (n) => n + " 小时前",
    kinds: { info: "", inquiry: "", approval: "审批", takeover: "接管" },
    answered: (who, what) => who + " 已回答" + (what ? "：" + what : ""), refused: (who, what) => who + " 拒绝回答" + (what ? "：" + what : ""),
    delegated: (who) => who + " 让助手自己决定",
    timed_out: (what) => "没有人及时回答" + (what ? "，按事先约定采用：" + what : ""), expired: () => "已过期",
    withdrawn: (why) => "已撤回" + (why ? "：" + why : ""),
    through: (who, channel) => who + "（" + channel + "）", you: "您",
    under: "手指所在的元素：", because: "询问原因：", severity: "可能的影响：",
    severities: { routine: "很小", sensitive: "较大", critical: "很大，只能由您决定" },
    decisions: { approve: "同意", edit: "修改…", reject: "拒绝…", respond: "答复…" },
    decisionBox: { edit: "替换成的操作", reject: "拒绝的原因，告知助手（可以不填）", respond: "告知助手的答复" },
    sendDecision: "发送决定", notDecided: "请对每个操作作出决定。", noJSON: "无法读作一个操作。",
    again: "再次问到同样的问题时：", recalled: "记住的回答",
    scopes: { "": "询问", session: "在本会话中沿用此回答", app: "在此应用中沿用此回答", always: "始终沿用此回答" },
    standingTitle: "不再询问的事项", endIt: "结束",
    grant: (g) => ({ session: "会话 " + g.name, app: "应用 " + g.name, action: "操作 " + g.name, all: "全部" })[g.scope] +
      "：除关键操作外不再询问，直到 " + clock(g.until) + (g.by ? "（" + g.by + "）" : ""),
    remembered: (a) => "“" + clip(a.question) + "”沿用回答“" + clip(a.answer) + "”，" +
      ({ session: "会话 " + a.session_id, app: "应用 " + a.app, always: "始终" })[a.scope] + "，始于 " + clock(a.at) + (a.by ? "（" + a.by + "）" : ""),
    workTitle: "正在进行的任务", takeOver: "接管",
    handDone: "已完成", handCouldNot: "没能完成", handRemark: "给助手的说明，可以不填（会被保存，不要写保密内容）",
    liveScreen: "手机实时屏幕。点击即触摸，拖动即滑动；按键会输入到手机，Esc 返回，Tab 离开。",
    liveSees: {
      none: "正在等待画面…", locked: "", shown: "",
      secure: "当前应用禁止截屏，这一步请直接在手机上操作。", off: "手机屏幕已关闭。", lost: "无法查看手机。",
    },
    liveLost: "画面中断，正在重试…",
    liveKeys: { back: "返回", home: "主屏幕", recents: "最近任务", delete: "删除", enter: "回车", wakeup: "点亮屏幕" },
    liveText: "输入到手机（不会保存）", liveType: "输入", liveShow: "显示",
    liveByHand: "有人正在直接操作手机，或者屏幕自己在变化。",
    channelsTitle: "可以在此回答", here: "本页", until: (t) => "至 " + t,
    channels: CHANNELS.zh,
  },
};

let lang = document.documentElement.lang === "zh" ? "zh" : "en";
try {
  const kept = localStorage.getItem("taploop.lang");
  if (kept === "en" || kept === "zh") lang = kept;
} catch { /* storage may be switched off */ }

const words = () => WORDS[lang];

// limits says what a field takes in the words, "" for anything.
function limits({ range: w }, { min, max, type }) {
  const what = w[type] || "";
  if (min !== undefined && max !== undefined) return (min === max ? w.exactly + min : min + w.to + max) + what;
  return min !== undefined ? w.least + min + what : max !== undefined ? w.most + max + what : "";
}

// speak puts the words of the present language into everything that names one.
function speak() {
  document.documentElement.lang = lang;
  for (const e of document.querySelectorAll("[data-word]")) e.textContent = words()[e.dataset.word];
  document.getElementById("lang").textContent = words().other;
}
