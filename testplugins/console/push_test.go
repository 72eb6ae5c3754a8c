package console

import (
	"crypto/ecdh"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/testplugins/rig/bed"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/browser"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/wire"
)

// OC-19.1, OC-19.5: a browser subscribes on the page, the host sends it a message that it
// alone can read, and its service worker shows what stands in it and leads to the overview.
// A service of this machine stands for the one of the browser's vendor.
func TestABrowserIsTold(t *testing.T) {
	t.Parallel()
	browser.Find(t)
	owner := bed.New(t)
	key, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	auth := make([]byte, 16)
	if _, err := rand.Read(auth); err != nil {
		t.Fatal(err)
	}
	sent := make(chan []byte, 1)
	service := owner.Provider(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.WriteHeader(http.StatusCreated)
		sent <- body
	}))
	cookie := owner.Claim()
	v := browser.Visit(t, owner.Origin(), browser.Options{})
	v.Give(cookie)
	v.MayNotify()
	p := v.Page()
	p.Open("/notifications")
	raw := base64.RawURLEncoding
	p.Eval(fmt.Sprintf(`PushManager.prototype.subscribe = async (o) => {
		if (!o.userVisibleOnly || o.applicationServerKey.length < 80) throw new Error("no key");
		return {toJSON: () => ({endpoint: %q, keys: {p256dh: %q, auth: %q}})};
	}; 0`, service+"/push/1", raw.EncodeToString(key.PublicKey().Bytes()), raw.EncodeToString(auth)))
	p.Press("Tell this browser")
	p.See("The channel is added")
	p.PressOne("button", "Test")
	p.See("The test went out")
	var message []byte
	select {
	case body := <-sent:
		if message, err = wire.OpenPush(body, key, auth); err != nil {
			t.Fatal(err)
		}
	case <-time.After(browser.Patience):
		t.Fatal("the push service is sent nothing, want a message")
	}
	var said struct {
		Title string `json:"title"`
		Body  string `json:"body"`
		Tag   string `json:"tag"`
	}
	if err := json.Unmarshal(message, &said); err != nil || said.Title == "" || said.Body == "" {
		t.Fatalf("the message is %s, %v, want a title and a body", message, err)
	}
	p.Push(string(message))
	p.Eval(`setInterval(async () => { window.notes = (await (await navigator.serviceWorker.ready).getNotifications()).map((n) => [n.title, n.body, n.tag].join("|")); }, 50); 0`)
	p.Holds("window.notes && notes.length === 1")
	if got, want := p.Eval("notes[0]").Str(), said.Title+"|"+said.Body+"|"+said.Tag; got != want {
		t.Errorf("the notification says %q, want %q", got, want)
	}
	// A test cannot press a notification: the worker is told so, and where it leads is kept.
	led := v.InWorker(`(async () => {
		const led = [], [note] = await registration.getNotifications();
		clients.openWindow = async (at) => { led.push(at); };
		dispatchEvent(new NotificationEvent("notificationclick", {notification: note}));
		return led.join();
	})()`).Str()
	if led != "/" {
		t.Errorf("the notification leads to %q, want the overview", led)
	}
	p.Holds("notes.length === 0")
}
