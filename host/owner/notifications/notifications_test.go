package notifications

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/config"
	"github.com/pdpp-host/pdpp-host/host/notify"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/run/holder"
	"github.com/pdpp-host/pdpp-host/host/vault"
	"github.com/pdpp-host/pdpp-host/storage"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/story"
)

// canary stands in everything that no notification may hold.
const canary = "hunter2-canary"

// world is a store with a connection "mine", and services that an owner is told by.
type world struct {
	*testing.T

	o     *owner.Owner
	store *storage.Store
	log   *safeLog
	good  *service
	bad   *service
}

// service is a webhook.
type service struct {
	*httptest.Server

	told chan string
}

func newService(t *testing.T, status int) *service {
	t.Helper()
	s := &service{told: make(chan string, 20)}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		s.told <- string(body)
		w.WriteHeader(status)
	}))
	t.Cleanup(s.Close)
	return s
}

// safeLog is a log that several goroutines write.
type safeLog struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *safeLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *safeLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func newWorld(t *testing.T) *world {
	t.Helper()
	dir := t.TempDir()
	w := &world{T: t, store: story.Pinned(t, "../../..", dir), log: new(safeLog), good: newService(t, http.StatusOK), bad: newService(t, http.StatusInternalServerError)}
	t.Cleanup(func() { _ = w.store.Close() })
	c, err := config.Load(config.Source{Home: dir, File: os.DevNull, Environ: []string{
		"PDPP_DATA_DIR=" + dir, "PDPP_NETWORK_ALLOW_PRIVATE=" + strings.TrimPrefix(w.good.URL, "http://") + "," + strings.TrimPrefix(w.bad.URL, "http://"),
	}})
	if err != nil {
		t.Fatal(err)
	}
	w.o = owner.New(owner.Deps{
		Config: c, Now: time.Now, Random: rand.Reader, Logger: slog.New(slog.NewTextHandler(w.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Actor: owner.Actor{Face: owner.CommandLine}, Vault: vault.Options{Dir: dir, Mode: vault.ModeFile},
		Open: func(context.Context) (*storage.Store, error) { return w.store, nil },
	})
	if _, err := w.o.Store(t.Context()); err != nil {
		t.Fatal(err)
	}
	return w
}

// add adds a channel to a service, whose address holds the canary.
func (w *world) add(s *service, name string) *Channel {
	w.Helper()
	c, err := Add(w.Context(), w.o, NewChannel{Name: name, Address: notify.Address{Service: s.URL + "/" + canary}})
	if err != nil {
		w.Fatal(err)
	}
	return c
}

// during runs the loop while f does, as a host does between two starts.
func (w *world) during(f func()) {
	w.Helper()
	ctx, stop := context.WithCancel(w.Context())
	var watching sync.WaitGroup
	watching.Go(func() { Watch(ctx, w.o.As(owner.Actor{}, nil)) })
	f()
	stop()
	watching.Wait()
}

// next is the next text that a service is sent.
func (w *world) next(s *service) string {
	w.Helper()
	select {
	case text := <-s.told:
		if strings.Contains(text, canary) {
			w.Errorf("got %s, want nothing that is secret", text)
		}
		return text
	case <-time.After(2 * time.Minute):
		w.Fatalf("nothing came; the log says\n%s", w.log)
		return ""
	}
}

// OC-19, OC-19.2, OC-19.3, OC-19.6: one notification goes out when a connection needs its
// owner and one when its run asks, with its name and no secret, path or word of the
// connector; a channel that fails holds up none, is shown so and pauses; and a host that
// starts again sends nothing again.
func TestOwnersAreToldOnce(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	w := newWorld(t)
	bad, good := w.add(w.bad, "bad"), w.add(w.good, "good")
	conn, err := w.store.Connection(ctx, "mine")
	if err != nil {
		t.Fatal(err)
	}
	refusal := abi.NewError(abi.CodeRootMissing, "the folder /home/"+canary+" does not exist", canary)
	if err := owner.KeepRefusal(ctx, w.store, conn, refusal); err != nil {
		t.Fatal(err)
	}
	w.during(func() {
		if text := w.next(w.good); !strings.Contains(text, `"title":"mine needs you"`) {
			t.Errorf("got %s, want that mine needs its owner", text)
		}
		w.next(w.bad)
	})
	_, looked, err := w.store.NoticeSettings(ctx)
	if b, berr := begin(ctx, w.o, w.store); err != nil || berr != nil || looked.Place == 0 || b.place != looked.Place {
		t.Fatalf("got the last look %+v, %v, %v, want its place, and that the next one goes on from there", looked, err, berr)
	}
	w.during(func() {
		// It changes and still needs its owner, and so does another one.
		if err := owner.KeepRefusal(ctx, w.store, conn, refusal); err != nil {
			t.Fatal(err)
		}
		other, err := w.store.EnsureConnection(ctx, "other", "credentialed")
		if err == nil {
			err = owner.KeepRefusal(ctx, w.store, other, refusal)
		}
		if err != nil {
			t.Fatal(err)
		}
		if text := w.next(w.good); !strings.Contains(text, `"title":"other needs you"`) {
			t.Errorf("got %s, want the other one, and nothing that was sent before", text)
		}
	})
	w.during(func() {
		const id = "q_1"
		if _, err := w.store.BeginRun(ctx, storage.NewRun{
			RunID: "r1", ConnectionID: conn.ID, Connector: "credentialed", Mode: abi.ModeIncremental, Bookmark: storage.BookmarkIncremental, Holder: holder.Self(),
			LeaseTTL: time.Hour, Streams: []string{"notes"},
		}); err != nil {
			t.Fatal(err)
		}
		if err := w.store.OpenQuestion(ctx, storage.Question{ID: id, RunID: "r1", ConnectionID: conn.ID, Kind: abi.InteractionOTP, Message: canary}); err != nil {
			t.Fatal(err)
		}
		if text := w.next(w.good); !strings.Contains(text, `"title":"mine asks for a one-time code"`) {
			t.Errorf("got %s, want the question, and nothing that was sent before", text)
		}
	})
	all, err := List(ctx, w.o)
	if err != nil || len(all.Channels) != 2 {
		t.Fatalf("got %+v, %v, want two channels", all, err)
	}
	for _, c := range all.Channels {
		switch {
		case c.ID == bad.ID && (!c.Failing || c.Failures != 1 || c.Code != string(notify.CodeRefused) || c.NextAt == nil || !c.NextAt.After(time.Now())):
			t.Errorf("got %+v, want that it fails and pauses", c)
		case c.ID == good.ID && (c.Failing || c.SentAt == nil):
			t.Errorf("got %+v, want that it works", c)
		}
	}
	if len(w.good.told)+len(w.bad.told) > 0 {
		t.Errorf("got %d more notifications, want none", len(w.good.told)+len(w.bad.told))
	}
	events, err := w.o.AuditEvents(ctx, owner.AuditQuery{})
	if text := fmt.Sprintf("%+v %+v %s", events, all, w.log); err != nil || strings.Contains(text, canary) {
		t.Errorf("got the secret in %s, %v, want it nowhere", text, err)
	}
}

// OC-19.5: a test goes out at once, also in quiet hours, says what is wrong, and keeps whether
// the channel works; OC-19.4: the hours are checked.
func TestChannelsAndSettings(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	w := newWorld(t)
	good, bad := w.add(w.good, "phone"), w.add(w.bad, "")
	from, until, zone, over := "00:00", "23:59", "UTC", true
	settings, err := ChangeSettings(ctx, w.o, Change{QuietFrom: &from, QuietUntil: &until, Zone: &zone, TellsOver: &over})
	if err != nil || settings.QuietFrom != from || settings.QuietUntil != until || !settings.TellsOver {
		t.Errorf("got %+v, %v, want what was set", settings, err)
	}
	if c, err := Test(ctx, w.o, "phone"); err != nil || c.SentAt == nil || !strings.Contains(w.next(w.good), "This is a test") {
		t.Errorf("got %+v, %v, want that it works", c, err)
	}
	if _, err := Test(ctx, w.o, bad.ID); abi.CodeOf(err) != notify.CodeRefused {
		t.Errorf("got %v, want %s", err, notify.CodeRefused)
	}
	if c, err := Show(ctx, w.o, bad.ID); err != nil || !c.Failing || strings.Contains(c.Name+c.Target, canary) || c.Target == "" {
		t.Errorf("got %+v, %v, want that it fails, by a host alone", c, err)
	}
	for _, wrong := range []Change{
		{QuietFrom: &from}, {QuietFrom: &from, QuietUntil: &from}, {QuietFrom: &zone, QuietUntil: &until}, {Zone: &from},
	} {
		if _, err := ChangeSettings(ctx, w.o, wrong); abi.CodeOf(err) != abi.CodeUsage {
			t.Errorf("%+v: got %v, want %s", wrong, err, abi.CodeUsage)
		}
	}
	key, err := PushKey(ctx, w.o)
	again, aerr := PushKey(ctx, w.o)
	if err != nil || aerr != nil || key == "" || key != again {
		t.Errorf("got the keys %q and %q, %v, %v, want one", key, again, err, aerr)
	}
	if s, err := newSending(ctx, w.o, w.store); err != nil || s.sender.PushKey == nil || s.sender.PushKey.Public != key {
		t.Errorf("got %v, want that the key opens", err)
	}
	if _, err := Remove(ctx, w.o, good.ID); err != nil {
		t.Error(err)
	}
	for _, do := range []func(context.Context, *owner.Owner, string) (*Channel, error){Remove, Test, Show} {
		if _, err := do(ctx, w.o, good.ID); abi.CodeOf(err) != CodeUnknown {
			t.Errorf("got %v, want %s", err, CodeUnknown)
		}
	}
	if _, err := Add(ctx, w.o, NewChannel{Address: notify.Address{Service: "gopher://" + canary}}); abi.CodeOf(err) != notify.CodeAddressInvalid || strings.Contains(err.Error(), canary) {
		t.Errorf("got %v, want %s", err, notify.CodeAddressInvalid)
	}
}

// OC-19.3: pauses grow to an hour.
func TestPause(t *testing.T) {
	t.Parallel()
	for failures, want := range map[int64]time.Duration{0: 30 * time.Second, 1: time.Minute, 3: 4 * time.Minute, 7: time.Hour, 1000: time.Hour} {
		if got := pause(failures); got != want {
			t.Errorf("after %d failures: got %s, want %s", failures, got, want)
		}
	}
}

// An owner is told that an app waits, once an hour at most, in no word of the app's, and not of
// a request that their own browser brings the answer of; RD-44, RD-46.
func TestOwnersAreToldOfApps(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.add(w.good, "good")
	ask := func(id string, change func(*storage.GrantRequest)) {
		t.Helper()
		n := storage.GrantRequest{ID: id, URI: id, ClientID: "c", ClientName: canary, Expires: time.Now().Add(time.Minute)}
		change(&n)
		if err := w.store.NewGrantRequest(t.Context(), n, 50, 200); err != nil {
			t.Fatal(err)
		}
	}
	ask("pushed", func(*storage.GrantRequest) {})
	ask("browser", func(n *storage.GrantRequest) { n.Flow = storage.FlowCode })
	look := func() *watching {
		t.Helper()
		l, err := begin(t.Context(), w.o, w.store)
		if err == nil {
			err = l.look(t.Context())
		}
		if err != nil {
			t.Fatal(err)
		}
		l.sending.running.Wait()
		return l
	}
	if look(); len(w.good.told) != 0 {
		t.Errorf("got %s, want nobody told of what their own browser asks", <-w.good.told)
	}
	ask("waits", func(n *storage.GrantRequest) { n.Token, n.Polling = "t", "p" })
	l := look()
	if text := w.next(w.good); !strings.Contains(text, `"title":"An app asks to read your data"`) || strings.Contains(text, canary) {
		t.Errorf("got %s, want that an app asks, without its name", text)
	}
	ask("device", func(n *storage.GrantRequest) { n.Flow, n.UserCode = storage.FlowDevice, "u" })
	if err := l.look(t.Context()); err != nil {
		t.Fatal(err)
	}
	l.sending.running.Wait()
	if len(w.good.told) != 0 {
		t.Errorf("got %s, want nothing more within the hour", <-w.good.told)
	}
}
