package notify

import (
	"bufio"
	"context"
	"crypto/ecdh"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/textproto"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/send/egress"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/wire"
)

// note is what the tests send.
var note = Notification{ID: "note_1", Title: "mine needs you", Body: "Sign in"}

// hostOf is the host:port of a server.
func hostOf(t *testing.T, address string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return u.Host
}

// got is a request that a server was sent.
type got struct {
	method, path string
	header       http.Header
	body         []byte
}

// serve answers with a status, and hands on what it is sent.
func serve(t *testing.T, status int) (*httptest.Server, <-chan got) {
	t.Helper()
	requests := make(chan got, 10)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		requests <- got{r.Method, r.URL.RequestURI(), r.Header, body}
		w.Header().Set("Location", "/elsewhere")
		w.WriteHeader(status)
	}))
	t.Cleanup(s.Close)
	return s, requests
}

// OC-19.1: each service gets its own request, with its secret where the service wants it.
func TestServices(t *testing.T) {
	t.Parallel()
	s, requests := serve(t, http.StatusOK)
	host := hostOf(t, s.URL)
	sender := &Sender{AllowPrivate: []string{host}}
	for _, tc := range []struct{ address, method, path, header, value, body string }{
		{"ntfy://" + host + "/mine?scheme=http", "POST", "/", "", "", `{"message":"Sign in","title":"mine needs you","topic":"mine"}`},
		{"ntfy://:tk_1@" + host + "/mine?scheme=http", "POST", "/", "Authorization", "Bearer tk_1", ""},
		{"ntfy://ana:pw@" + host + "/mine?scheme=http", "POST", "/", "Authorization", "Basic YW5hOnB3", ""},
		{"gotify://" + host + "/at/token1?scheme=http", "POST", "/at/message", "X-Gotify-Key", "token1", `{"message":"Sign in","priority":5,"title":"mine needs you"}`},
		{"matrix://:token1@" + host + "/?scheme=http&room=!r:example.org", "PUT", "/_matrix/client/v3/rooms/%21r:example.org/send/m.room.message/note_1", "Authorization", "Bearer token1", `{"body":"mine needs you\nSign in","msgtype":"m.text"}`},
		{"http://" + host + "/hook?key=1", "POST", "/hook?key=1", "Content-Type", "application/json", `{"message":"Sign in","text":"mine needs you\nSign in","title":"mine needs you"}`},
	} {
		if err := sender.Send(t.Context(), &Address{Service: tc.address}, note); err != nil {
			t.Errorf("%s: %v", tc.address, err)
			continue
		}
		r := <-requests
		path := strings.ReplaceAll(r.path, "!", "%21")
		if r.method != tc.method || path != tc.path || tc.header != "" && r.header.Get(tc.header) != tc.value || tc.body != "" && string(r.body) != tc.body {
			t.Errorf("%s: got %s %s %v %s, want %+v", tc.address, r.method, path, r.header, r.body, tc)
		}
	}
	for address, want := range map[string]string{
		"telegram://123:abc@telegram?chats=7": "https://api.telegram.org/bot123:abc/sendMessage", "slack://A/B/C": "https://hooks.slack.com/services/A/B/C",
		"discord://tok@42": "https://discord.com/api/webhooks/42/tok", "ntfy://ntfy.sh/mine": "https://ntfy.sh/", "gotify://g.example.org/t": "https://g.example.org/message",
	} {
		if p, err := parseService(address); err != nil || p.url.String() != want {
			t.Errorf("%s: got %+v, %v, want %s", address, p, err, want)
		}
	}
}

