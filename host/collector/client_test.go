package collector

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/collector/client"
	"github.com/pdpp-host/pdpp-host/host/collector/profile"
)

func TestAddresses(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"https://host.example": "https://host.example", "https://host.example/": "https://host.example",
		"https://host.example:8443/pdpp/": "https://host.example:8443/pdpp", "http://127.0.0.1:8080": "http://127.0.0.1:8080",
		"http://localhost:8080": "http://localhost:8080", "http://[::1]:8080": "http://[::1]:8080", "http://127.8.9.1": "http://127.8.9.1",
		"http://[::ffff:127.0.0.1]:1": "http://[::ffff:127.0.0.1]:1",

		"http://host.example": "", "http://192.168.1.2:8080": "", "http://localhost.example": "", "http://127.0.0.1.example": "",
		"http://0.0.0.0:8080": "", "ftp://host.example": "", "host.example": "", "": "", "https://": "", "https://:443": "", "//host.example": "",
		"https://ana:secret@host.example": "", "https://host.example?token=secret": "", "https://host.example#secret": "", "https://host example": "",
		"file:///etc/passwd": "",
	} {
		u, err := profile.Origin(text)
		switch {
		case want == "" && abi.CodeOf(err) != profile.CodeAddress:
			t.Errorf("%q was taken as %v (%v)", text, u, err)
		case want != "" && (err != nil || u.String() != want):
			t.Errorf("%q became %v, %v", text, u, err)
		case err != nil && strings.Contains(fmt.Sprintf("%+v", err), "secret"):
			t.Errorf("%q: the error repeats it: %v", text, err)
		}
	}
}

// everywhere is all that an error can be made to show.
func everywhere(err error) string {
	var b strings.Builder
	log := slog.New(slog.NewJSONHandler(&b, nil))
	for e := err; e != nil; e = errors.Unwrap(e) {
		log.Error("x", "error", e, "text", e.Error())
		fmt.Fprintf(&b, "%v %+v %#v %q", e, e, e, e)
		if j, mErr := json.Marshal(e); mErr == nil {
			b.Write(j)
		}
	}
	if p := problem(err); p != nil {
		fmt.Fprintf(&b, "%+v", p)
	}
	return b.String()
}

// Invariant 5: whatever a host answers, even with the credential itself in every
// place that it can put it, no error shows it.
func TestTokenIsInNoError(t *testing.T) {
	t.Parallel()
	echo := `{"error":{"code":"` + testToken + `","message":"you said ` + testToken + `","param":"` + testToken + `"}}`
	for name, fault := range map[string]func(*http.Request) (*answer, error){
		"in the body": func(*http.Request) (*answer, error) { return &answer{status: 422, body: echo}, nil },
		"in the headers": func(*http.Request) (*answer, error) {
			return &answer{status: 503, header: http.Header{"Retry-After": {testToken}}}, nil
		},
		"in an address": func(*http.Request) (*answer, error) {
			return &answer{status: 302, header: http.Header{"Location": {"https://" + testToken}}}, nil
		},
		"in no json": func(*http.Request) (*answer, error) { return &answer{status: 200, body: testToken}, nil },
		"in a good place": func(*http.Request) (*answer, error) {
			return &answer{status: 200, body: `{"device_id":"` + testToken + `"}`}, nil
		},
		"by the network": func(r *http.Request) (*answer, error) {
			return nil, fmt.Errorf("malformed response %q to %v", testToken, r.Header)
		},
	} {
		w := newWorld(t)
		w.host.fail(func(r *http.Request, _ []byte) (*answer, error) { return fault(r) })
		_, err := w.collector().lane.State(t.Context())
		if err == nil {
			t.Fatalf("%s: no error", name)
		}
		if strings.Contains(everywhere(err), "c4n4ry") {
			t.Errorf("%s: %s", name, everywhere(err))
		}
		w.enqueue(1)
		res, err := w.collector().Run(t.Context(), RunRequest{})
		text, mErr := json.Marshal(res)
		w.ok(mErr)
		if strings.Contains(string(text)+everywhere(err), "c4n4ry") || strings.Contains(w.folder(), "c4n4ry") {
			t.Errorf("%s: the result shows it: %s", name, text)
		}
	}
	for _, shown := range []string{fmt.Sprint(profile.NewToken("c4n4ry")), fmt.Sprintf("%#v %+v %s %x", profile.NewToken("c4n4ry"), profile.Profile{Token: profile.NewToken("c4n4ry")}, profile.NewToken("c4n4ry"), "")} {
		if strings.Contains(shown, "c4n4ry") {
			t.Error(shown)
		}
	}
	if b, err := json.Marshal(profile.NewToken("c4n4ry")); err != nil || strings.Contains(string(b), "c4n4ry") {
		t.Errorf("%s %v", b, err)
	}
}

