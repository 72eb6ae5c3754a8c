package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/storage"
)

// clients is how many watch at once, ofOneToken how many by one token, and mostForClients what they may cost, in bytes.
const (
	clients        = 500
	ofOneToken     = 32
	mostForClients = 30 << 20
)

// OC-10: 500 clients watch one host at once, each is told what changes, they cost it less than
// 30 MB, and a host that stops ends all of them.
func TestManyClientsWatch(t *testing.T) {
	t.Parallel()
	if testing.Short() || raced() {
		t.Skip("it measures memory")
	}
	home := t.TempDir()
	p := serveIn(t, home, "--listen", "127.0.0.1:0")
	data := filepath.Join(home, ".local", "share", "pdpp")
	store, err := storage.Open(context.Background(), storage.Options{Path: filepath.Join(data, "pdpp.sqlite"), Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	token := madeToken(t, home, "read")
	tokens := []string{token}
	for i := range clients / ofOneToken {
		secret := fmt.Sprint("pdpp_ot_watcher", i)
		err := store.NewToken(t.Context(), storage.Token{
			ID: fmt.Sprint("tok_", i), SHA256: fmt.Sprintf("%x", sha256.Sum256([]byte(secret))), Name: "watches", Scope: "read", Expires: time.Now().Add(time.Hour),
		})
		if err != nil {
			t.Fatal(err)
		}
		tokens = append(tokens, secret)
	}
	var conns []net.Conn
	defer func() {
		for _, c := range conns {
			_ = c.Close()
		}
	}()
	watch := func() {
		c, err := net.Dial("tcp", p.at)
		if err == nil {
			_, err = fmt.Fprintf(c, "GET /v1/owner/events HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n\r\n", p.at, tokens[len(conns)/ofOneToken])
		}
		if err != nil {
			t.Fatal(err)
		}
		conns = append(conns, c)
		readUntil(t, c, "event: begun")
	}
	watch()
	before := private(t, p.cmd.Process.Pid)
	for range clients {
		watch()
	}
	if _, err := store.EnsureConnection(context.Background(), "mine", "notes"); err != nil {
		t.Fatal(err)
	}
	for _, c := range conns {
		readUntil(t, c, `"connection":"mine"`)
	}
	if figures := asked(t, p.at, "/metrics", token); !strings.Contains(figures, fmt.Sprintf("\npdpp_host_event_watchers %d\n", clients+1)) {
		t.Errorf("OC-11: got %s, want %d watchers", figures, clients+1)
	}
	if got := private(t, p.cmd.Process.Pid) - before; got > mostForClients {
		t.Errorf("%d clients cost %d bytes, want %d at most", clients, got, mostForClients)
	}
	if status, log := p.end(t); status != 0 {
		t.Errorf("got status %d: %s, want 0", status, log)
	}
	for _, c := range conns {
		if _, err := io.Copy(io.Discard, c); err != nil {
			t.Errorf("a stream of a host that stopped: %v, want its end", err)
		}
	}
}

// raced reports whether the race detector runs, which takes several times the memory.
func raced() bool {
	info, ok := debug.ReadBuildInfo()
	return ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}

// madeToken makes a token as the owner of home does.
func madeToken(t *testing.T, home, scope string) string {
	t.Helper()
	cmd := exec.Command("pdpp-host", "tokens", "create", "test", "--scope", scope)
	cmd.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}
	out, err := cmd.CombinedOutput()
	found := regexp.MustCompile(`pdpp_ot_\S+`).Find(out)
	if err != nil || found == nil {
		t.Fatalf("%s %v", out, err)
	}
	return string(found)
}

// asked returns what a host answers a token.
func asked(t *testing.T, at, path, token string) string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+at+path, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	r.Close = true
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("%s: got %d %s, %v, want 200", path, res.StatusCode, text, err)
	}
	return string(text)
}

// readUntil reads until a text has come.
func readUntil(t *testing.T, c net.Conn, text string) {
	t.Helper()
	var got bytes.Buffer
	b := make([]byte, 4096)
	for !strings.Contains(got.String(), text) {
		n, err := c.Read(b)
		if err != nil {
			t.Fatalf("got %q and %v, want %q", &got, err, text)
		}
		got.Write(b[:n])
	}
}

var privateLine = regexp.MustCompile(`(?m)^Pss:\s+(\d+) kB$`)

// private is the memory of a process, without the part of others in what they share.
func private(t *testing.T, pid int) int64 {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	found := privateLine.FindSubmatch(text)
	if err != nil || found == nil {
		t.Skipf("the system does not say what a process takes: %v", err)
	}
	kib, err := strconv.ParseInt(string(found[1]), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return kib << 10
}
