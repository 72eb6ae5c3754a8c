package sdk_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
)

// entry is one record of the site's list.
type entry struct {
	ID      string `json:"id"`
	At      string `json:"updated_at,omitempty"`
	Version int    `json:"version"`
}

// listSite is a provider with a list, newest first, and a detail for each entry.
type listSite struct {
	entries []entry
	status  func(id string) int // of a detail; nil: 200
	before  func(id string)     // before a detail is answered
	broken  func(until string) bool
	details []string // ids fetched, in order
	lists   int
}

// at is a time that grows with n.
func at(n int) string {
	return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(n) * time.Hour).Format(time.RFC3339)
}

// entries are r1 (oldest) to rN, newest first.
func entries(n int) []entry {
	var list []entry
	for i := n; i > 0; i-- {
		list = append(list, entry{ID: "r" + strconv.Itoa(i), At: at(i), Version: 1})
	}
	return list
}

func (s *listSite) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/list" {
		s.lists++
		until, after := r.URL.Query().Get("until"), r.URL.Query().Get("after")
		if s.broken != nil && s.broken(until) {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		page := []entry{}
		for _, e := range s.entries {
			if (until == "" || e.At <= until) && (after == "" || e.At > after) {
				page = append(page, e)
			}
		}
		reply(w, page)
		return
	}
	id := strings.TrimPrefix(r.URL.Path, "/detail/")
	s.details = append(s.details, id)
	if s.before != nil {
		s.before(id)
	}
	if s.status != nil {
		if code := s.status(id); code != 200 {
			w.WriteHeader(code)
			_, _ = fmt.Fprintf(w, `{"message": "No access to %s."}`, id)
			return
		}
	}
	for _, e := range s.entries {
		if e.ID == id {
			reply(w, e)
			return
		}
	}
	w.WriteHeader(http.StatusNotFound)
}

func reply(w http.ResponseWriter, v any) {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	_, _ = w.Write(text)
}

// lister is a connector of one list and its details.
type lister struct {
	window   int
	noRelist bool
	change   func(l *sdk.DetailLane)
}

func (lister) Manifest() string { return netManifest }

func (c lister) Collect(h *sdk.Host) error {
	newest, rest := h.Cursor("items").Get("newest").Str(), h.Cursor("items").Get("rest")
	done := newest // everything up to it has its outcome
	if !rest.IsNull() {
		done = rest.At(0).Str()
	}
	lane := c.lane(h)
	if lane.Slice == nil {
		lane.Slice = func(rest sdk.Detail) error {
			return h.Slice("items", rest.Key[0], fmt.Appendf(nil, `{"newest":%q,"rest":[%q,%q]}`, newest, done, rest.UpdatedAt))
		}
	}
	d := h.Details(lane)
	if err := d.Recover(); err != nil {
		return err
	}
	var list []sdk.Detail
	if !h.RecoveryOnly() {
		var err error
		if list, err = readList(h, "after="+newest); err != nil {
			return err
		}
		if !rest.IsNull() {
			older, err := readList(h, "after="+done+"&until="+rest.At(1).Str())
			if err != nil {
				return err
			}
			list = append(list, older...)
		}
	}
	i := 0
	if err := d.Walk(func() (sdk.Detail, bool) {
		if i == len(list) {
			return sdk.Detail{}, false
		}
		i++
		newest = max(newest, list[i-1].UpdatedAt)
		return list[i-1], true
	}); err != nil {
		return err
	}
	if err := d.Close(); err != nil || h.RecoveryOnly() {
		return err
	}
	return h.State("items", fmt.Appendf(nil, `{"newest":%q}`, newest))
}

func (c lister) lane(h *sdk.Host) sdk.DetailLane {
	l := sdk.DetailLane{
		Stream: "details", StateStream: "items", Window: c.window,
		Request: func(d sdk.Detail) (sdk.Request, error) {
			return sdk.Request{URL: site + "/detail/" + d.Key[0]}, nil
		},
		Record: func(_ sdk.Detail, r *sdk.Response) error {
			if err := h.CheckStatus(r); err != nil {
				return err
			}
			v, err := r.JSON()
			if err != nil {
				return err
			}
			rec := h.Record("details")
			rec.Value("id", v.Get("id"))
			rec.Value("version", v.Get("version"))
			return rec.Emit()
		},
		Relist: func(until string, visit func(sdk.Detail) bool) error {
			list, err := readList(h, "until="+until)
			if err != nil {
				return err
			}
			for _, one := range list {
				if !visit(one) {
					break
				}
			}
			return nil
		},
	}
	if c.noRelist {
		l.Relist = nil
	}
	if c.change != nil {
		c.change(&l)
	}
	return l
}

func readList(h *sdk.Host, query string) ([]sdk.Detail, error) {
	resp, err := h.Fetch(sdk.Request{URL: site + "/list?" + query})
	if err != nil {
		return nil, err
	}
	var v jsonvalue.Value
	if v, err = resp.JSON(); err != nil {
		return nil, err
	}
	var list []sdk.Detail
	for it := v.Children(); it.Next(); {
		e := it.Value()
		list = append(list, sdk.Detail{
			Key: []string{e.Get("id").Str()}, UpdatedAt: e.Get("updated_at").Str(),
			Locator: fmt.Appendf(nil, `{"path":"/detail/%s"}`, e.Get("id").Str()),
		})
	}
	return list, nil
}

// walk is one run of the lister.
func walk(t *testing.T, s *listSite, o sdktest.Options, c lister) *sdktest.Result {
	t.Helper()
	o.Provider = s
	if c.window == 0 {
		c.window = 1
	}
	return sdktest.Collect(t, c, o)
}

// again does the next run, with the state and gaps of r.
func again(t *testing.T, r *sdktest.Result) *sdktest.Result {
	t.Helper()
	return r.SecondRun(t, nil)
}

// reported lists the keys of the gaps that the run emitted.
func reported(r *sdktest.Result) []string {
	var keys []string
	for _, g := range r.Gaps {
		keys = append(keys, unquoted(g.RecordKey))
	}
	return keys
}

func unquoted(raw []byte) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return string(raw)
	}
	return s
}

func texts(list []abi.Raw) []string {
	var out []string
	for _, raw := range list {
		out = append(out, unquoted(raw))
	}
	return out
}

// is compares two lists; nil and empty are the same.
func is(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) && len(got)+len(want) > 0 {
		t.Errorf("%s: %q, want %q", what, got, want)
	}
}

// backlogs returns the backlog gaps that the run emitted.
func backlogs(r *sdktest.Result) []abi.DetailGap {
	return slices.DeleteFunc(slices.Clone(r.Gaps), func(g abi.DetailGap) bool {
		return !strings.HasPrefix(unquoted(g.RecordKey), "backlog:")
	})
}
