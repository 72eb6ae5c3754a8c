// Shows what the host sends to this browser, and leads to the overview, which lists what
// needs its owner. It keeps no page and answers no request.
"use strict";
self.addEventListener("push", (e) => {
  let told = {};
  try { told = e.data.json(); } catch { /* a browser wants something shown for each push */ }
  e.waitUntil(self.registration.showNotification(String(told.title || "pdpp-host"), { body: String(told.body || ""), tag: String(told.tag || "") }));
});
self.addEventListener("notificationclick", (e) => {
  e.notification.close();
  e.waitUntil(self.clients.openWindow("/"));
});
