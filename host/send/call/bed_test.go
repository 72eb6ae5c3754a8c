package call

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/send"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// canary is part of every secret in these tests. No answer, error or event may contain
// its letters.
const canary = "CANARY/+ü?&\"<7f3a"

// says is one answer of a scripted provider.
type says struct {
	status  int
	headers []string // "Name: value"
	body    string
	err     error
}

// got is a request as the provider saw it.
type got struct {
	*http.Request

	body string
}

// vault is a Secrets in memory.
type vault struct {
	mu       sync.Mutex
	values   map[string]string
	replaced []map[string]string
	asked    int
	locked   error // of Value
	err      error // of Replace
}

func (v *vault) Value(_ context.Context, field string) (string, bool, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.asked++
	value, ok := v.values[field]
	return value, ok, v.locked
}

func (v *vault) Replace(_ context.Context, values map[string]string) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.err != nil {
		return v.err
	}
	v.replaced = append(v.replaced, values)
	maps.Copy(v.values, values)
	return nil
}

// bed is a Session in front of a scripted provider, on a virtual clock.
type bed struct {
	t     *testing.T
	clock *send.VirtualClock
	vault *vault
	*Session

	mu     sync.Mutex
	answer func(n int, r got) says // n counts from 1
	seen   []got
	events []step
	paused []learnedPause
	bodies atomic.Int64 // that are open
	said   bytes.Buffer // every answer that the guest got
}

func providerOf(raw string) *abi.Provider {
	p := new(abi.Provider)
	if err := json.Unmarshal([]byte(raw), p); err != nil {
		panic(err)
	}
	return p
}

func network() *abi.NetworkRequirements {
	slot := func(name, in, key, as, field string) abi.CredentialSlot {
		return abi.CredentialSlot{Name: name, Hosts: []string{"api.example.com"}, In: in, Key: key, As: as, Field: field}
	}
	basic := slot("basic", abi.SlotHeader, "", abi.SlotBasic, "token")
	basic.User = "user"
	oauth := slot("oauth", abi.SlotHeader, "Authorization", abi.SlotBearer, "access")
	oauth.OAuth = &abi.OAuth2{
		TokenURL: "https://login.example.com/token", RefreshField: "refresh", ClientIDField: "client", ClientSecretField: "client_secret",
	}
	return &abi.NetworkRequirements{
		Hosts:    []abi.NetworkHost{{Host: "api.example.com"}, {Host: "cdn.example.com"}, {Host: "login.example.com"}},
		Provider: providerOf(`{"discovery_interval_ms":0}`),
		Credentials: []abi.CredentialSlot{
			slot("bearer", abi.SlotHeader, "Authorization", abi.SlotBearer, "token"),
			slot("raw", abi.SlotHeader, "X-Api-Key", "", "token"),
			slot("query", abi.SlotQuery, "api_key", abi.SlotRaw, "token"),
			slot("body", abi.SlotBody, "secret", abi.SlotRaw, "token"),
			slot("none", abi.SlotHeader, "Authorization", abi.SlotBearer, "nothing"),
			basic, oauth,
		},
	}
}

func newBed(t *testing.T, change func(*Options)) *bed {
	t.Helper()
	b := &bed{t: t, clock: send.NewVirtualClock(epoch), answer: func(int, got) says { return says{} }}
	b.vault = &vault{values: map[string]string{
		"token": "tok-" + canary, "user": "me", "access": "at-1", "refresh": "rt-" + canary, "client": "id", "client_secret": "cs-" + canary,
	}}
	o := Options{
		Network: network(), Connector: "github", Secrets: b.vault, Clock: b.clock,
		Random: func() float64 { return 0.5 }, Observer: b, Transport: b,
	}
	if change != nil {
		change(&o)
	}
	s, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	b.Session = s
	return b
}

// opened is the body of an answer, which is closed once.
type opened struct {
	io.Reader

	close func()
}

func (o *opened) Close() error {
	o.close()
	return nil
}

// open returns a body, which is counted until it is closed.
func (b *bed) open(body string) io.ReadCloser {
	b.bodies.Add(1)
	return &opened{strings.NewReader(body), sync.OnceFunc(func() { b.bodies.Add(-1) })}
}

// learnedPause is one call of Observer.PauseLearned.
type learnedPause struct {
	until   time.Time
	reason  abi.Reason
	learned []byte
}