// A redirect is followed nowhere: the credential reaches the profile's host alone.
func TestNoRedirectIsFollowed(t *testing.T) {
	t.Parallel()
	for _, status := range []int{301, 302, 303, 307, 308} {
		for _, to := range []string{"https://elsewhere.example/", "http://127.0.0.1:7/other", "/other"} {
			w := newWorld(t)
			w.host.fail(func(*http.Request, []byte) (*answer, error) {
				return &answer{status: status, header: http.Header{"Location": {to}}}, nil
			})
			_, err := w.collector().lane.State(t.Context())
			f, ok := client.FailureOf(err)
			if !ok || f.Class != client.ClassTransient || len(w.host.calls) != 1 || w.host.redirects != 0 {
				t.Errorf("%d to %s: %v, %d calls", status, to, err, len(w.host.calls))
			}
		}
	}
}

// slow answers with bytes that never end.
type slow struct{ wait time.Duration }

func (s slow) Read(p []byte) (int, error) {
	time.Sleep(s.wait)
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}
func (slow) Close() error { return nil }

type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// A host that never stops answering is read up to a bound, and one that answers
// too slowly is left when the request's time is over.
func TestHostileAnswersAreBounded(t *testing.T) {
	t.Parallel()
	p := &profile.Profile{BaseURL: "https://host.example", DeviceID: testDevice, Token: profile.NewToken(testToken), SourceInstanceID: testSource}
	for _, status := range []int{200, 500} {
		c, err := client.New(p.BaseURL, p.Token, transport(func(*http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: status, Header: http.Header{}, Body: slow{}}, nil
		}), time.Now, time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := (&client.Lane{Client: c, Profile: p}).State(t.Context()); err == nil {
			t.Errorf("%d: an endless answer was taken", status)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		near, far := net.Pipe()
		go func() {
			buf := make([]byte, 4096)
			_, _ = far.Read(buf)
			_, _ = far.Write([]byte("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n"))
			for {
				time.Sleep(50 * time.Second)
				if _, err := far.Write([]byte(" ")); err != nil {
					return
				}
			}
		}()
		local := *p
		local.BaseURL = "http://127.0.0.1:7"
		c, err := client.New(local.BaseURL, local.Token, &http.Transport{
			DialContext:       func(context.Context, string, string) (net.Conn, error) { return near, nil },
			DisableKeepAlives: true,
		}, time.Now, 120*time.Second)
		if err != nil {
			t.Fatal(err)
		}
		begin := time.Now()
		_, err = (&client.Lane{Client: c, Profile: &local}).State(t.Context())
		if f, ok := client.FailureOf(err); !ok || f.Word != "timeout" || time.Since(begin) != 120*time.Second {
			t.Errorf("after %v: %v", time.Since(begin), err)
		}
		_ = near.Close()
		_ = far.Close()
		synctest.Wait()
		time.Sleep(time.Minute)
	})
}

// The end of the caller's context is nothing of the host's: it is no failure that
// would count against what was sent.
func TestEndOfContextIsNoFailure(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx, stop := context.WithCancelCause(t.Context())
	stop(errors.New("enough"))
	_, err := w.collector().lane.State(ctx)
	if _, ok := client.FailureOf(err); ok || err == nil || err.Error() != "enough" {
		t.Errorf("%v", err)
	}
}
