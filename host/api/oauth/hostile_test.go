package oauth

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/pdpp-host/pdpp-host/host/api/wire"
	"github.com/pdpp-host/pdpp-host/host/owner/grants"
	"github.com/pdpp-host/pdpp-host/storage"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/pgtest"
)

// RD-03, RD-31, RD-39, RD-41, RD-44, RD-44.3: what cannot be is refused with a code and the part that
// is wrong, in the form of its path.
func TestRefusals(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	client := b.registers("An app")
	push := func(details string) string {
		return fmt.Sprintf(`{"client_id":%q,"authorization_details":%s}`, client, details)
	}
	connect := func(more string) string { return fmt.Sprintf(`{"resource":%q%s}`, origin, more) }
	for _, c := range []struct {
		path, body string
		status     int
		want       string
	}{
		{PathRegister, `{"client_name":"a\u202eb"}`, 400, "invalid_client_metadata"},
		{PathRegister, `{"client_name":"` + strings.Repeat("x", 81) + `"}`, 400, "invalid_client_metadata"},
		{PathRegister, `{"client_name":"a\u3164b"}`, 400, "invalid_client_metadata"},
		{PathRegister, `{"client_name":"Cafe\u0301"}`, 400, "invalid_client_metadata"},
		{PathRegister, `{"client_name":"\u0440dpp-host"}`, 400, "invalid_client_metadata"},
		{PathRegister, `{"client_name":"PDPP console"}`, 400, "invalid_client_metadata"},
		{PathRegister, `{"client_name":1}`, 400, "invalid_client_metadata"},
		{PathRegister, `{"token_endpoint_auth_method":"private_key_jwt"}`, 400, "invalid_client_metadata"},
		{PathRegister, `{"client_name":"a","client_name":"b"}`, 400, "invalid_client_metadata"},
		{PathRegister, `[]`, 400, "invalid_client_metadata"},
		{PathPush, `{}`, 400, "invalid_request client_id"},
		{PathPush, `{"client_id":"cl_none","authorization_details":` + asks + `}`, 400, "invalid_client client_id"},
		{PathPush, fmt.Sprintf(`{"client_id":%q}`, client), 400, "invalid_request authorization_details"},
		{PathPush, push(`{}`), 400, "invalid_authorization_details"},
		{PathPush, push(strings.Replace(asks, `"continuous"`, `"always"`, 1)), 400, "invalid_authorization_details /0/access_mode"},
		{PathPush, push(strings.Repeat("[", 100) + strings.Repeat("]", 100)), 400, "invalid_request"},
		{PathPush, push(asks) + "x", 400, "invalid_request"},
		{PathPush, `{"client_id":"` + client + `","authorization_details":` + asks + `,"more":1}`, 400, "invalid_request more"},
		{PathPush, `{"x":"` + strings.Repeat("x", mostPushed) + `"}`, 413, "too_large"},
		{PathConnect, `{"resource":"http://evil.example"}`, 400, "invalid_request resource"},
		{PathConnect, connect(`,"scope":"pdpp:everything"`), 400, "invalid_request scope"},
		{PathConnect, connect(`,"client_id":"cl_none"`), 400, "invalid_client client_id"},
		{PathConnect, connect(`,"request_uri":"urn:pdpp:pending-consent:x"`), 400, "invalid_request client_id"},
		{PathConnect, connect(`,"client_id":"` + client + `","request_uri":"urn:pdpp:pending-consent:x"`), 400, "invalid_request request_uri"},
		{PathConnect, connect(`,"client_name":"pdpp"`), 400, "invalid_request client_name"},
		{PathPush, `{"client_id":"pdpp_cli","client_display":"pdpp-host","authorization_details":` + asks + `}`, 400, "invalid_request client_display"},
		{PathConnect, connect(`,"client_name":"a\u0000b"`), 400, "invalid_request client_name"},
		{PathPoll, `{}`, 400, "invalid_request polling_code"},
		{PathPoll, `{"polling_code":"` + strings.Repeat("x", wire.MaxBody) + `"}`, 413, "too_large"},
	} {
		got := b.sends(http.MethodPost, c.path, c.body)
		if got.status != c.status || got.error() != c.want {
			t.Errorf("%s %.80s: got %d %s, want %d %s", c.path, c.body, got.status, got.text, c.status, c.want)
		}
	}
	for _, path := range []string{PathRegister, PathPush, PathConnect, PathPoll, "/grants/x/revoke"} {
		if got := b.sends(http.MethodGet, path, ""); got.status != http.StatusMethodNotAllowed || got.head.Get("Allow") != http.MethodPost {
			t.Errorf("GET %s: got %d and %q, want 405 and POST", path, got.status, got.head.Get("Allow"))
		}
		if got := b.sends(http.MethodPost, path+"?token=x", "{}"); got.status != http.StatusBadRequest {
			t.Errorf("a query at %s: got %d, want 400", path, got.status)
		}
	}
	if got := b.sends(http.MethodPost, PathPoll, "polling_code=x", func(r *http.Request) { r.Header.Set("Content-Type", wire.MediaForm) }); got.status != http.StatusUnsupportedMediaType {
		t.Errorf("a form to the poll: got %d, want 415", got.status)
	}
}

