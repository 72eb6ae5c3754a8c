// Subscribes this browser to what the host tells its owner. Without this file the page says
// that the browser cannot be told.
"use strict";
(() => {
  const form = document.getElementById("tell-browser");
  if (!form || !("serviceWorker" in navigator) || !("PushManager" in window) || !("Notification" in window)) return;
  const show = (id, yes) => { document.getElementById(id).hidden = !yes; };
  form.hidden = false;
  show("browser-cannot", false);
  const subscribe = async () => {
    if (await Notification.requestPermission() !== "granted") throw new Error("not granted");
    const answer = await fetch(form.dataset.key, { method: "POST", body: new URLSearchParams({ proof: form.elements.proof.value }) });
    if (!answer.ok || answer.redirected) throw new Error("no key");
    await navigator.serviceWorker.register(form.dataset.worker);
    const manager = (await navigator.serviceWorker.ready).pushManager;
    const old = await manager.getSubscription();
    if (old) await old.unsubscribe(); // it may belong to another key
    const made = (await manager.subscribe({ userVisibleOnly: true, applicationServerKey: await answer.text() })).toJSON();
    form.elements.endpoint.value = made.endpoint;
    form.elements.p256dh.value = made.keys.p256dh;
    form.elements.auth.value = made.keys.auth;
    form.submit();
  };
  form.addEventListener("submit", (e) => {
    e.preventDefault();
    show("browser-did-not", false);
    subscribe().catch(() => show("browser-did-not", true));
  });
})();
