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

// whole is a table of one list.
var whole = api.Table{Streams: []api.Stream{api.List{
	Name: "notes", Pager: api.Cursor(searching, "items", "", "cursor").LastLacksNext(), Total: "/meta/total", TotalMayLack: true,
	Row: func(r *sdk.Record, v jsonvalue.Value) {
		r.Copy("id", v.Get("id"))
		r.Copy("text", v.Get("text"))
	},
}.Stream()}}

// shelf is a provider of a list with two rows to a page.
type shelf struct {
	rows  []string
	total int // that it claims; -1: none
	at    func(page int)
}

func (s *shelf) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	from := 0
	_, _ = fmt.Sscan(r.URL.Query().Get("from"), &from)
	if s.at != nil {
		s.at(from / 2)
	}
	from = min(from, len(s.rows))
	to := min(from+2, len(s.rows))
	body := `{"items":[` + strings.Join(s.rows[from:to], ",") + `]`
	if to < len(s.rows) {
		body += fmt.Sprintf(`,"cursor":"%d"`, to)
	}
	if s.total >= 0 {
		body += fmt.Sprintf(`,"meta":{"total":%d}`, s.total)
	}
	_, _ = fmt.Fprint(w, body+`}`)
}

func noted(ids ...string) (rows []string) {
	for _, id := range ids {
		rows = append(rows, fmt.Sprintf(`{"id":%q,"text":"x"}`, id))
	}
	return rows
}

func lists(h *sdk.Host) error { return api.Collect(h, provider, whole) }

func kept(res *sdktest.Result) string {
	var keys []string
	for key := range res.Stored()["notes"] {
		keys = append(keys, key)
	}
	return fmt.Sprint(len(keys))
}

func said(res *sdktest.Result) string {
	var reasons []string
	for _, s := range res.Skips {
		reasons = append(reasons, s.Reason)
	}
	return strings.Join(reasons, ",")
}

// A row that is gone is deleted, but not by a list that may lack it.
func TestListFindsWhatIsGone(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		rows     []string
		total    int
		kept     string
		said     string
		requests int
	}{
		"as before":          {noted("a", "b", "c"), -1, "3", "", 2},
		"one gone":           {noted("a", "c"), -1, "2", "", 2},
		"all gone":           {nil, -1, "0", "", 2},
		"one gone, and said": {noted("a", "c"), 2, "2", "", 2},
		"shorter than said":  {noted("a", "c"), 3, "3", "notes_list_unstable", 2},
		"a row without id":   {append(noted("a", "c"), `{"text":"x"}`), -1, "3", "notes_item_unreadable", 2},
		"an id of a new one": {append(noted("a", "b", "c"), `{"id":"d"}`), -1, "4", "", 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := &shelf{rows: noted("a", "b", "c"), total: -1}
			first := collect(t, p, nil, lists)
			p.rows, p.total = c.rows, c.total
			res := first.SecondRun(t, nil)
			if kept(res) != c.kept || said(res) != c.said || len(res.Requests) != c.requests || res.Done.Status != abi.DoneSucceeded {
				t.Errorf("got %s notes, said %q, %d requests, %s; want %s, %q, %d, succeeded", kept(res), said(res), len(res.Requests), res.Done.Status, c.kept, c.said, c.requests)
			}
		})
	}
}

// PB-D8: a run that was broken off goes on at its page, and deletes nothing that it has met.
func TestListGoesOn(t *testing.T) {
	t.Parallel()
	p := &shelf{rows: noted("a", "b", "c", "d", "e"), total: -1}
	first := collect(t, p, func(o *sdktest.Options) {
		o.Tolerate = true
		pages := 0
		o.Before = func(call string, _ []byte) *abi.Error {
			if call == "state" {
				if pages++; pages > 2 {
					return abi.NewError(abi.CodeInternal, "the host went away", "")
				}
			}
			return nil
		}
	}, lists)
	second := first.SecondRun(t, func(o *sdktest.Options) { o.Before, o.Tolerate = nil, false })
	if got := strings.Join(second.Keys("notes"), ""); got != "e" || kept(second) != "5" {
		t.Errorf("the second run emits %q, and %s notes are kept; want e and 5", got, kept(second))
	}
}