// RD-07, RD-31.1: details that are nested as deep as a request may be long are refused, in a body of
// JSON and in a form, where they are a text.
func TestDepthBombs(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	client := b.registers("An app")
	for name, bomb := range map[string]string{
		"lists": strings.Repeat("[", 80_000), "whole lists": strings.Repeat("[", 40_000) + strings.Repeat("]", 40_000), "objects": strings.Repeat(`{"a":`, 16_000),
		"a list in a detail": `[{"type":` + strings.Repeat("[", 40_000) + strings.Repeat("]", 40_000) + `}]`,
	} {
		for path, sent := range map[string]*sent{
			"JSON": b.sends(http.MethodPost, PathPush, `{"client_id":"`+client+`","authorization_details":`+bomb+`}`),
			"a form": b.sends(http.MethodPost, PathPush, url.Values{"client_id": {client}, "authorization_details": {bomb}}.Encode(), func(r *http.Request) {
				r.Header.Set("Content-Type", wire.MediaForm)
			}),
		} {
			if sent.status != http.StatusBadRequest || len(sent.text) > 1000 {
				t.Errorf("%s as %s: got %d %.300s, want 400", name, path, sent.status, sent.text)
			}
		}
	}
}

// RD-31.3: what strangers push is kept without its blanks, and is bounded; the most records
// that can be named fit.
func TestPushedIsKeptShort(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	named := func(n int) string {
		return strings.Replace(asks, `"fields":["title","at"]`, `"resources":["`+strings.Repeat(strings.Repeat("k", 36)+`","`, n)+`k"]`, 1)
	}
	blank := strings.Replace(named(999), `"type"`, strings.Repeat(" ", 200<<10)+`"type"`, 1)
	uri := url.Values{"client_id": {"pdpp_cli"}, "authorization_details": {blank}}
	pushed := b.sends(http.MethodPost, PathPush, uri.Encode(), func(r *http.Request) { r.Header.Set("Content-Type", wire.MediaForm) })
	if pushed.status != http.StatusCreated {
		t.Fatalf("1000 records that are named: got %d %s, want a request", pushed.status, pushed.text)
	}
	r, err := b.desk.Find(t.Context(), pushed.string("request_uri"))
	b.ok(err)
	if len(r.Details) > 64<<10 {
		t.Errorf("got %d bytes kept, want no blanks among them", len(r.Details))
	}
	long := fmt.Sprintf(`{"client_id":"pdpp_cli","authorization_details":%s}`, strings.ReplaceAll(named(900), strings.Repeat("k", 36), strings.Repeat("k", 100)))
	if got := b.sends(http.MethodPost, PathPush, long); got.status != http.StatusBadRequest || got.error() != "invalid_authorization_details" {
		t.Errorf("90 KiB of keys: got %d %s, want 400", got.status, got.text)
	}
}

