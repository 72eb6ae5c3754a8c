package records

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/host/api/wire"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/read"
)

// storeless is a bed whose store nobody may touch: a read of it is a fault of the host, 500.
func storeless(t *testing.T) *bed {
	t.Helper()
	b := newBed(t)
	known, err := b.server.Callers.Caller(t.Context(), b.owner)
	b.ok(err)
	client, err := b.server.Callers.Caller(t.Context(), "client")
	b.ok(err)
	b.server.Callers = grants{"owner": known, "client": client}
	b.server.Reader = func(context.Context) (*read.Reader, error) { return &read.Reader{}, nil }
	b.server.Tell = func(context.Context, []string) ([]owner.Told, error) { panic("the store was touched") }
	return b
}

// RD-03.2: a stream and a connection outside the scope are refused as those that are not there,
// before the store is asked for anything: no time tells whether there are.
func TestOutsideIsRefusedWithoutTheStore(t *testing.T) {
	t.Parallel()
	b := storeless(t)
	for _, path := range []string{"", "/records", "/records?changes_since=beginning", "/records/a", "/records/a/field-window?field=title", "/aggregate?metric=count"} {
		for _, stream := range []string{"other", "never"} {
			if a := b.get("client", "/v1/streams/"+stream+path); a.status != http.StatusForbidden || a.Error.Code != "grant_stream_not_allowed" {
				t.Errorf("%s of %s: got %d %s, want grant_stream_not_allowed", path, stream, a.status, a.body)
			}
		}
	}
	for _, path := range []string{
		records + "?", records + "?changes_since=beginning&", records + "/a?", records + "/a/field-window?field=title&", "/v1/streams/notes/aggregate?metric=count&",
		"/v1/streams/notes?", "/v1/schema?", "/v1/connections?", "/v1/connectors?", "/v1/blobs/a?",
	} {
		for _, id := range []string{b.ids["two"], "two", strings.Repeat("0", 32)} {
			if a := b.get("client", path+"connection_id="+id); a.status != http.StatusNotFound || a.Error.Code != "connection_not_found" {
				t.Errorf("%s of %s: got %d %s, want connection_not_found", path, id, a.status, a.body)
			}
		}
	}
}

// RD-05.4, RD-17.1, RD-18.4: what cannot be read of a query, and what a client may never
// send, is refused by every route before the store is touched.
func TestQueriesAreReadFirst(t *testing.T) {
	t.Parallel()
	b := storeless(t)
	filled := strings.NewReplacer("{stream}", "notes", "{record}", "a", "{blob_id}", "a")
	for i := range table {
		path := filled.Replace(table[i].Path) + "?"
		for query, param := range map[string]string{
			"nonsense=1": "nonsense", "connection_id=a&connection_id=b": "connection_id", "connection_id=": "connection_id", "connection_id=%00": "", "=1": "", "%zz=1": "",
			"subject_id=someone": "subject_id", "subject_id=": "subject_id", strings.Repeat("connection_id=a&", 64): "",
		} {
			for _, p := range table[i].Params {
				if p.Required {
					query += "&" + p.Name + "=count" // a metric as well
				}
			}
			if table[i].Path == "/v1/search" && param == "subject_id" {
				continue // it has no such parameter
			}
			for _, token := range []string{"owner", "client"} {
				if a := b.get(token, path+query); a.status != http.StatusBadRequest || a.Error.Code != "invalid_request" || a.Error.Param != param {
					t.Errorf("%s%s as %s: got %d %s, want invalid_request of %q", path, query, token, a.status, a.body, param)
				}
			}
		}
		for query, param := range map[string]string{
			"filter[n]=1": "filter", "filter[secret][gte]=1": "filter", "filter=": "filter", "expand=x": "expand", "expand[]=x": "expand", "expand_limit[x]=1": "expand_limit", "connector_id=demo": "connector_id",
		} {
			if a := b.get("client", path+query); a.status != http.StatusBadRequest || a.Error.Code != "invalid_request" || a.Error.Param != param {
				t.Errorf("%s%s: got %d %s, want invalid_request of %q", path, query, a.status, a.body, param)
			}
		}
	}
	for _, query := range []string{"limit=abc", "limit=0", "limit=-1", "limit=1.5", "limit=", "limit=1&limit=2", "order=up", "count=all", "window=all", "fields=a,,b", "view=short", "changes_since=beginning&count=exact", "changes_since="} {
		if a := b.get("client", records+"?"+query); a.status != http.StatusBadRequest || a.Error.Code != "invalid_request" {
			t.Errorf("%s: got %d %s, want invalid_request", query, a.status, a.body)
		}
	}
}

// RD-05.1, RD-08, RD-14, RD-38.2: the document of the API names each parameter that a route takes, and
// no other.
func TestTheDocumentNamesEachParameter(t *testing.T) {
	t.Parallel()
	b := filled(t)
	all := map[string]wire.Param{}
	for _, rt := range Routes() {
		for _, p := range rt.Params {
			if !p.Header {
				all[p.Name] = p
			}
		}
	}
	path := strings.NewReplacer("{stream}", "notes", "{record}", "a", "{blob_id}", "a")
	for _, rt := range Routes() {
		if rt.Method != http.MethodGet {
			continue
		}
		for name, p := range all {
			query := name + "=x"
			if p.Deep {
				query = name + "[x]=x"
			}
			named := false
			for _, one := range rt.Params {
				named = named || one.Name == name
				if one.Required && one.Name != name {
					query += "&" + one.Name + "=count" // a metric as well
				}
			}
			a := b.get(b.owner, path.Replace(rt.Path)+"?"+query)
			if takes := !strings.HasSuffix(a.Error.Message, "is no parameter of this path"); takes != named {
				t.Errorf("%s?%s: got %d %s, and the document names it: %v", rt.Path, query, a.status, a.body, named)
			}
		}
	}
}