// Rows that cannot be read are counted once, however often the list is read: here twice, since
// a row is missing, or four times, since the list is shorter than it says.
func TestUnreadableRowsAreCountedOnce(t *testing.T) {
	t.Parallel()
	bad := `{"text":"x"}`
	for name, c := range map[string]struct {
		rows  []string
		total int
		at    func(p *shelf) func(page int)
		want  string
	}{
		"shorter than it says": {append(noted("a", "b"), bad), 5, nil, "1 row of the list has no valid key"},
		"two of them":          {append(noted("a"), bad, bad), 5, nil, "2 rows of the list have no valid key"},
		"one comes later": {noted("a", "b"), 3, func(p *shelf) func(int) {
			return func(page int) {
				if page == 0 && len(p.rows) == 2 && p.total == 3 {
					p.total = 4
				} else if page == 0 && len(p.rows) == 2 {
					p.rows = append(p.rows, bad)
				}
			}
		}, "1 row of the list has no valid key"},
	} {
		p := &shelf{rows: c.rows, total: c.total}
		if c.at != nil {
			p.at = c.at(p)
		}
		res := collect(t, p, nil, lists)
		var got []string
		for _, s := range res.Skips {
			if s.Reason == "notes_item_unreadable" {
				got = append(got, s.Message)
			}
		}
		if strings.Join(got, ",") != c.want {
			t.Errorf("%s: reported %q, want %q", name, got, c.want)
		}
	}
}

// A raised version forgets the cursor: a detail that has not changed is fetched again, for
// records that are built in another way, and a list does not go on at a page that its earlier
// Pager numbered.
func TestARaisedVersionBeginsAnew(t *testing.T) {
	t.Parallel()
	for version, want := range map[int64]string{0: "[]", 1: "[/v1/notes/a]"} {
		l := api.List{
			Name: "notes", Pager: api.OnePage("/v1/notes", "items"), Version: version,
			Row: func(r *sdk.Record, v jsonvalue.Value) { r.Copy("id", v.Get("id")) },
			Detail: func(row jsonvalue.Value) sdk.Detail {
				return sdk.Detail{Key: []string{row.Get("id").Str()}, UpdatedAt: "1"}
			},
			Path: func(key []string) string { return "/v1/notes/" + key[0] },
		}
		before := l
		before.Version = 0
		p := answers{"/v1/notes": `{"items":[{"id":"a"}]}`, "/v1/notes/a": `{"id":"a"}`}
		first := collect(t, p, nil, of(before))
		next := collect(t, p, func(o *sdktest.Options) { o.State, o.Stored = first.Committed(), first.Stored() }, of(l))
		asked := []string{}
		for _, r := range next.Requests {
			if detail := strings.TrimPrefix(r.URL, origin); detail != "/v1/notes" {
				asked = append(asked, detail)
			}
		}
		if got := fmt.Sprint(asked); got != want {
			t.Errorf("version %d behind 0: asked for %s, want %s", version, got, want)
		}
	}
	for version, want := range map[int64]string{0: "/v1/search?q=x&from=2", 1: "/v1/notes?offset=0"} {
		l := api.List{Name: "notes", Pager: api.Offset("/v1/notes", "items", "offset", 2), Version: version, Row: func(r *sdk.Record, v jsonvalue.Value) { r.Copy("id", v.Get("id")) }}
		before := l
		before.Version, before.Pager = 0, api.Cursor(searching, "items", "", "cursor").LastLacksNext()
		if version == 0 {
			l = before
		}
		p := answers{"/v1/search?q=x": `{"items":[{"id":"a"}],"cursor":2}`, "/v1/search?q=x&from=2": `500`, "/v1/notes?offset=0": `{"items":[{"id":"b"}]}`, "/v1/notes?offset=1": `{"items":[]}`}
		first := collect(t, p, func(o *sdktest.Options) { o.Tolerate = true }, of(before))
		p["/v1/search?q=x&from=2"] = `{"items":[{"id":"b"}]}`
		next := collect(t, p, func(o *sdktest.Options) { o.State, o.Stored = first.Committed(), first.Stored() }, of(l))
		if got := strings.TrimPrefix(next.Requests[0].URL, origin); got != want {
			t.Errorf("version %d behind 0: first asked for %s, want %s", version, got, want)
		}
	}
}

// of collects one list.
func of(l api.List) func(h *sdk.Host) error {
	return func(h *sdk.Host) error {
		return api.Collect(h, provider, api.Table{Streams: []api.Stream{l.Stream()}})
	}
}
