package api_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/api"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
)

var linked = api.LinkHeader(func(c *api.Client, at string) sdk.Request {
	if at == "" {
		at = "/v1/notes"
	}
	return c.Get(at)
}, "")

// follow reads a list whose first page has that header Link, and returns the address of the
// second request, "" without one.
func follow(t testing.TB, header string) (second string, err error) {
	t.Helper()
	p := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.RequestURI() == "/v1/notes" {
			w.Header().Set("Link", header)
		}
		_, _ = w.Write([]byte("[]"))
	})
	res := collect(t, p, func(o *sdktest.Options) { o.Tolerate = true }, func(h *sdk.Host) error {
		_, err = rows(api.New(h, provider), linked, "")
		return nil
	})
	if len(res.Requests) > 1 {
		second = res.Requests[1].URL
	}
	return second, err
}

func TestLinkHeader(t *testing.T) {
	t.Parallel()
	const v1 = origin + "/v1"
	for header, want := range map[string]string{
		``: "",
		`<` + v1 + `/a?page=2>; rel="next", <` + v1 + `/a?page=9>; rel="last"`:  v1 + "/a?page=2",
		`<` + v1 + `/a?page=1>; rel="prev", <` + v1 + `/a?q=1,2;3>; rel="next"`: v1 + "/a?q=1,2;3",
		`<` + v1 + `/a>; title="x, rel=next"; rel="prev"`:                       "",
		`<` + v1 + `/a>; REL=Next`:                                              v1 + "/a",
		`<` + v1 + `/a>; rel="prev", <` + v1 + `/b>;rel="last next"`:            v1 + "/b",
		`<` + v1 + `/a>; rel="nextish"`:                                         "",
		`<` + v1 + `/a; rel="next"`:                                             "",
		v1 + `/a; rel="next"`:                                                   "",
	} {
		if got, err := follow(t, header); got != want || err != nil {
			t.Errorf("%s: %q, %v, want %q", header, got, err, want)
		}
	}
	for _, away := range []string{"https://evil.example/v1/a", origin + ".evil.example/v1/a", origin + "@evil.example/v1/a", origin + "/v2/a", "//x/v1/", origin + "/v1/a b", origin + "/v1/\x7f", origin + "/v1/%zz", origin + "/v1/#a"} {
		got, err := follow(t, `<`+away+`>; rel="next"`)
		if f, ok := sdk.AsFailure(err); got != "" || !ok || f.Code != "notes_next_refused" {
			t.Errorf("%s: asked for %q, %v, want it refused", away, got, err)
		}
	}
}

