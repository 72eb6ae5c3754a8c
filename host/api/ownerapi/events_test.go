package ownerapi

import (
	"bufio"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pdpp-host/pdpp-host/host/api"
	"github.com/pdpp-host/pdpp-host/host/owner/access"
	"github.com/pdpp-host/pdpp-host/storage"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/wire"
)

// beats is how many heartbeats a stream is followed for.
const beats = 8

// told is a line of a stream, and when it came.
type told struct {
	line string
	at   time.Time
}

// watched is a bed whose API is served, in virtual time, by the server of a host.
type watched struct {
	*bed

	pipes   *wire.Pipes
	changes int
	stop    func()
	ended   chan error
}

func newWatched(t *testing.T) *watched {
	t.Helper()
	w := &watched{bed: newBed(t), pipes: wire.NewPipes(), ended: make(chan error, 1)}
	mux := http.NewServeMux()
	mux.Handle("/", w.api)
	mux.Handle("/events", w.guard.Handler(w.api.SessionEvents(), func(out http.ResponseWriter, _ *http.Request, _ error) { out.WriteHeader(http.StatusForbidden) }))
	ctx, stop := context.WithCancel(context.Background())
	w.stop = func() { w.stopHub(); stop() }
	go func() { w.ended <- api.Serve(ctx, w.pipes, fromHere(mux), slog.New(slog.DiscardHandler)) }()
	t.Cleanup(func() {
		w.stop()
		if err := <-w.ended; err != nil {
			t.Errorf("the server: got %v, want no error", err)
		}
	})
	return w
}

// fromHere has every request come from this machine, or from where and for which name a test says.
func fromHere(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.RemoteAddr = cmp.Or(r.Header.Get("X-From"), "127.0.0.1:5")
		r.Host = cmp.Or(r.Header.Get("X-Name"), r.Host)
		next.ServeHTTP(w, r)
	})
}

// watch opens a stream, and returns its lines and how to hang up. With silent it reads the
// first event alone.
func (w *watched) watch(silent bool, path string, header ...string) (lines chan told, status int, hangUp func()) {
	w.Helper()
	conn := w.pipes.Dial()
	request := "GET " + path + " HTTP/1.1\r\nHost: " + at + "\r\n"
	for i := 0; i < len(header); i += 2 {
		request += header[i] + ": " + header[i+1] + "\r\n"
	}
	go func() { _, _ = io.WriteString(conn, request+"\r\n") }()
	in := bufio.NewReaderSize(conn, 16)
	res, err := http.ReadResponse(in, nil)
	w.ok(err)
	lines = make(chan told, 10_000)
	read := func(until string) {
		for scan := bufio.NewScanner(res.Body); scan.Scan(); {
			if scan.Text() != "" {
				lines <- told{scan.Text(), time.Now()}
			}
			if until != "" && strings.HasPrefix(scan.Text(), until) {
				return
			}
		}
		close(lines)
	}
	if silent {
		read("data:")
	} else {
		go read("")
	}
	w.Cleanup(func() { _ = conn.Close() })
	return lines, res.StatusCode, func() { _ = conn.Close() }
}

func (w *watched) byToken(scope access.Scope) (string, string) {
	return "Authorization", "Bearer " + w.tokens[scope]
}

// next returns the next line with a prefix, and when it came; "": the stream has ended.
func next(lines chan told, prefix string) told {
	for l := range lines {
		if rest, ok := strings.CutPrefix(l.line, prefix); ok {
			return told{rest, l.at}
		}
	}
	return told{at: time.Now()}
}

func (w *watched) change() {
	w.Helper()
	w.changes++
	mode := []string{"recommended", "manual"}[w.changes%2]
	w.want("a change", w.asks(manage, "PUT", "/v1/owner/connections/mine/schedule", `{"mode":"`+mode+`"}`), 200, "")
}

