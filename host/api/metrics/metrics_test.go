package metrics

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/access"
	"github.com/pdpp-host/pdpp-host/host/owner/serving"
	"github.com/pdpp-host/pdpp-host/host/send"
	"github.com/pdpp-host/pdpp-host/host/web"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/served"
)

const listensAt = "127.0.0.1:8377"

// bed is the figures of a host that serves.
type bed struct {
	*testing.T
	*served.Host

	figures *Metrics
	clock   time.Time
	claimed bool
}

func newBed(t *testing.T) *bed {
	t.Helper()
	b := &bed{T: t, Host: served.New(t, "testplugins/guests/scripted"), clock: time.Now(), claimed: true}
	b.figures = New(Deps{
		Guard:  &web.Guard{As: b.Server.Asks, Listening: netip.MustParseAddrPort(listensAt)},
		Vitals: b.Server.Vitals, Watching: func() int { return 3 }, Devices: func() (int, int64) { return 2, 7 },
		Claimed: func(context.Context) (bool, error) { return b.claimed, nil },
		Now:     func() time.Time { return b.clock }, Logger: slog.New(slog.DiscardHandler), Version: "v1",
	})
	return b
}

// ask asks for the figures, a moment later than before.
func (b *bed) ask(from, host string, header ...string) *httptest.ResponseRecorder {
	b.Helper()
	b.clock = b.clock.Add(keepFor)
	r := httptest.NewRequestWithContext(b.Context(), http.MethodGet, "http://"+host+Path, http.NoBody)
	r.RemoteAddr = from
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	b.figures.ServeHTTP(w, r)
	return w
}

func (b *bed) token(scope access.Scope) string {
	b.Helper()
	made, err := access.CreateToken(b.Context(), b.Owner, access.NewToken{Name: "canary token", Scope: scope})
	if err != nil {
		b.Fatal(err)
	}
	return "Bearer " + made.Secret
}

// read returns the figures, parsed.
func (b *bed) read() (string, []sample) {
	b.Helper()
	w := b.ask("127.0.0.1:5000", listensAt)
	if w.Code != http.StatusOK {
		b.Fatalf("got %d %s, want 200", w.Code, w.Body)
	}
	return w.Body.String(), parse(b.T, w.Body.String())
}

// OC-11: figures are for who has a token, and for this machine itself where the host listens
// for it alone. A request through a proxy comes from this machine as well, and needs a token.
func TestWhoGetsFigures(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	const here, away = "127.0.0.1:5000", "192.0.2.7:5000"
	good := b.token(access.ScopeRead)
	for _, c := range []struct {
		name       string
		change     func(*web.Guard)
		from, host string
		header     []string
		status     int
	}{
		{"this machine", nil, here, listensAt, nil, 200},
		{"this machine by its name", nil, "[::1]:5000", "localhost:8377", nil, 200},
		{"this machine with a wrong token", nil, here, listensAt, []string{"Authorization", "Bearer no"}, 401},
		{"another machine", nil, away, listensAt, nil, 401},
		{"another machine with a token", nil, away, listensAt, []string{"Authorization", good}, 200},
		{"a page that turned its name into this machine's", nil, here, "evil.example:8377", nil, 421},
		{"a browser's session", nil, away, listensAt, []string{"Cookie", "pdpp-8377=x"}, 401},
		{"behind a proxy", func(g *web.Guard) { g.BehindProxy = true }, here, listensAt, nil, 401},
		{"behind a proxy with a token", func(g *web.Guard) { g.BehindProxy = true }, here, listensAt, []string{"Authorization", good}, 200},
		{"behind a proxy that says so itself", nil, here, listensAt, []string{"X-Forwarded-For", "127.0.0.1"}, 401},
		{"behind a proxy that says so by RFC 7239", nil, here, listensAt, []string{"Forwarded", "for=127.0.0.1"}, 401},
		{"by the host's name for others", func(g *web.Guard) { g.Origin = "https://pdpp.example.org" }, here, "pdpp.example.org", nil, 401},
		{"a host that others reach by a name", func(g *web.Guard) { g.Origin = "https://pdpp.example.org" }, here, listensAt, nil, 401},
		{"a host that listens for all", func(g *web.Guard) { g.Listening = netip.MustParseAddrPort("[::]:8377") }, here, listensAt, nil, 401},
	} {
		g := &web.Guard{As: b.Server.Asks, Listening: netip.MustParseAddrPort(listensAt)}
		if c.change != nil {
			c.change(g)
		}
		b.figures.Guard = g
		w := b.ask(c.from, c.host, c.header...)
		if w.Code != c.status || w.Code != 200 && strings.Contains(w.Body.String(), "pdpp_host_") {
			t.Errorf("%s: got %d %.200s, want %d", c.name, w.Code, w.Body, c.status)
		}
		if challenge := w.Header().Get("WWW-Authenticate"); (challenge == "Bearer") != (c.status == 401) {
			t.Errorf("%s: got the challenge %q", c.name, challenge)
		}
	}
	b.figures.Guard = &web.Guard{As: b.Server.Asks, Listening: netip.MustParseAddrPort(listensAt)}
	b.claimed = false
	if w := b.ask(here, listensAt); w.Code != 401 {
		t.Errorf("a host that nobody has claimed: got %d, want 401", w.Code)
	}
	if w := b.ask(here, listensAt, "Authorization", good); w.Code != 200 {
		t.Errorf("a host that nobody has claimed, with a token: got %d, want 200", w.Code)
	}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+listensAt+Path, http.NoBody)
	w := httptest.NewRecorder()
	if b.figures.ServeHTTP(w, r); w.Code != http.StatusMethodNotAllowed {
		t.Errorf("POST: got %d, want 405", w.Code)
	}
}