// RD-03.2: a stranger does not learn from a pushed request what the owner has. The owner is
// told that nothing fits it, and can refuse it alone.
func TestPushingTellsNothingOfTheOwner(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	want := b.posts(PathPush, object{"client_id": "pdpp_cli", "authorization_details": json.RawMessage(asks)})
	for part, other := range map[string]string{source: "https://example.org/other", `"notes"`: `"gone"`, `"title"`: `"gone"`, `"fields":["title","at"]`: `"instance_ids":["x"]`} {
		got := b.posts(PathPush, object{"client_id": "pdpp_cli", "authorization_details": json.RawMessage(strings.Replace(asks, part, other, 1))})
		if got.status != want.status || len(got.text) != len(want.text) {
			t.Errorf("%s for %s: got %d %s, want what a request is told that fits: %d %s", other, part, got.status, got.text, want.status, want.text)
			continue
		}
		id, err := grants.Find(t.Context(), b.owner, got.string("request_uri"))
		b.ok(err)
		looked, err := grants.Look(t.Context(), b.owner, id)
		b.ok(err)
		if len(looked.Offers) != 0 {
			t.Errorf("%s for %s: got %+v, want nothing that can be given", other, part, looked.Offers)
		}
		_, err = grants.Review(t.Context(), b.owner, id, Choices{})
		b.code(err, grants.CodeDetails)
		if looked.Asks == nil || !strings.Contains(err.Error(), looked.Asks.AskedFor()) {
			t.Errorf("%s for %s: its owner reads %v, want what was asked for", other, part, err)
		}
		_, err = grants.Refuse(t.Context(), b.owner, id)
		b.ok(err)
	}
}

// RD-41.2: whoever sees the address of a request, which its owner has looked at, cannot have
// its token sent to them; and who came before shows a code in the review.
func TestNobodyWaitsBehindAReview(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	uri := b.pushes("pdpp_cli", asks)
	id, err := grants.Find(t.Context(), b.owner, uri)
	b.ok(err)
	reviewed, err := grants.Review(t.Context(), b.owner, id, Choices{})
	b.ok(err)
	if reviewed.Awaited || reviewed.Code != "" {
		t.Errorf("got %+v, want nobody who waits", reviewed)
	}
	connect := object{"resource": origin, "client_id": "pdpp_cli", "request_uri": uri}
	if got := b.posts(PathConnect, connect); got.status != http.StatusBadRequest || got.error() != "invalid_request request_uri" {
		t.Errorf("behind a review: got %d %s, want 400", got.status, got.text)
	}
	connect["request_uri"] = b.pushes("pdpp_cli", asks)
	got := b.posts(PathConnect, connect)
	id, err = grants.Find(t.Context(), b.owner, fmt.Sprint(connect["request_uri"]))
	b.ok(err)
	if reviewed, err = grants.Review(t.Context(), b.owner, id, Choices{}); err != nil || !reviewed.Awaited || reviewed.Code != got.string("user_code") {
		t.Errorf("got %+v, %v, want the code %s", reviewed, err, got.string("user_code"))
	}
}

// RD-41: a pushed request may come as a form, with the details as their JSON text.
func TestPushedForm(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	form := func(r *http.Request) { r.Header.Set("Content-Type", wire.MediaForm) }
	values := url.Values{"client_id": {"pdpp_cli"}, "authorization_details": {asks}}
	if got := b.sends(http.MethodPost, PathPush, values.Encode(), form); got.status != http.StatusCreated {
		t.Errorf("got %d %s, want it to be kept", got.status, got.text)
	}
	values.Add("client_id", "pdpp_cli")
	if got := b.sends(http.MethodPost, PathPush, values.Encode(), form); got.error() != "invalid_request client_id" {
		t.Errorf("a name twice: got %d %s, want it refused", got.status, got.text)
	}
}

// RD-41: a client names itself by a text or, as the public specification has it, by an object.
func TestAClientNamesItself(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	form := func(r *http.Request) { r.Header.Set("Content-Type", wire.MediaForm) }
	const rest = `","uri":"https://app.example","logo_uri":"https://app.example/l.png","policy_uri":"https://app.example/p","tos_uri":"https://app.example/t"}`
	for want, display := range map[string]string{"Texted": `"Texted"`, "Named": `{"name":"Named` + rest} {
		b.posts(PathPush, object{"client_id": "pdpp_cli", "client_display": jsontext.Value(display), "authorization_details": jsontext.Value(asks)})
		b.sends(http.MethodPost, PathPush, url.Values{"client_id": {"pdpp_cli"}, "client_display": {strings.Trim(display, `"`)}, "authorization_details": {asks}}.Encode(), form)
		all, err := grants.Requests(t.Context(), b.owner)
		b.ok(err)
		named := 0
		for _, r := range all {
			if r.Display == want {
				named++
			}
		}
		if named != 2 {
			t.Errorf("%s: got %+v, want two that are called %q", display, all, want)
		}
	}
	if got := b.sends(http.MethodPost, PathPush, `{"client_id":"pdpp_cli","client_display":["a"],"authorization_details":`+asks+`}`); got.status != http.StatusBadRequest {
		t.Errorf("a list: got %d %s, want it refused", got.status, got.text)
	}
}