// step is one call of the Observer.
type step struct {
	Kind    string               `json:"kind"`
	Wait    time.Duration        `json:"wait"`
	Asked   bool                 `json:"asked"`
	Rate    *abi.CollectionRate  `json:"rate"`
	Circuit send.CircuitProgress `json:"circuit"`
}

func (b *bed) add(s step) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.events = append(b.events, s)
}

func (b *bed) Waiting(until time.Time, asked bool) {
	b.add(step{Kind: "wait", Wait: until.Sub(b.clock.Now()), Asked: asked})
}

func (b *bed) RateChanged(rate *abi.CollectionRate) { b.add(step{Kind: "rate", Rate: rate}) }

func (b *bed) CircuitChanged(change abi.Raw) {
	s := step{Kind: "circuit"}
	if err := json.Unmarshal(change, &s.Circuit); err != nil {
		b.t.Error(err)
	}
	b.add(s)
}

func (b *bed) PauseDisbelieved() { b.add(step{Kind: "disbelieved"}) }

func (b *bed) PauseLearned(until time.Time, reason abi.Reason, learned []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.paused = append(b.paused, learnedPause{until, reason, learned})
}

// pressed reports whether the run has ended under source pressure.
func (b *bed) pressed() bool {
	reason, _ := b.Pressure()
	return reason != ""
}

func (b *bed) script(list ...says) {
	b.answer = func(n int, _ got) says { return list[min(n, len(list))-1] }
}

func (b *bed) RoundTrip(req *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	b.mu.Lock()
	r := got{req, string(body)}
	b.seen = append(b.seen, r)
	n := len(b.seen)
	b.mu.Unlock()
	a := b.answer(n, r)
	if a.err != nil {
		return nil, a.err
	}
	h := make(http.Header)
	for _, line := range a.headers {
		name, value, _ := strings.Cut(line, ": ")
		h.Add(name, value)
	}
	if a.status == 0 {
		a.status = http.StatusOK
	}
	return &http.Response{StatusCode: a.status, Header: h, ContentLength: int64(len(a.body)), Body: b.open(a.body)}, nil
}

// reply is a decoded answer.
type reply struct {
	abi.HTTPResponse
	abi.HTTPError

	body string
}

func (b *bed) do(in abi.HTTPRequest, body string) reply {
	b.t.Helper()
	head, err := json.Marshal(in)
	if err != nil {
		b.t.Fatal(err)
	}
	return b.raw(context.Background(), string(head)+"\n"+body)
}

func (b *bed) raw(ctx context.Context, request string) reply {
	b.t.Helper()
	answer := answerOf(ctx, b.Session, request)
	b.mu.Lock()
	b.said.Write(answer)
	b.mu.Unlock()
	return decoded(b.t, answer)
}

func answerOf(ctx context.Context, s *Session, request string) (answer []byte) {
	s.Do(ctx, []byte(request), func(a []byte) { answer = a })
	return answer
}

func decoded(t *testing.T, answer []byte) reply {
	t.Helper()
	head, body, whole := bytes.Cut(answer, []byte{'\n'})
	var r reply
	var err error
	d := json.NewDecoder(bytes.NewReader(head))
	d.DisallowUnknownFields()
	if whole {
		err = d.Decode(&r.HTTPResponse)
	} else {
		err = d.Decode(&r.HTTPError)
	}
	if err != nil || whole != (r.Status != 0) || whole == (r.Error.Code != "") {
		t.Fatalf(`%q: got %v, want no error && whole == (r.Status != 0) && whole != (r.Error.Code != "")`, answer, err)
	}
	r.body = string(body)
	return r
}

func (b *bed) get(address, slot string) reply {
	b.t.Helper()
	return b.do(abi.HTTPRequest{URL: address, Credential: slot}, "")
}

const api = "https://api.example.com/v1/things"

// sweep looks for a part of a secret in everything that left the session.
func (b *bed) sweep(words ...string) {
	b.t.Helper()
	events, err := json.Marshal(b.events)
	if err != nil {
		b.t.Fatal(err)
	}
	for _, word := range words {
		for what, text := range map[string]string{"an answer": b.said.String(), "an event": string(events)} {
			if strings.Contains(strings.ToLower(text), strings.ToLower(word)) {
				b.t.Errorf("%s holds %q: %.400s, want !strings.Contains(strings.ToLower(text), strings.ToLower(word))", what, word, text)
			}
		}
	}
}
