// Runs beside the page: shows what the server pushes, and opens the page at it.
addEventListener("install", () => self.skipWaiting());
addEventListener("activate", (e) => e.waitUntil(self.clients.claim()));

addEventListener("push", (e) => {
  const { title, body, tag, url, lang } = e.data.json();
  e.waitUntil(self.registration.showNotification(title, { body, tag, lang, data: url, icon: "/ui/icon.svg", renotify: true }));
});

addEventListener("notificationclick", (e) => {
  e.notification.close();
  e.waitUntil(open(new URL(e.notification.data, location.origin)));
});

// open shows the page at an address of its own, in a window that there is already if possible.
async function open(at) {
  if (at.origin !== location.origin || !/^\/ui(\/|$)/.test(at.pathname)) return undefined;
  for (const c of await self.clients.matchAll({ type: "window" })) {
    try { return await (await c.navigate(at.href)).focus(); } catch { /* it is not under this worker */ }
  }
  return self.clients.openWindow(at.href);
}