// RD-01.1, RD-01.2, RD-01.3, RD-01.4: a host answers to its own names, by the one that was
// asked for, whatever a proxy's headers say, and to no page of somebody else's.
func TestForgedHostsAndOrigins(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	as := func(host string) func(*http.Request) { return func(r *http.Request) { r.Host = host } }
	for _, host := range []string{"localhost:8377", "127.0.0.1:8377", "[::1]:8377"} {
		forward := func(r *http.Request) {
			r.Header.Set("X-Forwarded-Host", "evil.example")
			r.Header.Set("X-Forwarded-Proto", "https")
		}
		if got := b.sends(http.MethodGet, PathResource, "", as(host), forward); got.string("resource") != "http://"+host {
			t.Errorf("%s: got the resource %q, want that name", host, got.string("resource"))
		}
	}
	for _, host := range []string{"evil.example", "localhost:1", "127.0.0.1.evil.example:8377", ""} {
		for _, path := range []string{PathResource, PathServer, PathConnect} {
			if got := b.sends(http.MethodPost, path, "{}", as(host)); got.status != http.StatusMisdirectedRequest && got.status != http.StatusMethodNotAllowed || strings.Contains(got.text, "evil") {
				t.Errorf("%s for %q: got %d %s, want 421", path, host, got.status, got.text)
			}
		}
		if got := b.sends(http.MethodGet, PathResource, "", as(host)); got.status != http.StatusMisdirectedRequest || got.error() != "misdirected_request" {
			t.Errorf("%q: got %d %s, want 421", host, got.status, got.text)
		}
	}
	for header, value := range map[string]string{"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"} {
		got := b.posts(PathConnect, object{"resource": origin}, func(r *http.Request) { r.Header.Set(header, value) })
		if got.status != http.StatusForbidden || got.head.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s %s: got %d %s, want 403", header, value, got.status, got.text)
		}
	}
}

// RD-01.2, RD-01.4, section 13, forgeries of Host and Origin: whatever way a request has to say
// which host it is for, another one's name is not answered and not told again; and no page of
// another origin sends anything, also not one of this machine's.
func TestForgeriesOnTheWire(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	s := httptest.NewServer(b.face)
	t.Cleanup(s.Close)
	answer := func(request string) (status int, text string) {
		t.Helper()
		conn, err := net.Dial("tcp", s.Listener.Addr().String())
		b.ok(err)
		defer func() { _ = conn.Close() }()
		_, err = io.WriteString(conn, request)
		b.ok(err)
		got, err := http.ReadResponse(bufio.NewReader(conn), nil)
		b.ok(err)
		defer func() { _ = got.Body.Close() }()
		body, err := io.ReadAll(got.Body)
		b.ok(err)
		return got.StatusCode, fmt.Sprint(got.Header, string(body))
	}
	get := "GET " + PathResource + " HTTP/1.1\r\n"
	if status, text := answer(get + "Host: " + at + "\r\n\r\n"); status != http.StatusOK {
		t.Fatalf("the host's own name: got %d %s, want 200", status, text)
	}
	for _, request := range []string{
		get + "Host: evil.example\r\n\r\n",
		get + "Host: evil.example:8377\r\nX-Forwarded-Host: " + at + "\r\nForwarded: host=" + at + "\r\n\r\n",
		"GET http://evil.example" + PathResource + " HTTP/1.1\r\nHost: " + at + "\r\n\r\n",
		get + "Host: " + at + "\r\nHost: evil.example\r\n\r\n",
		get + "Host: " + at + "@evil.example\r\n\r\n",
		get + "Host: " + at + ", evil.example\r\n\r\n",
		get + "Host: " + at + ".evil.example\r\n\r\n",
		get + "Host: " + at + "/evil.example\r\n\r\n",
		get + "Host: localhost.:8377\r\n\r\n",
		get + "Host: 127.1:8377\r\n\r\n",
		get + "Host: \r\n\r\n",
		get + "\r\n",
		"GET " + PathResource + " HTTP/1.0\r\n\r\n",
	} {
		if status, text := answer(request); status != http.StatusMisdirectedRequest && status != http.StatusBadRequest || strings.Contains(text, "evil") {
			t.Errorf("%q: got %d %s, want it refused without that name", request, status, text)
		}
	}
	for _, from := range []string{"null", "https://evil.example", "http://" + at + ".evil.example", "http://evil.example/" + at, "http://127.0.0.1:9999", "http://localhost:8377", "file://", "x"} {
		for _, path := range []string{PathRegister, PathPush, PathConnect, PathPoll, "/grants/x/revoke"} {
			got := b.sends(http.MethodPost, path, "{}", func(r *http.Request) { r.Header.Set("Origin", from) })
			if got.status != http.StatusForbidden || got.head.Get("Access-Control-Allow-Origin") != "" {
				t.Errorf("%s from %q: got %d %s, want 403", path, from, got.status, got.text)
			}
		}
	}
}

