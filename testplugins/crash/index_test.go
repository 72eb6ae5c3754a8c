//go:build linux

package crash

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage"
)

// TestCrashIndex kills a host that serves while it indexes what another process writes, and while
// it removes connections: what the owner was told to be removed is found no more, what is there is
// found, and the read state is what the records say (RD-16.6, RD-38).
func TestCrashIndex(t *testing.T) { crashIndex(t, file{t}) }

// TestCrashIndexPostgres is the same with the store on a server.
func TestCrashIndexPostgres(t *testing.T) { crashIndex(t, startServer(t)) }

const searched = `{"connector_id":"https://example.org/notes","connector_key":"notes","display_name":"Notes","version":"1.0.0","streams":[` +
	`{"name":"notes","primary_key":["id"],"cursor_field":"at","schema":{"required":["id"],"properties":{"id":{"type":"string"},"at":{"type":"string","format":"date-time"},"text":{"type":"string"}}},` +
	`"query":{"search":{"lexical_fields":["text"]}}}]}`

func crashIndex(t *testing.T, store database) {
	t.Helper()
	if testing.Short() {
		t.Skip("kills processes for a while")
	}
	dir := t.TempDir()
	c := &indexed{grantClient: &grantClient{
		harness: harness{database: store, t: t, host: build(t, filepath.Join(dir, "pdpp-host"), "cmd/pdpp-host"), plugins: filepath.Join(dir, "plugins"), input: filepath.Join(dir, "x"), cache: filepath.Join(dir, "cache")},
		data:    filepath.Join(dir, "data"), rng: rand.New(rand.NewPCG(*seed, 3)),
	}, there: map[string]int{}}
	store.fresh(c.data)
	c.prepare()
	c.open()
	defer func() { _ = c.store.Close() }()
	first := c.newName()
	c.there[first] = c.write(first)
	met := 0
	const longest = 400 * time.Millisecond
	for i := range *crashes {
		host := c.serve()
		c.looks(fmt.Sprintf("kill %d", i))
		time.AfterFunc(time.Duration(c.rng.Int64N(int64(longest))), func() { _ = host.Process.Signal(syscall.SIGKILL) })
		ended := make(chan error, 1)
		go func() { ended <- c.removes() }()
		name := c.newName()
		n := c.write(name)
		err := <-ended
		_ = host.Wait()
		c.there[name] = n
		if _, cut := errors.AsType[*url.Error](err); err != nil && !cut {
			t.Fatal(err)
		} else if cut {
			met++
		}
		streams, all, err := c.store.CheckRead(t.Context())
		if err != nil || all || len(streams) > 0 {
			t.Fatalf("kill %d: the read state of streams %v is not what their records say (all of it: %v; %v), want it sound", i, streams, all, err)
		}
	}
	host := c.serve()
	c.looks("at the end")
	_ = host.Process.Signal(syscall.SIGKILL)
	_ = host.Wait()
	t.Logf("%d kills, %d of them in the middle of a removal: %d connections were removed, of %d all was found", *crashes, met, len(c.removed), len(c.there))
}

// indexed is a store whose records are searched, and what its owner was told of them.
type indexed struct {
	*grantClient

	store   *storage.Store
	there   map[string]int // by connection, the records with its word
	removed []string       // connections that the owner was told to be removed
	going   string         // the one whose removal was begun; "": none
}

// open opens the store in this process, too.
func (c *indexed) open() {
	c.t.Helper()
	path := filepath.Join(c.data, "pdpp.sqlite")
	for _, variable := range c.env() {
		path = strings.TrimPrefix(variable, "PDPP_STORAGE_DSN=")
	}
	var err error
	if c.store, err = storage.Open(c.t.Context(), storage.Options{Path: path, Now: time.Now}); err != nil {
		c.t.Fatal(err)
	}
}

// wordOf is the word that the records of a connection have, and nothing else.
func wordOf(name string) string {
	word := []byte(name)
	slices.Reverse(word)
	return string(word)
}

// newName returns the name of another connection.
func (c *indexed) newName() string {
	name := make([]byte, 12)
	for i := range name {
		name[i] = byte('a' + c.rng.IntN(26))
	}
	return string(name)
}