// OC-10: a stream says every 15 seconds that it goes on, and costs no more the longer it does.
func TestStreamsBeat(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWatched(t)
		var mu sync.Mutex
		shortest, longest := 1<<30, 0
		key, value := w.byToken(read)
		lines, _, _ := w.watch(false, "/v1/owner/events", key, value)
		began := next(lines, "event: begun").at
		opened := func(ctx context.Context) {
			n := len(fmt.Sprint(ctx))
			mu.Lock()
			defer mu.Unlock()
			shortest, longest = min(shortest, n), max(longest, n)
		}
		w.opened.Store(&opened)
		for i := 1; i <= beats; i++ {
			if got := next(lines, ": still here").at.Sub(began); got != time.Duration(i)*15*time.Second {
				t.Fatalf("beat %d: got it after %v, want it after %v", i, got, time.Duration(i)*15*time.Second)
			}
		}
		mu.Lock()
		defer mu.Unlock()
		if longest == 0 || longest != shortest {
			t.Errorf("the context of a request: got %d to %d bytes of text in %d beats, want it as long each time", shortest, longest, beats)
		}
	})
}

// OC-10: a stream ends when its token was revoked or is too old, or its session has ended, and
// tells nothing of what happens from then on.
func TestStreamsOfWhoMayNoMoreEnd(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		end    func(*watched, string) // who is named by their id
		within time.Duration
		cookie bool
	}{
		"a revoked token": {func(w *watched, id string) { w.ok(access.RevokeToken(w.Context(), w.owner, id)) }, time.Second, false},
		"a token that is too old": {func(w *watched, _ string) {
			w.clock.forward(366 * 24 * time.Hour)
			time.Sleep(heartbeat)
		}, 0, false},
		"an ended session":       {func(w *watched, id string) { w.ok(access.EndSession(w.Context(), w.owner, id)) }, time.Second, true},
		"a password that is new": {func(w *watched, _ string) { _, err := access.Reset(w.Context(), w.owner); w.ok(err) }, time.Second, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWatched(t)
				var value, id string
				path, key := "/v1/owner/events", "Authorization"
				if tc.cookie {
					link, err := access.OfferLink(w.Context(), w.owner)
					w.ok(err)
					opened, err := access.Claim(w.Context(), w.owner, link.Code, "four plain words here", "")
					w.ok(err)
					all, err := access.Sessions(w.Context(), w.owner)
					w.ok(err)
					path, key, value, id = "/events", "Cookie", "pdpp-8377="+opened.Secret, all[0].ID
				} else {
					made, err := access.CreateToken(w.Context(), w.owner, access.NewToken{Name: "x", Scope: read})
					w.ok(err)
					value, id = "Bearer "+made.Secret, made.ID
				}
				lines, status, _ := w.watch(false, path, key, value)
				other, mark := w.byToken(manage)
				goesOn, _, _ := w.watch(false, "/v1/owner/events", other, mark)
				next(lines, "event: begun")
				next(goesOn, "event: begun")
				began := time.Now()
				tc.end(w, id)
				began = began.Add(time.Since(began))
				if tc.within > 0 { // with time, all tokens end
					w.change()
				}
				if got := next(lines, "event: connection"); status != 200 || got.line != "" || got.at.Sub(began) > tc.within {
					t.Errorf("got status %d, %q, after %v, want 200 and the end within %v", status, got.line, got.at.Sub(began), tc.within)
				}
				if tc.within > 0 && next(goesOn, "event: connection").line == "" {
					t.Error("the stream of another token: got its end, want the change")
				}
			})
		})
	}
}

