package records

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/host/read"
)

// RD-06.3, RD-06: a record's JSON goes out as it is stored, byte for byte, in a list, in changes
// and by itself, and the members around it stand in one order. A projection cuts out members and
// leaves the others as they are.
func TestStoredBytesGoOutAsTheyAre(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	const odd = `{ "id":"\u0061", "title" : ",\"data\":0, <&> \/ ` + "\u2028" + `", "n":1.0e0,"data":0 , "at":"2026-01-01T00:00:00Z" }`
	b.put("one", "notes", `,"data":0,`, odd, "b", `{"id":"b"}`, "-c", "")
	const tail = `,"emitted_at":"2026-01-02T03:04:05Z"}`
	row := func(id, data string) string {
		return fmt.Sprintf(`{"object":"record","id":%q,"stream":"notes","connection_id":%q,"connector_instance_id":%q,"display_name":"one","connector_key":"demo","data":%s%s`, id, b.ids["one"], b.ids["one"], data, tail)
	}
	const fresh = `,"freshness":{"status":"unknown","captured_at":"2026-01-02T03:04:05Z","last_attempted_at":"2026-01-02T03:04:05Z"}}` + "\n"
	both := `{"object":"list","data":[` + row(`,"data":0,`, odd) + "," + row("b", `{"id":"b"}`) + `],"has_more":false,"links":{"self":`
	for path, want := range map[string]string{
		records: both, records + "?changes_since=beginning": both,
		records + "/b":                strings.TrimSuffix(row("b", `{"id":"b"}`), "}") + `,"links":{"self":"/v1/streams/notes/records/b","next":null},"meta":{`,
		records + "/,%22data%22:0,":   strings.TrimSuffix(row(`,"data":0,`, odd), "}") + `,"links":{"self":`,
		records + "?fields=n&limit=1": `{"object":"list","data":[` + row(`,"data":0,`, `{"id":"\u0061","n":1.0e0}`) + `],"has_more":true,"next_cursor":"`,
	} {
		got := b.get(b.owner, path)
		if !strings.HasPrefix(got.body, want) || !json.Valid([]byte(got.body)) {
			t.Errorf("%s:\ngot  %s\nwant %s", path, got.body, want)
		}
		if list := !strings.HasPrefix(path, records+"/"); list != strings.HasSuffix(got.body, fresh) {
			t.Errorf("%s: got %s, want a list alone to end with %s", path, got.body, fresh)
		}
	}
}

// RD-06.1: each warning has its code, says what it is about, and leaves the answer a success.
func TestWarnings(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.ok(b.store.PinPlugin(t.Context(), b.ids["two"], "bb", []byte(strings.NewReplacer(`"n":{"type":"integer"},`, "", `"range_filters":{"n":["gte","lt"]},`, "", `"sum":["n"],`, "").Replace(manifest))))
	b.put("one", "notes", "a", `{"id":"a","n":1,"title":"red","at":"2026-01-01T00:00:00Z"}`)
	b.put("two", "notes", "b", `{"id":"b","title":"red"}`)
	since := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	b.server.Callers = read.AnyOf(b.server.Callers, grants{"undeclared": {Client: "d", Grant: "h", Scope: &read.Scope{Streams: []read.StreamScope{{
		Name: "notes", Connections: []string{b.ids["one"]}, Fields: []string{"id", "title"}, Time: &read.TimeBound{Field: "made", Since: &since}, // not what the connector declares now
	}}}}})
	type warning struct {
		Code         string           `json:"code"`
		Message      string           `json:"message"`
		Param        string           `json:"param"`
		Field        string           `json:"field"`
		ConnectionID string           `json:"connection_id"`
		Detail       map[string]int64 `json:"detail"`
	}
	partial := warning{Code: "partial_results", ConnectionID: b.ids["one"]}
	lacks := warning{Code: "source_skipped_not_applicable", Field: "n", ConnectionID: b.ids["two"]}
	clamped := func(param string, asked, most int64) warning {
		return warning{Code: "limit_clamped", Param: param, Detail: map[string]int64{"requested_limit": asked, "max_limit": most}}
	}
	for _, c := range []struct {
		token, path string
		want        warning
	}{
		{b.owner, records + "?limit=101", clamped("limit", 101, 100)},
		{b.owner, records + "?limit=500&changes_since=beginning", clamped("limit", 500, 100)},
		{"client", "/v1/search?q=red&limit=1000", clamped("limit", 1000, 100)},
		{b.owner, records + "/a/field-window?field=title&limit_chars=20000", clamped("limit_chars", 20000, 16384)},
		{b.owner, records + "?fields=n", lacks},
		{b.owner, records + "?filter[n]=1", lacks},
		{b.owner, records + "?fields=n&changes_since=beginning", lacks},
		{b.owner, "/v1/search?q=red&streams=notes&filter[n]=1", lacks},
		{b.owner, "/v1/streams/notes/aggregate?metric=sum&field=n", lacks},
		{b.owner, "/v1/streams/notes/aggregate?metric=count&filter[n]=1", lacks},
		{"undeclared", "/v1/search?q=red", partial},
		{b.owner, records + "?connector_instance_id=" + b.ids["one"], warning{Code: "deprecated_alias_used", Param: "connector_instance_id"}},
		{"client", "/v1/search?q=red&connector_instance_id=" + b.ids["one"], warning{Code: "deprecated_alias_used", Param: "connector_instance_id"}},
	} {
		a := b.get(c.token, c.path)
		var is struct {
			Meta struct {
				Warnings []warning `json:"warnings"`
			} `json:"meta"`
		}
		b.ok(json.Unmarshal([]byte(a.body), &is))
		if got := is.Meta.Warnings; a.status != http.StatusOK || !slices.ContainsFunc(got, func(w warning) bool {
			said := w.Message != ""
			w.Message = ""
			return said && fmt.Sprint(w) == fmt.Sprint(c.want)
		}) {
			t.Errorf("%s: got %d %s, want the warning %+v", c.path, a.status, a.body, c.want)
		}
	}
	for _, path := range []string{records + "?fields=none", records + "?filter[none]=1", "/v1/streams/notes/aggregate?metric=count&filter[none]=1"} {
		if a := b.get(b.owner, path); a.status != http.StatusBadRequest || a.Error.Code != "unknown_field" {
			t.Errorf("%s: got %d %s, want unknown_field, since every connection lacks it", path, a.status, a.body)
		}
	}
}
