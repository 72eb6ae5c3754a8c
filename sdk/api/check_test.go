package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/api"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
)

// under is a connector of one list for a provider with a check.
func under(check api.Check, pager api.Pager) func(h *sdk.Host) error {
	p := provider
	p.Check = check
	return func(h *sdk.Host) error {
		return api.Collect(h, p, api.Table{Streams: []api.Stream{api.List{
			Name: "notes", Pager: pager, Row: func(r *sdk.Record, v jsonvalue.Value) { r.Copy("id", v.Get("id")) },
		}.Stream()}})
	}
}

func ids(member, rest string, of ...string) string {
	return `{"` + member + `":[` + strings.Join(noted(of...), ",") + `]` + rest + `}`
}

// dozen are more rows than may go without the owner's word.
var dozen = strings.Split("abcdefghijkl", "")

// AC-09: an answer that says with a good status that it failed deletes nothing, whether it is
// empty, shorter, or null where a list was; and its words reach the owner.
func TestAnAnswerThatSaysItFailed(t *testing.T) {
	t.Parallel()
	page := func(member, rest string) answers { return answers{"/v1/notes": ids(member, rest, dozen...)} }
	for name, c := range map[string]struct {
		check  api.Check
		items  string
		good   string // the members of a good answer beside its rows
		failed string // the later answer
		code   string
		words  string
	}{
		"GraphQL, empty":       {api.GraphQL, "/data/notes", "", `{"data":{"notes":[]},"errors":[{"message":"Timeout on the shard"}]}`, "notes_answer_failed", "Timeout on the shard"},
		"GraphQL, a part":      {api.GraphQL, "/data/notes", "", `{"data":{"notes":[{"id":"a"}]},"errors":[{"message":"x"}]}`, "notes_answer_failed", "x"},
		"GraphQL, null":        {api.GraphQL, "/data/notes", "", `{"data":null}`, "notes_answer_failed", ""},
		"GraphQL, denied":      {api.GraphQL, "/data/notes", "", `{"data":{"notes":[]},"errors":[{"message":"no","extensions":{"code":"UNAUTHENTICATED"}}]}`, "notes_auth_failed", "no"},
		"GraphQL, undescribed": {nil, "/data/notes", "", `{"data":{"notes":[]},"errors":[{"message":"Timeout"}]}`, "notes_answer_failed", "Timeout"},
		"Slack":                {api.OK, "items", `,"ok":true`, `{"ok":false,"error":"fatal_error","items":[]}`, "notes_answer_failed", "fatal_error"},
		"Slack, no word":       {api.OK, "items", `,"ok":true`, `{"items":[]}`, "notes_answer_failed", ""},
		"Slack, denied":        {api.OK, "items", `,"ok":true`, `{"ok":false,"error":"token_revoked","items":[]}`, "notes_auth_failed", "token_revoked"},
		"Slack, undescribed":   {nil, "items", `,"ok":true`, `{"ok":false,"error":"fatal_error","items":[]}`, "notes_answer_failed", "fatal_error"},
		"GitHub":               {api.Complete, "items", `,"incomplete_results":false`, `{"incomplete_results":true,"items":[]}`, "notes_list_incomplete", ""},
		"GitHub, a part":       {nil, "items", `,"incomplete_results":false`, `{"incomplete_results":true,"items":[{"id":"a"}]}`, "notes_list_incomplete", ""},
		"success":              {nil, "items", `,"success":true`, `{"success":false,"items":[]}`, "notes_answer_failed", ""},
		"JSend":                {nil, "/data/items", `,"status":"success"`, `{"status":"error","message":"down","data":{"items":[]}}`, "notes_answer_failed", "down"},
		"Flickr":               {nil, "items", `,"stat":"ok"`, `{"stat":"fail","message":"Service unavailable","items":[]}`, "notes_answer_failed", "Service unavailable"},
		"an error":             {nil, "items", `,"error":null`, `{"error":"upstream","items":[]}`, "notes_answer_failed", "upstream"},
		"an error's number":    {nil, "items", `,"error":0`, `{"error":17,"items":[]}`, "notes_answer_failed", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			member, good := c.items, page(c.items, c.good)
			if inner, nested := strings.CutPrefix(member, "/data/"); nested {
				good = answers{"/v1/notes": `{"data":` + ids(inner, "", dozen...) + c.good + `}`}
			}
			run := under(c.check, api.OnePage("/v1/notes", c.items))
			first := collect(t, good, nil, run)
			second := collect(t, answers{"/v1/notes": c.failed}, again(first), run)
			e := second.Done.Error
			if kept(first) != "12" || kept(second) != "12" || e == nil {
				t.Fatalf("%s notes, then %s, %+v; want 12 twice and a failure", kept(first), kept(second), e)
			}
			told := e.Code + e.Message
			if !strings.Contains(told, c.code) || c.words != "" && !strings.Contains(told, `its own words: "`+c.words+`"`) {
				t.Errorf("told %q, want %s and the words %q", told, c.code, c.words)
			}
			third := collect(t, good, again(second), run)
			if kept(third) != "12" || third.Done.Status != abi.DoneSucceeded {
				t.Errorf("behind it %s notes, %s; want 12, succeeded", kept(third), third.Done.Status)
			}
		})
	}
}