// RD-41.1: fifty requests of an address wait at a time. The oldest gives way to the next. A client's id is no secret: others who use it
// push nothing out.
func TestPendingIsBounded(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	push := func(client string, change func(*http.Request)) *sent {
		return b.sends(http.MethodPost, PathPush, `{"client_id":"`+client+`","authorization_details":`+asks+`}`, func(r *http.Request) {
			b.forward(time.Second)
			change(r)
		})
	}
	waiting := func() []storage.GrantRequest {
		all, err := b.store.WaitingRequests(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	first := ""
	one := from("2001:db8:1::1")
	for range 51 {
		if got := push("pdpp_cli", one); got.status != http.StatusCreated {
			t.Fatalf("got %d %s, want a request", got.status, got.text)
		}
		if first == "" {
			first = waiting()[0].ID
		}
	}
	if all := waiting(); len(all) != 50 || slices.ContainsFunc(all, func(r storage.GrantRequest) bool { return r.ID == first }) {
		t.Errorf("one more: got %d requests that wait, want 50 without the first", len(all))
	}
	for i := range 5 {
		if got := push("pdpp_cli", from(fmt.Sprintf("2001:db8:2:%x::1", i))); got.status != http.StatusCreated || len(waiting()) != 51+i {
			t.Errorf("of another address: got %d %s, and %d requests, want one more", got.status, got.text, len(waiting()))
		}
	}
	b.forward(10 * time.Minute)
	if got := push("pdpp_cli", one); got.status != http.StatusCreated {
		t.Errorf("after their time: got %d %s, want a request", got.status, got.text)
	}
}

// RD-07: a request whose time is over is told to come again, and no fault.
func TestRequestsEnd(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	got := b.posts(PathPoll, object{"polling_code": "x"}, func(r *http.Request) {
		ctx, cancel := context.WithCancel(r.Context())
		cancel()
		*r = *r.WithContext(ctx)
	})
	if got.status != http.StatusServiceUnavailable || got.error() != "store_busy" || got.head.Get("Retry-After") == "" {
		t.Errorf("got %d %s, want 503 store_busy with Retry-After", got.status, got.text)
	}
}

// RD-03.1: whatever is sent, the answer is JSON with a code and a request's id, and no fault
// of the host's.
func FuzzBodies(f *testing.F) {
	for _, path := range []string{PathRegister, PathPush, PathConnect, PathPoll} {
		f.Add(path, `{"client_id":"pdpp_cli","authorization_details":`+asks+`}`)
		f.Add(path, `{"resource":"`+origin+`","client_name":"x"}`)
	}
	pgtest.OnFile(f)
	b := newBed(f)
	f.Fuzz(func(t *testing.T, path, body string) {
		if path != PathRegister && path != PathPush && path != PathConnect && path != PathPoll {
			return
		}
		b.forward(time.Second)
		one := *b
		one.TB = t
		got := one.sends(http.MethodPost, path, body)
		if got.status >= http.StatusInternalServerError || got.status >= 400 && got.error() == "" {
			t.Errorf("%s %q: got %d %s, want a refusal with a code", path, body, got.status, got.text)
		}
	})
}

// A NUL or a control character in what a stranger sends is their fault, and no line of the log.
func TestControlCharactersAreRefused(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	client := b.redirects()
	for _, bad := range []string{"\x00", "\n", "\x7f"} {
		for path, body := range map[string]object{
			PathConnect: {"client_id": "a" + bad, "resource": origin},
			PathPush: {
				"client_id": client, "authorization_details": json.RawMessage(asks), "response_type": responseCode, "redirect_uri": redirect,
				"code_challenge": goodVerifier, "code_challenge_method": "S256", "state": "s" + bad,
			},
		} {
			if got := b.posts(path, body); got.status != http.StatusBadRequest {
				t.Errorf("%s with %q: got %d %s, want 400", path, bad, got.status, got.text)
			}
		}
	}
}