// write has a run write records of a new connection, change some and delete others. It returns how
// many have the connection's word then.
func (c *indexed) write(name string) int {
	c.t.Helper()
	ctx := c.t.Context()
	conn, err := c.store.EnsureConnection(ctx, name, "notes")
	if err == nil {
		err = c.store.PinPlugin(ctx, conn.ID, strings.Repeat("b", 64), []byte(searched))
	}
	if err != nil {
		c.t.Fatal(err)
	}
	w, err := c.store.BeginRun(ctx, storage.NewRun{
		RunID: "run_" + name, ConnectionID: conn.ID, Connector: "notes", Version: "1", ModuleSHA256: strings.Repeat("b", 64), Mode: abi.ModeIncremental,
		Bookmark: storage.BookmarkIncremental, Holder: "test", Streams: []string{"notes"}, LeaseTTL: time.Minute,
	})
	if err != nil {
		c.t.Fatal(err)
	}
	const many, changed, gone = 600, 50, 20
	add := func(b *storage.Batch, i int, word string, deleted bool) {
		data := fmt.Sprintf(`{"id":"%d","at":"2026-01-01T00:00:00Z","text":%q}`, i, strings.Repeat("some other words ", 10)+word)
		if deleted {
			data = ""
		}
		b.Add(0, fmt.Append(nil, i), []byte(data), []byte("2026-01-01T00:00:00Z"), deleted)
	}
	for from := 0; from < many; from += many / 4 { // a change at a time, so that the index meets some of them
		b := w.NewBatch()
		for i := range many / 4 {
			add(b, from+i, wordOf(name), false)
		}
		if err := w.Write(ctx, b); err != nil {
			c.t.Fatal(err)
		}
	}
	b := w.NewBatch()
	for i := range changed {
		add(b, i, "nothing", false)
	}
	for i := range gone {
		add(b, changed+i, "", true)
	}
	if err := errors.Join(w.Write(ctx, b), w.Finish(ctx, storage.Outcome{Status: "succeeded"})); err != nil {
		c.t.Fatal(err)
	}
	return many - changed - gone
}

// removes has the owner remove one connection of those that are there, or the one whose removal was
// cut.
func (c *indexed) removes() error {
	for name := range c.there {
		if c.going == "" {
			c.going = name
		}
	}
	name := c.going
	err := c.asks(http.MethodDelete, "/v1/owner/connections/"+name+"?confirm="+name, "", "", "Bearer "+ownerToken, http.StatusOK, new(struct{}))
	if err == nil {
		c.removed, c.going = append(c.removed, name), ""
		delete(c.there, name)
	}
	return err
}

// looks searches for what is there and for what is not. A store that was opened has nothing left of
// what was removed before.
func (c *indexed) looks(when string) {
	c.t.Helper()
	if c.going != "" { // whether the killed host had removed it
		if _, err := c.store.Connection(c.t.Context(), c.going); abi.CodeOf(err) == abi.CodeConnectionUnknown {
			c.removed = append(c.removed, c.going)
			delete(c.there, c.going)
			c.going = ""
		}
	}
	for _, name := range c.removed[max(0, len(c.removed)-5):] {
		if n := c.hits(name); n != 0 {
			c.t.Errorf("%s: got %d records of the removed connection %s, want none", when, n, name)
		}
		c.overwritten(when, name)
	}
	some := 0
	for name, want := range c.there {
		if some++; some > 3 || name == c.going {
			continue
		}
		if n := c.hits(name); n != want {
			c.t.Errorf("%s: got %d records of %s, want %d", when, n, name, want)
		}
	}
}

// overwritten waits until the store's files have nothing of a connection, which the host sees to in
// the background.
func (c *indexed) overwritten(when, name string) {
	c.t.Helper()
	for tries := 0; ; tries++ {
		left := ""
		for _, end := range []string{"", "-wal"} { // the index spells a word by what it shares with the one before
			// Another process reads: one that closes a file loses the locks that its store holds on it.
			b, err := exec.CommandContext(c.t.Context(), "cat", filepath.Join(c.data, "pdpp.sqlite"+end)).Output() //nolint:gosec // a test's own path
			if err == nil && bytes.Contains(b, []byte(wordOf(name)[3:])) {
				left = "pdpp.sqlite" + end
			}
		}
		if left == "" {
			return
		}
		if tries == 1500 {
			c.t.Fatalf("%s: after 30 seconds %s has the words of the removed connection %s, want none", when, left, name)
		}
		time.Sleep(20 * time.Millisecond) //nolint:forbidigo // another process's work
	}
}

// hits counts what a search for a connection's word finds.
func (c *indexed) hits(name string) (n int) {
	c.t.Helper()
	for cursor := ""; ; {
		var page struct {
			Data []struct {
				Key string `json:"key"`
			} `json:"data"`
			Next string `json:"next_cursor"`
		}
		path := "/v1/owner/search?limit=100&q=" + wordOf(name)
		if cursor != "" {
			path += "&cursor=" + url.QueryEscape(cursor)
		}
		if err := c.sends(path, "", "", http.StatusOK, &page); err != nil {
			c.t.Fatal(err)
		}
		n += len(page.Data)
		if cursor = page.Next; cursor == "" {
			return n
		}
	}
}
