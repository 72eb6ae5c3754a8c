package sdk_test

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
)

const site = "https://api.example.org"

// netManifest declares a list with details, and a slot of each kind.
const netManifest = `{"connector_key":"test","version":"0.1.0",
"runtime_requirements":{"bindings":{"network":{"required":true},"interactive":{"required":false}},"network":{
 "hosts":[{"host":"api.example.org","reason":"the service"}],
 "credentials":[
  {"name":"bearer","hosts":["api.example.org"],"in":"header","key":"Authorization","as":"bearer","field":"token"},
  {"name":"basic","hosts":["api.example.org"],"in":"header","key":"Authorization","as":"basic","field":"token","user_field":"user"},
  {"name":"query","hosts":["api.example.org"],"in":"query","key":"api_key","field":"token"},
  {"name":"body","hosts":["api.example.org"],"in":"body","key":"api_key","field":"token"}]}},
"streams":[
{"name":"items","primary_key":["id"],"semantics":"mutable_state","schema":{"type":"object"}},
{"name":"details","primary_key":["id"],"semantics":"mutable_state","parent_streams":["items"],
 "coverage_strategy":"parent_detail_accounting","schema":{"type":"object"}},
{"name":"pairs","primary_key":["a","b"],"semantics":"mutable_state","parent_streams":["items"],
 "coverage_strategy":"parent_detail_accounting","schema":{"type":"object"}}]}`

// online is a connector made of its Collect alone, with a network.
type online func(h *sdk.Host) error

func (online) Manifest() string            { return netManifest }
func (c online) Collect(h *sdk.Host) error { return c(h) }

func fetching(t *testing.T, o sdktest.Options, f func(h *sdk.Host) error) *sdktest.Result {
	t.Helper()
	return sdktest.Collect(t, online(f), o)
}

func serve(f func(w http.ResponseWriter, r *http.Request)) http.Handler { return http.HandlerFunc(f) }

// echo answers with the request it received.
var echo = serve(func(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	w.Header().Set("X-Two", "a")
	w.Header().Add("X-Two", "b")
	w.Header().Set("Set-Cookie", "session=1")
	user, password, _ := r.BasicAuth()
	auth := r.Header.Get("Authorization")
	w.WriteHeader(299)
	_, _ = io.WriteString(w, strings.Join([]string{r.Method, r.URL.String(), r.Header.Get("X-Own"), auth[:min(6, len(auth))],
		user, password, string(body)}, "|"))
})

func TestFetch(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		r    sdk.Request
		want string
	}{
		{sdk.Request{URL: site + "/a?b=1"}, "GET|" + site + "/a?b=1|||||"},
		{sdk.Request{Method: "PUT", URL: site + "/", Header: map[string]string{"X-Own": "1"}, Body: []byte("two\nlines \x00\xff")},
			"PUT|" + site + "/|1||||two\nlines \x00\xff"},
		{sdk.Request{URL: site + "/", Credential: "bearer"}, "GET|" + site + "/||Bearer|||"},
		{sdk.Request{URL: site + "/", Credential: "basic"}, "GET|" + site + "/||Basic |secret-user|secret-token|"},
		{sdk.Request{URL: site + "/?z=1", Credential: "query"}, "GET|" + site + "/?api_key=secret-token&z=1|||||"},
		{sdk.Request{Method: "POST", URL: site + "/", Credential: "body", Body: []byte(`{"q":1}`)},
			"POST|" + site + `/|||||{"api_key":"secret-token","q":1}`},
		{sdk.Request{Method: "POST", URL: site + "/", Credential: "body", Body: []byte("q=1")},
			"POST|" + site + "/|||||api_key=secret-token&q=1"},
	} {
		res := fetching(t, sdktest.Options{Provider: echo}, func(h *sdk.Host) error {
			resp, err := h.Fetch(c.r)
			if err != nil {
				return err
			}
			// The body is as it was, whatever bytes it is made of.
			if string(resp.Body) != c.want {
				t.Errorf("%q, want %q", resp.Body, c.want)
			}
			if resp.Status != 299 || resp.Header("X-TWO") != "a, b" || resp.Header("set-cookie") != "" || resp.Header("x-tw") != "" {
				t.Errorf("status %d, headers %q, want resp.Status = 299, resp.Header(\"X-TWO\") = a, b, resp.Header(\"set-cookie\") = \"\" and resp.Header(\"x-tw\") = \"\"", resp.Status, resp.Header("x-two"))
			}
			if _, err := resp.JSON(); err == nil {
				t.Error("the body is no JSON, and was parsed")
			}
			return nil
		})
		// The request as the connector made it contains no secret.
		for _, call := range res.Calls {
			if strings.Contains(call.Payload, "secret") {
				t.Errorf("%s contains the secret: %s, want no secret in it", call.Name, call.Payload)
			}
		}
	}
}

func TestFetchMany(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		window, asked int
		completes     func(int) int
	}{{1, 5, nil}, {0, 3, nil}, {4, 20, nil}, {4, 20, sdktest.Last}, {1000, 200, sdktest.Last}} {
		open, most := 0, 0
		var order []string
		o := sdktest.Options{Completes: c.completes, Provider: serve(func(w http.ResponseWriter, r *http.Request) {
			open++
			most = max(most, open)
			fmt.Fprint(w, r.URL.Path)
		})}
		res := fetching(t, o, func(h *sdk.Host) error {
			i := 0
			return h.FetchMany(c.window, func() (sdk.Request, bool) {
				i++
				return sdk.Request{URL: site + "/" + strconv.Itoa(i)}, i <= c.asked
			}, func(r sdk.Request, resp *sdk.Response, err error) error {
				open--
				if err != nil || r.URL != resp.URL || r.URL != site+string(resp.Body) {
					t.Errorf("%s got %q, %v, want URL = %s and URL = %s", r.URL, resp.Body, err, resp.URL, site+string(resp.Body))
				}
				order = append(order, string(resp.Body))
				return err
			})
		})
		want := min(max(c.window, 1), abi.MaxInFlight-1)
		if most != want || len(res.Requests) != c.asked || len(order) != c.asked {
			t.Errorf("window %d: %d at once, %d sent, %d answered, want %d, %d and %d", c.window, most, len(res.Requests), len(order), want, c.asked, c.asked)
		}
		slices.Sort(order)
		if len(slices.Compact(order)) != c.asked {
			t.Errorf("window %d: an answer came twice", c.window)
		}
	}
}