// Invariant 5: what goes wrong is told with a code, and without the address, which is a
// secret. A redirect is not followed, and an address of the own network is reached where the
// owner has excepted it alone.
func TestFailures(t *testing.T) {
	t.Parallel()
	const secret = "hunter2"
	gone, _ := serve(t, http.StatusGone)
	moved, requests := serve(t, http.StatusFound)
	broken, _ := serve(t, http.StatusInternalServerError)
	closed, _ := serve(t, http.StatusOK)
	closed.Close()
	var all []string
	for _, s := range []*httptest.Server{gone, moved, broken, closed} {
		all = append(all, hostOf(t, s.URL))
	}
	for _, tc := range []struct {
		name, address string
		allowed       []string
		want          abi.Code
	}{
		{"gone", gone.URL + "/" + secret, all, CodeGone},
		{"moved", moved.URL + "/" + secret, all, CodeRefused},
		{"broken", broken.URL + "/" + secret, all, CodeRefused},
		{"nobody there", closed.URL + "/" + secret, all, CodeUnreachable},
		{"not excepted", gone.URL + "/" + secret, nil, egress.CodeSchemeRefused},
		{"an own address", "https://127.0.0.1/" + secret, nil, egress.CodeHostRefused},
		{"an own name", "https://localhost/" + secret, nil, egress.CodeAddressRefused},
		{"metadata", "http://169.254.169.254/" + secret, []string{"169.254.169.254:80"}, egress.CodeAddressRefused},
		{"no service", "gopher://" + secret, all, CodeAddressInvalid},
		{"no topic", "ntfy://" + secret, all, CodeAddressInvalid},
		{"no URL", secret + "\x7f://", all, CodeAddressInvalid},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
		err := (&Sender{AllowPrivate: tc.allowed}).Send(ctx, &Address{Service: tc.address}, note)
		cancel()
		if abi.CodeOf(err) != tc.want || strings.Contains(err.Error(), secret) {
			t.Errorf("%s: got %v, want %s and no address", tc.name, err, tc.want)
		}
		ofChannels(t, tc.name, err)
	}
	if len(requests) != 1 {
		t.Errorf("got %d requests, want that no redirect is followed", len(requests))
	}
}

// OC-19.1: what a browser gets opens with its own key alone, and names what needs it.
func TestWebPush(t *testing.T) {
	t.Parallel()
	s, requests := serve(t, http.StatusCreated)
	browser, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	auth := make([]byte, 16)
	if _, err := rand.Read(auth); err != nil {
		t.Fatal(err)
	}
	key, err := NewPushKey()
	if err != nil {
		t.Fatal(err)
	}
	raw := base64.RawURLEncoding
	a := &Address{Push: &Push{Endpoint: s.URL + "/push/1", P256DH: raw.EncodeToString(browser.PublicKey().Bytes()), Auth: raw.EncodeToString(auth)}}
	sender := &Sender{AllowPrivate: []string{hostOf(t, s.URL)}, PushKey: key}
	if err := sender.Send(t.Context(), a, note); err != nil {
		t.Fatal(err)
	}
	r := <-requests
	var opened pushed
	plain, err := wire.OpenPush(r.body, browser, auth)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(plain, &opened); err != nil || opened != (pushed{note.Title, note.Body, note.ID}) {
		t.Errorf("got %+v, %v, want the notification", opened, err)
	}
	if v := r.header.Get("Authorization"); !strings.HasPrefix(v, "vapid t=") || !strings.Contains(v, key.Public) || r.header.Get("TTL") == "" {
		t.Errorf("got the header %q, want this host's key", v)
	}
	a.Push.P256DH = raw.EncodeToString([]byte("no point"))
	if err := sender.Send(t.Context(), a, note); abi.CodeOf(err) != CodeAddressInvalid {
		t.Errorf("got %v, want %s", err, CodeAddressInvalid)
	}
}