func again(res *sdktest.Result) func(*sdktest.Options) {
	return func(o *sdktest.Options) { o.State, o.Stored, o.Tolerate = res.Committed(), res.Stored(), true }
}

// An empty list of errors is no failure, nor is a member that means something else at its
// provider.
func TestAnAnswerThatIsOne(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		check api.Check
		rest  string
	}{
		"no errors":      {nil, `,"errors":[],"error":"","ok":true,"success":true,"status":"ok"`},
		"null":           {nil, `,"errors":null,"error":false,"status":200`},
		"another's word": {api.AnyAnswer, `,"error":"none","success":false`},
	} {
		first := collect(t, answers{"/v1/notes": ids("items", "", "a", "b")}, nil, under(c.check, api.OnePage("/v1/notes", "items")))
		second := collect(t, answers{"/v1/notes": ids("items", c.rest, "a")}, again(first), under(c.check, api.OnePage("/v1/notes", "items")))
		if kept(second) != "1" || second.Done.Status != abi.DoneSucceeded {
			t.Errorf("%s: %s notes, %s; want 1, succeeded", name, kept(second), second.Done.Status)
		}
	}
}

// The rows of a list that is not whole are taken; a later run begins at the page that was not.
func TestAPartOfAListIsTaken(t *testing.T) {
	t.Parallel()
	pager := api.Cursor(searching, "items", "", "cursor")
	p := answers{
		"/v1/search?q=x":        ids("items", `,"cursor":"2"`, "a", "b"),
		"/v1/search?q=x&from=2": ids("items", `,"incomplete_results":true,"cursor":"3"`, "c"),
		"/v1/search?q=x&from=3": ids("items", `,"cursor":null`, "e"),
	}
	first := collect(t, p, func(o *sdktest.Options) { o.Tolerate = true }, under(nil, pager))
	if got := strings.Join(first.Keys("notes"), ""); got != "abce" || first.Done.Status != abi.DoneFailed {
		t.Fatalf("emitted %q, %s; want abce, failed", got, first.Done.Status)
	}
	p["/v1/search?q=x&from=2"] = ids("items", `,"cursor":"3"`, "c", "d")
	second := collect(t, p, again(first), under(nil, pager))
	if got := strings.TrimPrefix(second.Requests[0].URL, origin); got != "/v1/search?q=x&from=2" || kept(second) != "5" || second.Done.Status != abi.DoneSucceeded {
		t.Errorf("asked for %s, %s notes, %s; want the second page, 5, succeeded", got, kept(second), second.Done.Status)
	}
}

// A request that a provider has taken and not answered yet is no list.
func TestAcceptedIsNoList(t *testing.T) {
	t.Parallel()
	run := under(nil, api.OnePage("/v1/notes", ""))
	first := collect(t, answers{"/v1/notes": `[` + strings.Join(noted("a", "b"), ",") + `]`}, nil, run)
	second := collect(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusAccepted)
		_, _ = w.Write([]byte(`[]`))
	}), again(first), run)
	if kept(second) != "2" || second.Done.Status != abi.DoneFailed {
		t.Errorf("%s notes, %s; want 2, failed", kept(second), second.Done.Status)
	}
}

