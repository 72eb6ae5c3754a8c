package field

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestBlobID(t *testing.T) {
	t.Parallel()
	id := strings.Repeat("0a", 32)
	for value, want := range map[string]string{
		`{"blob_id":"ID","mime_type":"text/plain","size_bytes":3,"sha256":"ID"}`:                 id,
		`{ "x" : [1] , "sha256":"ID","size_bytes":0,"mime_type":"","blob\u005fid" : "ID" }`:      id,
		`{"blob_id":"ID","mime_type":"text/plain","size_bytes":3,"sha256":"ID","blob_id":"ID2"}`: "",
		`{"blob_id":"ID","mime_type":"text/plain","size_bytes":3}`:                               "",
		`{"blob_id":"ID","mime_type":"text/plain","sha256":"ID"}`:                                "",
		`{"blob_id":"ID","mime_type":null,"size_bytes":3,"sha256":"ID"}`:                         "",
		`{"blob_id":"ID","mime_type":"a/b","size_bytes":-3,"sha256":"ID"}`:                       "",
		`{"blob_id":"ID","mime_type":"a/b","size_bytes":"3","sha256":"ID"}`:                      "",
		`{"blob_id":"ID","mime_type":"a/b","size_bytes":1e3,"sha256":"ID"}`:                      "",
		`[{"blob_id":"ID","mime_type":"text/plain","size_bytes":3,"sha256":"ID"}]`:               "",
		`{"of":{"blob_id":"ID","mime_type":"text/plain","size_bytes":3,"sha256":"ID"}}`:          "",
		`"ID ID ID"`: "", `null`: "", `{}`: "", ``: "",
	} {
		if got := BlobID([]byte(strings.ReplaceAll(value, "ID", id))); got != want {
			t.Errorf("%s: got %q, want %q", value, got, want)
		}
	}
	if upper := strings.ToUpper(id); BlobID([]byte(`{"blob_id":"`+upper+`","mime_type":"a/b","size_bytes":3,"sha256":"`+upper+`"}`)) != "" {
		t.Error("an id in capitals: want no reference")
	}
}

func TestWithFetchURLs(t *testing.T) {
	t.Parallel()
	id := strings.Repeat("0a", 32)
	const ref = `{"blob_id":"ID","mime_type":"text/plain","size_bytes":3,"sha256":"ID"}`
	for data, want := range map[string]string{
		`{"a":1,"b":REF,"c":[REF]}`: `{"a":1,"b":{"blob_id":"ID","mime_type":"text/plain","size_bytes":3,"sha256":"ID","fetch_url":"/at/ID"},"c":[REF]}`,
		`{"b":REF, "d":REF}`: `{"b":{"blob_id":"ID","mime_type":"text/plain","size_bytes":3,"sha256":"ID","fetch_url":"/at/ID"}, ` +
			`"d":{"blob_id":"ID","mime_type":"text/plain","size_bytes":3,"sha256":"ID","fetch_url":"/at/ID"}}`,
		`{"b":{"fetch_url":"https://evil.example/","blob_id":"ID","mime_type":"text/plain","fetch\u005furl":"x","size_bytes":3,"sha256":"ID"}}`: `{"b":{"blob_id":"ID","mime_type":"text/plain","size_bytes":3,"sha256":"ID","fetch_url":"/at/ID"}}`,
		`{"a":"blob_id"}`: `{"a":"blob_id"}`,
		`{"a":"\u00e9"}`:  `{"a":"\u00e9"}`,
		``:                ``,
	} {
		spell := strings.NewReplacer("REF", strings.ReplaceAll(ref, "ID", id), "ID", id).Replace
		got := WithFetchURLs([]byte(spell(data)), func(id string) string { return "/at/" + id })
		if string(got) != spell(want) {
			t.Errorf("%s: got %s, want %s", data, got, want)
		}
		if len(got) > 0 && !json.Valid(got) {
			t.Errorf("%s: got %s, want JSON", data, got)
		}
	}
}