// mailServer takes one mail, and hands it on with the commands that came before. It ends with
// its one connection, which the sender has to close.
func mailServer(t *testing.T) (address string, mails <-chan string) {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	out := make(chan string, 1)
	ended := make(chan struct{})
	t.Cleanup(func() {
		_ = l.Close()
		select {
		case <-ended:
		case <-time.After(2 * time.Minute):
			t.Error("got a connection that stays open, want it closed with the sending")
		}
	})
	go func() {
		defer close(ended)
		conn, err := l.Accept()
		if err != nil {
			return
		}
		defer func() { _ = conn.Close() }()
		w := textproto.NewWriter(bufio.NewWriter(conn))
		r := textproto.NewReader(bufio.NewReader(conn))
		_ = w.PrintfLine("220 mail.test")
		said := ""
		for {
			line, err := r.ReadLine()
			if err != nil {
				return
			}
			said += line + "\n"
			switch verb, _, _ := strings.Cut(strings.ToUpper(line), " "); verb {
			case "EHLO":
				_ = w.PrintfLine("250-mail.test\r\n250 AUTH PLAIN LOGIN")
			case "AUTH":
				_ = w.PrintfLine("235 ok")
			case "DATA":
				_ = w.PrintfLine("354 go on")
				text, _ := r.ReadDotLines()
				out <- said + strings.Join(text, "\n")
				_ = w.PrintfLine("250 ok")
			case "QUIT":
				_ = w.PrintfLine("221 bye")
				return
			default:
				_ = w.PrintfLine("250 ok")
			}
		}
	}()
	return l.Addr().String(), out
}

// OC-19.1: mail goes to the mailbox with a title and a text. Without encryption none goes,
// unless the owner has said so and excepted the server.
func TestEmail(t *testing.T) {
	t.Parallel()
	server, mails := mailServer(t)
	a := &Address{Email: &Email{To: "ana@example.org", From: "pdpp@example.org", Server: server, Plain: true}}
	if err := (&Sender{AllowPrivate: []string{server}}).Send(t.Context(), a, Notification{ID: note.ID, Title: "mïne needs you", Body: note.Body}); err != nil {
		t.Fatal(err)
	}
	mail := <-mails
	for _, want := range []string{"RCPT TO:<ana@example.org>", "MAIL FROM:<pdpp@example.org>", "Subject: =?UTF-8?q?m=C3=AFne_needs_you?=", "Sign in"} {
		if !strings.Contains(mail, want) {
			t.Errorf("got the mail %s, want %s in it", mail, want)
		}
	}
	for _, tc := range []struct {
		name    string
		plain   bool
		allowed []string
		want    abi.Code
	}{
		{"not encrypted", false, nil, ""}, {"not excepted", true, []string{}, egress.CodeAddressRefused},
	} {
		server, _ := mailServer(t)
		if tc.allowed == nil {
			tc.allowed = []string{server}
		}
		a := &Address{Email: &Email{To: "ana@example.org", From: "pdpp@example.org", Server: server, User: "ana", Password: "hunter2", Plain: tc.plain}}
		err := (&Sender{AllowPrivate: tc.allowed}).Send(t.Context(), a, note)
		if err == nil || tc.want != "" && abi.CodeOf(err) != tc.want || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: got %v, want %s", tc.name, err, tc.want)
		}
	}
}

// ofChannels fails where a refusal speaks of what a channel does not have: its owner wrote no
// manifest, and a channel makes no run.
func ofChannels(t *testing.T, name string, err error) {
	t.Helper()
	var e *abi.Error
	if !errors.As(err, &e) {
		t.Fatalf("%s: got %v, want an *abi.Error", name, err)
	}
	for _, other := range []string{"manifest", "runtime_requirements", "connector", "provider", "pages", "requested"} {
		if strings.Contains(e.Message+" "+e.Hint, other) {
			t.Errorf("%s: got %q, %q, want nothing of a %s", name, e.Message, e.Hint, other)
		}
	}
}

// Each refusal of the wall is told in the words of channels.
func TestTheWallSpeaksOfChannels(t *testing.T) {
	t.Parallel()
	for _, code := range []abi.Code{
		egress.CodeHostRefused, egress.CodeSchemeRefused, egress.CodeAddressRefused, egress.CodeHeaderReserved, egress.CodeHeaderInvalid,
		egress.CodeTooLarge, egress.CodeEncodingRefused, egress.CodeUpgradeRefused, egress.CodePolicyInvalid,
	} {
		err := unreachable("push.example.org", abi.NewError(code, "the manifest does not name the provider", "ask for smaller pages"))
		if abi.CodeOf(err) != code || !strings.Contains(err.Error(), "push.example.org") {
			t.Errorf("got %v, want %s and the host", err, code)
		}
		ofChannels(t, string(code), err)
	}
}