// OC-11: no label holds an account, a key, a path or an address, whatever names there are; a run
// counts where it belongs.
func TestHostileNamesAreNoLabels(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.Connect(t, "canary-account", "scripted", map[string]string{"script": "records notes 0 5\nrecords journal 0 2\n" +
		`emit {"type":"RECORD","stream":"notes","key":"canary key","data":{"id":"canary key"},"emitted_at":"2026-01-02T03:04:05Z"}` + "\nfinish"})
	id, err := b.Server.Start(t.Context(), b.Browser(t, "canary_session"), serving.Order{Connection: "canary-account"})
	if err != nil {
		t.Fatal(err)
	}
	if r := b.Ended(t, id); r.Status != "succeeded" {
		t.Fatalf("got a run that is %s, want it succeeded", r.Status)
	}
	for b.Server.Progress(id) != nil { // the server is told a moment after the store
		select {
		case <-t.Context().Done():
			t.Fatal(t.Context().Err())
		case <-time.After(time.Millisecond):
		}
	}
	if _, err := b.Server.Start(t.Context(), owner.Actor{}, serving.Order{Connection: "canary-account", Mode: "canary"}); abi.CodeOf(err) != abi.CodeUsage {
		t.Errorf("got %v, want %s", err, abi.CodeUsage)
	}
	mux := http.NewServeMux()
	answered := func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) }
	mux.HandleFunc("GET /connections/{connection}", answered)
	mux.HandleFunc("GET /events", func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Content-Type", "text/event-stream") })
	timed := b.figures.Timed(mux)
	for _, target := range []string{"/connections/canary%22%0aaccount?to=https://canary.example/", "/canary/path", "/events?canary", "//canary.example/canary"} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+listensAt+target, http.NoBody)
		timed.ServeHTTP(httptest.NewRecorder(), r)
	}
	for i := range 200 {
		b.Owner.Traffic.Of("provider_" + strconv.Itoa(i))(send.Event{Kind: send.EventWait, Duration: time.Second})
	}
	for _, name := range []string{"canary@example.org", "https://canary.example/", "/home/canary", "canary\"} 1\nevil 1"} {
		b.Owner.Traffic.Of(name)(send.Event{Kind: send.EventAnswer, Refused: true})
	}
	text, all := b.read()
	if strings.Contains(strings.ToLower(text), "canary") {
		t.Errorf("got %s, want no word of a canary", text)
	}
	got := map[string]float64{}
	series := map[string]int{}
	for _, s := range all {
		got[s.name+"{"+s.labels+"}"] = s.value
		series[s.name]++
	}
	for name, want := range map[string]float64{
		`pdpp_host_runs_total{outcome="succeeded"}`:                                            1,
		`pdpp_host_records_total{change="new",class="mutable_state"}`:                          6,
		`pdpp_host_records_total{change="new",class="append_only"}`:                            2,
		`pdpp_host_http_requests_total{code="4xx"}`:                                            2,
		`pdpp_host_http_request_duration_seconds_count{route="GET /connections/{connection}"}`: 1,
		`pdpp_host_http_request_duration_seconds_count{route="none"}`:                          2,
		`pdpp_host_provider_requests_total{outcome="throttled",provider="other"}`:              4,
		`pdpp_host_provider_delay_seconds_total{cause="pace",provider="other"}`:                168,
		`pdpp_host_event_watchers{}`:                                                           3,
		`pdpp_host_queue_length{queue="devices"}`:                                              2,
		`pdpp_host_device_records_total{}`:                                                     7,
		`pdpp_host_ready{check="store"}`:                                                       1,
	} {
		if got[name] != want {
			t.Errorf("%s: got %v, want %v", name, got[name], want)
		}
	}
	if got[`pdpp_host_store_transactions_total{}`] < 3 || got[`pdpp_host_store_time_seconds_total{what="writing"}`] <= 0 {
		t.Errorf("got %v transactions that took %v, want those of a run", got[`pdpp_host_store_transactions_total{}`], got[`pdpp_host_store_time_seconds_total{what="writing"}`])
	}
	for name, n := range series {
		if n > 3*33 && !strings.HasSuffix(name, "_bucket") {
			t.Errorf("%s: got %d series, want a bounded number", name, n)
		}
	}
}

