package sites

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/host/vault"
	"github.com/pdpp-host/pdpp-host/storage"
)

const (
	password = "canary-hunter2"
	code     = "canary-491823"
)

// owner answers questions for a code, and counts them.
type owner struct{ asked atomic.Int64 }

func (o *owner) Ask(_ context.Context, in abi.Interaction) (abi.InteractionResponse, error) {
	o.asked.Add(1)
	if in.Kind != abi.InteractionOTP {
		return abi.InteractionResponse{Status: abi.ResponseCancelled}, nil
	}
	return abi.InteractionResponse{Status: abi.ResponseSuccess, Data: map[string]string{"code": code}}, nil
}

// T1: a password that the host types, a code that the owner is asked for, a list of three pages,
// 25 details and a download become records; the second run signs in with nothing asked; neither
// password nor code stands anywhere (BR-13, BR-18.2, Invariant 5); the run counts each request once
// (BR-07, Invariant 10). Its sign-in is framed by the host's checkpoints, with the connector's own
// between them (RT-14.1, RT-14.2, BR-11), in the profile of its connection (RT-02.1).
func TestShop(t *testing.T) {
	t.Parallel()
	shop := &Shop{Username: "ana", Password: password, Code: code, Orders: 25}
	var throttled atomic.Int64
	shop.Fault = func(r *http.Request) int {
		if r.URL.Path == "/api/orders/1007" && throttled.Add(1) == 1 {
			return http.StatusTooManyRequests
		}
		return 0
	}
	site := Serve(shop)
	t.Cleanup(site.Close)
	w := newWorld(t, site)
	o := &owner{}
	w.secrets, w.asker = map[string]string{"username": "ana", "password": password}, o
	for n := 1; n <= 2; n++ {
		before := len(site.Hits())
		res := w.collect()
		if res.Status != run.StatusSucceeded || res.Records["orders"].Upserted+res.Records["orders"].Unchanged != 25 {
			t.Fatalf("run %d: got %s %s %+v, records %+v, want 25 orders", n, res.Status, res.Reason, res.Error, res.Records)
		}
		if o.asked.Load() != 1 || shop.Tries() != 1 {
			t.Errorf("run %d: got %d questions and %d passwords, want one of each in the first run alone", n, o.asked.Load(), shop.Tries())
		}
		if d := w.sessions[n-1].DoubleWaits(); d != 0 {
			t.Errorf("run %d: %d requests waited twice, want none (RT-20.3)", n, d)
		}
		// The page that is left when the owner is signed in takes along what it had begun to ask for.
		if got, want := res.Requests.Sent, int64(len(site.Hits())-before); got < want || got > want && (n == 2 || got > want+9) {
			t.Errorf("run %d: the run counts %d requests, the sites got %d, want each once", n, got, want)
		}
		t.Logf("run %d: %d ms, %d requests, %d throttled", n, res.DurationMS, res.Requests.Sent, throttled.Load())
	}
	w.told(t, "ads.example")
	w.marked(t, "session-establish:begin", "owner-asked", "session-established")
	if found, err := filepath.Glob(filepath.Join(w.dir, "profiles", "example_shop-*")); err != nil || len(found) != 1 {
		t.Errorf("got the profiles %v, %v, want the connection's own", found, err)
	}
	w.looked(t)
	w.unseen(t, password, code)
}

// vaulted seals with a key of the test's own.
type vaulted struct{ *vault.Vault }

func (v vaulted) Seal(_ context.Context, plain []byte) ([]byte, error) {
	return v.Vault.Seal("connection", "browser_session", plain)
}

func (v vaulted) Unseal(_ context.Context, sealed []byte) ([]byte, error) {
	return v.Vault.Unseal("connection", "browser_session", sealed)
}

// T12: a session that ends with the browser is there in the next run, and lies sealed between
// them; where the key is another one, the owner signs in again (BR-18).
func TestSessionIsKept(t *testing.T) {
	t.Parallel()
	shop := &Shop{Username: "ana", Password: password, Orders: 2, SessionOnly: true}
	site := Serve(shop)
	t.Cleanup(site.Close)
	w := newWorld(t, site)
	w.secrets = map[string]string{"username": "ana", "password": password}
	for n, want := range []int{1, 1, 2} {
		if n != 1 { // the second run has the key of the first
			v, err := vault.Open(t.Context(), vault.Options{Dir: t.TempDir(), Mode: vault.ModeFile, Create: true})
			if err != nil {
				t.Fatal(err)
			}
			w.seals = vaulted{v}
		}
		if res := w.collect(); res.Status != run.StatusSucceeded {
			t.Fatalf("run %d: got %s %s %+v, want it to succeed", n+1, res.Status, res.Reason, res.Error)
		}
		if got := shop.Tries(); got != want {
			t.Errorf("run %d: the shop saw the password %d times so far, want %d", n+1, got, want)
		}
	}
	w.unseen(t, append(shop.Sessions(), password)...)
}

// marked looks for the checkpoints of the first run among its events.
func (w *world) marked(t *testing.T, want ...string) {
	t.Helper()
	events, err := w.store.Events(t.Context(), "run_sites_1", 0, 1000)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range events {
		var data struct {
			Label string `json:"label"`
		}
		if e.Type != "run.browser_checkpoint" || json.Unmarshal(e.Data, &data) != nil || e.At.IsZero() {
			continue
		}
		got = append(got, data.Label)
	}
	if !slices.Equal(got, want) {
		t.Errorf("got the checkpoints %v, want %v", got, want)
	}
}

// told looks for a host that the runs' browser did not get to in their events.
func (w *world) told(t *testing.T, host string) {
	t.Helper()
	events, err := w.store.Events(t.Context(), "run_sites_1", 0, 1000)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		if strings.Contains(string(e.Data), host) {
			return
		}
	}
	t.Errorf("got no event of %s, want it told of", host)
}

// looked compares the records with the shop's.
func (w *world) looked(t *testing.T) {
	t.Helper()
	n := 0
	err := w.store.EachRecord(t.Context(), "example_shop", "orders", func(r storage.Record) error {
		n++
		var order map[string]any
		if err := json.Unmarshal(r.Data, &order); err != nil {
			return err
		}
		if order["id"] != "1000" {
			return nil
		}
		sum := sha256.Sum256([]byte(Invoice("1000")))
		if order["invoice_name"] != "invoice 1000.pdf" || order["invoice_sha256"] != hex.EncodeToString(sum[:]) {
			t.Errorf("order 1000: got %s, want its invoice", r.Data)
		}
		return nil
	})
	if err != nil || n != 25 {
		t.Errorf("got %d records, %v, want 25", n, err)
	}
}

// unseen looks for secrets in everything that host and browser have written, the profile too.
func (w *world) unseen(t *testing.T, secrets ...string) {
	t.Helper()
	err := filepath.WalkDir(w.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		b, err := os.ReadFile(path)
		for _, s := range secrets {
			if bytes.Contains(b, []byte(s)) {
				t.Errorf("%s has a secret in it, want it nowhere", strings.TrimPrefix(path, w.dir))
			}
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