// A text that breaks its line, or that cannot be seen, is refused when it is entered: each text of
// each kind of address.
func TestAddressesStandOnOneLine(t *testing.T) {
	t.Parallel()
	mail := Email{To: "ana@example.org", From: "pdpp@example.org", Server: "smtp.example.org:587", User: "ana", Password: "a password"}
	push := Push{Endpoint: "https://push.example.org/x", P256DH: "key", Auth: "auth"}
	const service = "ntfy://ntfy.example.org/mine"
	for name, text := range map[string]func(string) Address{
		"to":      func(s string) Address { m := mail; m.To = s + m.To; return Address{Email: &m} },
		"to, end": func(s string) Address { m := mail; m.To += s; return Address{Email: &m} },
		"to, in":  func(s string) Address { m := mail; m.To = `"a` + s + `b"@example.org`; return Address{Email: &m} },
		"from":    func(s string) Address { m := mail; m.From += s; return Address{Email: &m} },
		"server": func(s string) Address {
			m := mail
			m.Server = "smtp" + s + ".example.org:587"
			return Address{Email: &m}
		},
		"port":     func(s string) Address { m := mail; m.Server += s; return Address{Email: &m} },
		"user":     func(s string) Address { m := mail; m.User += s; return Address{Email: &m} },
		"password": func(s string) Address { m := mail; m.Password += s; return Address{Email: &m} },
		"endpoint": func(s string) Address { p := push; p.Endpoint += s; return Address{Push: &p} },
		"key":      func(s string) Address { p := push; p.P256DH += s; return Address{Push: &p} },
		"auth":     func(s string) Address { p := push; p.Auth += s; return Address{Push: &p} },
		"service":  func(s string) Address { return Address{Service: service + s} },
		"fragment": func(s string) Address { return Address{Service: service + "#" + s} },
	} {
		for _, broken := range []string{"\r\n", "\n", "\r", "\x00", "\t", "\u0085", "\u2028", "\u202e", "\r\nRCPT TO:<eve@example.org>"} {
			a := text(broken)
			if _, _, err := a.Kind(); abi.CodeOf(err) != CodeAddressInvalid {
				t.Errorf("%s with %q: got %v, want %s", name, broken, err, CodeAddressInvalid)
			}
		}
	}
	for _, a := range []Address{{Email: &mail}, {Push: &push}, {Service: service}} {
		if _, _, err := a.Kind(); err != nil {
			t.Errorf("got %v, want an address without a line break to be taken", err)
		}
	}
	for _, server := range []string{"smtp.example.org:mail", "smtp.example.org:70000", `sm"tp:587`, `sm\tp:587`, "<smtp>:587"} {
		a := Address{Email: &Email{To: mail.To, From: mail.From, Server: server}}
		if _, _, err := a.Kind(); abi.CodeOf(err) != CodeAddressInvalid {
			t.Errorf("the server %q: got %v, want %s", server, err, CodeAddressInvalid)
		}
	}
}

// The error of an address holds nothing of the address.
func FuzzAddress(f *testing.F) {
	f.Add("ntfy://hunter2/hunter2/x", "a@b", "smtp:25")
	f.Add("matrix://:hunter2@h/?room=a/b", "hunter2", "hunter2")
	f.Fuzz(func(t *testing.T, service, to, server string) {
		for _, a := range []Address{{Service: service}, {Email: &Email{To: to, From: to, Server: server}}, {Push: &Push{Endpoint: service, P256DH: to, Auth: to}}} {
			if _, _, err := a.Kind(); err != nil && strings.Contains(err.Error(), "hunter2") {
				t.Fatalf("got %v, want nothing of the address", err)
			}
		}
	})
}