// AC-09: a page that is as long as its address asks for and names no next one is not the last: the
// next one is asked for by its number. If the same page comes in its place, the list has ended as its header says.
func TestAFullPageWithoutALink(t *testing.T) {
	t.Parallel()
	pager := api.LinkHeader(func(c *api.Client, at string) sdk.Request {
		if at == "" {
			at = "/v1/notes?per_page=2&q=x"
		}
		return c.Get(at)
	}, "")
	const two = `[{"id":"a"},{"id":"b"}]`
	for name, c := range map[string]struct {
		answers answers
		want    string // the pages, or the code of the failure
	}{
		"more":        {answers{"/v1/notes?per_page=2&q=x": two, "/v1/notes?per_page=2&q=x&page=2": `[{"id":"c"},{"id":"d"}]`, "/v1/notes?per_page=2&q=x&page=3": `[{"id":"e"}]`}, "a,b|c,d|e"},
		"no more":     {answers{"/v1/notes?per_page=2&q=x": two, "/v1/notes?per_page=2&q=x&page=2": `[]`}, "a,b|"},
		"a short one": {answers{"/v1/notes?per_page=2&q=x": `[{"id":"a"}]`}, "a"},
		"ignored":     {answers{"/v1/notes?per_page=2&q=x": two, "/v1/notes?per_page=2&q=x&page=2": two}, "a,b"},
	} {
		var got string
		res := collect(t, c.answers, func(o *sdktest.Options) { o.Tolerate = true }, func(h *sdk.Host) error {
			var err error
			got, err = rows(api.New(h, provider), pager, "")
			return err
		})
		if e := res.Done.Error; e != nil {
			got = e.Code
		}
		if got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

// For any header the next page is a link of it below the API, or there is none.
func FuzzLinkHeader(f *testing.F) {
	f.Add(`<https://api.notes.example/v1/a,b;c>; title="a, \"b"; rel=next`)
	f.Add(`<https://api.notes.example/v1/a>; rel="prev", <https://h/b>;rel="last next"`)
	f.Add(`<<<>>>;;rel=;"",`)
	f.Fuzz(func(t *testing.T, header string) {
		if strings.ContainsAny(header, "\r\n\x00") {
			t.Skip()
		}
		if got, _ := follow(t, header); got != "" && (!strings.Contains(header, "<"+got+">") || !strings.HasPrefix(got, origin+"/v1/")) {
			t.Errorf("the next page is %q, want a link of the header %q below the API", got, header)
		}
	})
}

// A conditional request for a list that has not changed ends the reading without a page; a
// 304 that nobody asked for is malformed.
func TestUnchangedList(t *testing.T) {
	t.Parallel()
	for tag, want := range map[string]string{"x": "", "": "notes_malformed_response"} {
		pager := api.LinkHeader(func(c *api.Client, _ string) sdk.Request {
			r := c.Get("/v1/notes")
			r.Header = map[string]string{"If-None-Match": tag}
			return r
		}, "")
		collect(t, answers{"/v1/notes": "304"}, nil, func(h *sdk.Host) error {
			pages := api.New(h, provider).Pages(pager, "")
			some := pages.Next()
			code := ""
			if f, ok := sdk.AsFailure(pages.Err()); ok {
				code = f.Code
			}
			if some || pages.Unchanged() != (want == "") || code != want {
				t.Errorf("tag %q: a page %v, unchanged %v, %q, want no page and %q", tag, some, pages.Unchanged(), code, want)
			}
			return nil
		})
	}
}

// told is a lane that tells when it is asked.
type told struct {
	steps *[]string
	err   error
}

func (l told) Recover() error { *l.steps = append(*l.steps, "recover"); return l.err }
func (l told) Collect() error { *l.steps = append(*l.steps, "notes"); return nil }
func (l told) Close() error   { *l.steps = append(*l.steps, "close"); return nil }

// The table's first step comes before the lanes recover, and these before the streams; a lane
// that broke does not go on, and a run that only recovers collects nothing.
func TestLanes(t *testing.T) {
	t.Parallel()
	broken := &sdk.Failure{Code: "x"}
	for name, c := range map[string]struct {
		first, lane error
		change      func(*sdktest.Options)
		want        string
	}{
		"all":           {want: "first recover notes tags close"},
		"only recovery": {want: "first recover close", change: func(o *sdktest.Options) { o.RecoveryOnly = true }},
		"broken":        {lane: broken, want: "first recover tags"},
		"no first":      {first: broken, want: "first"},
		"out of scope":  {want: "first tags", change: func(o *sdktest.Options) { o.Streams = []string{"tags"} }},
	} {
		var steps []string
		step := func(name string, err error) func(*api.Client) error {
			return func(*api.Client) error { steps = append(steps, name); return err }
		}
		res := collect(t, answers{}, c.change, func(h *sdk.Host) error {
			return api.Collect(h, provider, api.Table{First: step("first", c.first), Streams: []api.Stream{
				{Name: "notes", Lane: func(*api.Client) api.Lane { return told{&steps, c.lane} }}, {Name: "tags", Collect: step("tags", nil)},
			}})
		})
		if got := strings.Join(steps, " "); got != c.want || (res.Done.Status == abi.DoneSucceeded) != (c.first == nil && c.lane == nil) {
			t.Errorf("%s: %s, %s, want %s", name, got, res.Done.Status, c.want)
		}
	}
}

// A provider may say what a status means, and a base_url may have the path of the API.
func TestExplainedStatus(t *testing.T) {
	t.Parallel()
	of := provider
	of.Explain = func(resp *sdk.Response) *sdk.Failure {
		if resp.Status == http.StatusForbidden {
			return &sdk.Failure{Code: "notes_lapsed"}
		}
		return nil
	}
	base := func(o *sdktest.Options) { o.Options = map[string]string{"base_url": "http://127.0.0.1:8080/v1/"} }
	for status, want := range map[string]string{"403": "notes_lapsed", "404": "notes_http_404"} {
		res := collect(t, answers{"/v1/a": status}, base, func(h *sdk.Host) error {
			c := api.New(h, of)
			_, err := c.Ask(c.Get("/v1/a"))
			return err
		})
		if e := res.Done.Error; e == nil || e.Code != want || res.Requests[0].URL != "http://127.0.0.1:8080/v1/a" {
			t.Errorf("%s: %+v for %s, want %s for the path once", status, e, res.Requests[0].URL, want)
		}
	}
}