// OC-10: a client that takes nothing for ten seconds is cut off, holds nobody up, and resumes
// behind the last event that it saw.
func TestASlowClientResumes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWatched(t)
		key, value := w.byToken(read)
		slow, _, _ := w.watch(true, "/v1/owner/events", key, value)
		quick, _, _ := w.watch(false, "/v1/owner/events", key, value)
		next(quick, "event: begun")
		mark := next(slow, "id: ").line
		synctest.Wait()
		w.change()
		if next(quick, "event: connection-").line == "" {
			t.Error("beside a slow client: got the end of the stream, want the change")
		}
		time.Sleep(writeTime + time.Second)
		if got := w.api.Live.Watching(); got != 1 {
			t.Errorf("got %d watchers after %v without a read, want the other alone", got, writeTime)
		}
		again, _, _ := w.watch(false, "/v1/owner/events", key, value, "Last-Event-ID", mark)
		if next(again, "event: connection-").line == "" {
			t.Error("behind the mark: got the end of the stream, want the change that was missed")
		}
	})
}

// OC-10: a host that stops ends its streams at once, and waits for none of them.
func TestStreamsEndWithTheHost(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWatched(t)
		var all []chan told
		for range 20 {
			key, value := w.byToken(read)
			lines, _, _ := w.watch(false, "/v1/owner/events", key, value)
			next(lines, "event: begun")
			all = append(all, lines)
		}
		began := time.Now()
		w.stop()
		for _, lines := range all {
			next(lines, "none")
		}
		err := <-w.ended
		w.ended <- err
		if took := time.Since(began); err != nil || took > time.Second {
			t.Errorf("got %v after %v, want the end of all streams within a second", err, took)
		}
	})
}

// OC-10: who may read is told, in words that they may read elsewhere, and nobody else is.
func TestStreamsAreOfWhoMayRead(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWatched(t)
		w.ok(w.store.NewToken(w.Context(), storage.Token{ID: "tok_less", SHA256: fmt.Sprintf("%x", sha256.Sum256([]byte("pdpp_ot_less"))), Name: "less", Scope: "less", Expires: w.clock.Now().Add(time.Hour)}))
		for _, c := range []struct {
			key, value string
			status     int
		}{
			{"X", "no token", 401},
			{"Authorization", "Bearer pdpp_ot_less", 403},
			{"Authorization", "Bearer " + w.tokens[run], 200},
			{"Authorization", "Bearer " + w.tokens[read], 200},
		} {
			lines, status, _ := w.watch(false, "/v1/owner/events", c.key, c.value)
			if status != c.status {
				t.Errorf("%s %s: got %d, want %d", c.key, c.value, status, c.status)
			}
			if c.status != 200 {
				continue
			}
			w.change()
			next(lines, "event: connection-")
			var members map[string]string
			data := next(lines, "data: ").line
			if err := json.Unmarshal([]byte(data), &members); err != nil {
				t.Fatalf("%s: %v", data, err)
			}
			for name, value := range members {
				if (name != "connection" && name != "connection_id" && name != "run_id") || !strings.Contains(w.asks(read, "GET", "/v1/owner/connections", "").body, value) {
					t.Errorf("got the member %s %q, want what GET /v1/owner/connections tells as well", name, value)
				}
			}
		}
	})
}

// OC-10: a token that holds as many streams as one may is refused another, and the owner's browser is not.
func TestOneTokenLeavesStreamsToTheBrowser(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWatched(t)
		key, value := w.byToken(read)
		got := map[int]int{}
		for range 40 {
			_, status, _ := w.watch(false, "/v1/owner/events", key, value)
			got[status]++
		}
		if got[200] != 32 || got[503] != 8 {
			t.Errorf("one token that asks 40 times: got %v, want 32 streams and 8 refusals with 503", got)
		}
		link, err := access.OfferLink(w.Context(), w.owner)
		w.ok(err)
		opened, err := access.Claim(w.Context(), w.owner, link.Code, "four plain words here", "")
		w.ok(err)
		if _, status, _ := w.watch(false, "/events", "Cookie", "pdpp-8377="+opened.Secret); status != 200 {
			t.Errorf("the owner's browser: got %d, want 200", status)
		}
	})
}