// The answer to a detail passes the check as well: it is a gap, and its record is not written
// over.
func TestADetailThatSaysItFailed(t *testing.T) {
	t.Parallel()
	p := provider
	p.Check = api.OK
	l := api.List{
		Name: "notes", Pager: api.OnePage("/v1/notes", "items"),
		Row: func(r *sdk.Record, v jsonvalue.Value) { r.Copy("id", v.Get("id")) },
		Detail: func(row jsonvalue.Value) sdk.Detail {
			return sdk.Detail{Key: []string{row.Get("id").Str()}, UpdatedAt: "1"}
		},
		Path: func(key []string) string { return "/v1/notes/" + key[0] },
	}
	res := collect(t, answers{
		"/v1/notes": ids("items", `,"ok":true`, "a", "b"), "/v1/notes/a": `{"ok":false,"error":"x","id":"a"}`, "/v1/notes/b": `{"ok":true,"id":"b"}`,
	}, nil, func(h *sdk.Host) error { return api.Collect(h, p, api.Table{Streams: []api.Stream{l.Stream()}}) })
	if got := strings.Join(res.Keys("notes"), ""); got != "b" || len(res.Gaps) != 1 || res.Done.Status != abi.DoneSucceeded {
		t.Errorf("emitted %q with %d gaps, %s; want b, 1, succeeded", got, len(res.Gaps), res.Done.Status)
	}
}

// A place that is misspelt, or that the provider has renamed, fails and deletes nothing.
func TestAMisspeltPlaceIsNotTheEnd(t *testing.T) {
	t.Parallel()
	row := func(r *sdk.Record, v jsonvalue.Value) { r.Copy("id", v.Get("id")) }
	p := answers{
		"/v1/notes":     ids("items", `,"next":"`+origin+`/v1/notes?p=2","total":4`, "a", "b"),
		"/v1/notes?p=2": ids("items", `,"next":null,"total":4`, "c", "d"),
	}
	right := api.List{Name: "notes", Pager: api.NextLink("/v1/notes", "items", "next"), Total: "total", Row: row}
	first := collect(t, p, nil, of(right))
	for name, change := range map[string]func(l *api.List){
		"next":  func(l *api.List) { l.Pager = api.NextLink("/v1/notes", "items", "next_page") },
		"rows":  func(l *api.List) { l.Pager = api.NextLink("/v1/notes", "item", "next") },
		"total": func(l *api.List) { l.Total = "Total" },
	} {
		wrong := right
		change(&wrong)
		second := collect(t, p, again(first), of(wrong))
		if kept(second) != "4" || second.Done.Error == nil || !strings.Contains(second.Done.Error.Message, "notes_malformed_response") {
			t.Errorf("%s: %s notes, %+v; want 4 and notes_malformed_response", name, kept(second), second.Done.Error)
		}
	}
	lax := right
	lax.Pager = api.NextLink("/v1/notes", "items", "next_page").LastLacksNext()
	lax.Total, lax.TotalMayLack = "Total", true
	second := collect(t, p, again(first), of(lax))
	if want := "place never seen: next_page of /v1/notes, Total of the stream notes"; !strings.Contains(fmt.Sprint(second.Logs), want) {
		t.Errorf("logged %q, want %q", second.Logs, want)
	}
	if len(first.Logs) != 0 {
		t.Errorf("logged %q where every place was there, want nothing", first.Logs)
	}
}

// The length of a list is a number, or text with one; null and below zero are no length.
func TestTotals(t *testing.T) {
	t.Parallel()
	for total, want := range map[string]string{`1`: "", `"1"`: "", `null`: "", `-1`: "", `"x"`: "notes_malformed_response", `{}`: "notes_malformed_response", `1.5`: "notes_malformed_response"} {
		l := api.List{Name: "notes", Pager: api.OnePage("/v1/notes", "items"), Total: "total", Row: func(r *sdk.Record, v jsonvalue.Value) { r.Copy("id", v.Get("id")) }}
		res := collect(t, answers{"/v1/notes": ids("items", `,"total":`+total, "a")}, func(o *sdktest.Options) { o.Tolerate = true }, of(l))
		got := ""
		if res.Done.Error != nil {
			got = res.Done.Error.Message
		}
		if (want == "") != (got == "") || !strings.Contains(got, want) {
			t.Errorf("%s: got %q, want %q", total, got, want)
		}
	}
}