// OC-11: what is served has the names, kinds and labels of the table, and no other; the table is
// what docs/api.md shows.
func TestServedNamesAreDocumented(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.Owner.Traffic.Of("github")(send.Event{Kind: send.EventAnswer})
	b.figures.Timed(http.NotFoundHandler()).ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", http.NoBody))
	_, all := b.read()
	seen := map[string]bool{}
	for _, s := range all {
		f := familyOf(s.name)
		if f == nil {
			t.Errorf("%s is served, and not in the table", s.name)
			continue
		}
		var labels []string
		for _, m := range labelOf.FindAllStringSubmatch(s.labels, -1) {
			if m[1] != "le" {
				labels = append(labels, m[1])
			}
		}
		if !slices.Equal(labels, f.Labels) {
			t.Errorf("%s: got the labels %q, want %q", s.name, labels, f.Labels)
		}
		seen[f.Name] = true
	}
	docs, err := os.ReadFile("../../../docs/api.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range Names() {
		if !seen[f.Name] {
			t.Errorf("%s is in the table, and not served", f.Name)
		}
		labels := "-"
		if len(f.Labels) > 0 {
			labels = "`" + strings.Join(f.Labels, "`, `") + "`"
		}
		if row := "| `" + f.Name + "` | " + string(f.Kind) + " | " + labels + " | " + f.Help + " |\n"; !strings.Contains(string(docs), row) {
			t.Errorf("docs/api.md: want the row %s", row)
		}
	}
	if n := strings.Count(string(docs), "| `pdpp_host_"); n != len(Names()) {
		t.Errorf("docs/api.md: got %d rows, want %d", n, len(Names()))
	}
}

// familyOf is the family of a sample; nil: there is none.
func familyOf(name string) *Family {
	for i := range families {
		f := &families[i]
		rest, own := strings.CutPrefix(name, f.Name)
		if own && (rest == "" && f.Kind != Histogram || f.Kind == Histogram && slices.Contains([]string{"_bucket", "_sum", "_count"}, rest)) {
			return f
		}
	}
	return nil
}

var (
	inQuotes  = regexp.MustCompile(`"[^"]*"`)
	words     = regexp.MustCompile(`\$?[a-zA-Z_][a-zA-Z0-9_]*`)
	functions = []string{"sum", "by", "rate", "increase", "histogram_quantile", "max", "min", "time", "le", "on", "ignoring", "clamp_min", "vector", "or", "m", "h", "d", "s", "$__rate_interval", "rate_interval"}
)

// OC-11: every query of the dashboard asks for names and labels that are served, and every
// family is shown.
func TestDashboardAsksForWhatIsServed(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../examples/grafana/pdpp-host.json")
	if err != nil {
		t.Fatal(err)
	}
	var board struct {
		Title  string `json:"title"`
		Panels []struct {
			Title   string `json:"title"`
			Type    string `json:"type"`
			Targets []struct {
				Expr string `json:"expr"`
			} `json:"targets"`
		} `json:"panels"`
	}
	if err := json.Unmarshal(text, &board); err != nil {
		t.Fatal(err)
	}
	shown, queries := map[string]bool{}, 0
	for _, p := range board.Panels {
		if p.Title == "" || p.Type != "row" && len(p.Targets) == 0 {
			t.Errorf("got the panel %q of type %s without a title or a query", p.Title, p.Type)
		}
		for _, target := range p.Targets {
			queries++
			asked, labels := 0, []string{"le"}
			names := words.FindAllString(inQuotes.ReplaceAllString(target.Expr, ""), -1)
			for _, w := range names {
				if f := familyOf(w); f != nil {
					asked++
					shown[f.Name] = true
					labels = append(labels, f.Labels...)
				}
			}
			for _, w := range names {
				if familyOf(w) == nil && !slices.Contains(functions, w) && !slices.Contains(labels, w) {
					t.Errorf("%s: %s asks for %q, which is neither served nor a label of what it asks for", p.Title, target.Expr, w)
				}
			}
			if asked == 0 {
				t.Errorf("%s: %s asks for nothing that is served", p.Title, target.Expr)
			}
		}
	}
	for _, f := range Names() {
		if !shown[f.Name] {
			t.Errorf("the dashboard does not show %s", f.Name)
		}
	}
	if board.Title == "" || queries == 0 {
		t.Error("got a dashboard without a title or without queries")
	}
}

// Many who ask at once have the store read once.
func TestFiguresStandForASecond(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	reads := 0
	vitals := b.figures.Vitals
	b.figures.Vitals = func(ctx context.Context) (*serving.Vitals, error) { reads++; return vitals(ctx) }
	for range 3 {
		b.read()
		b.clock = b.clock.Add(-keepFor / 2)
	}
	if reads != 2 {
		t.Errorf("got %d reads of the store in a second, want 2", reads)
	}
}
