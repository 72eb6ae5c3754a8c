package call

import (
	"context"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/send/egress"
)

// TestRefused sends forbidden requests. The host sends no part of them, the run
// continues, and no error repeats a value.
func TestRefused(t *testing.T) {
	t.Parallel()
	b := newBed(t, nil)
	for request, code := range map[string]abi.Code{
		"":                                   CodeRequestInvalid,
		"\n":                                 CodeRequestInvalid,
		"null":                               CodeRequestInvalid,
		"[]":                                 CodeRequestInvalid,
		`{"url":1}`:                          CodeRequestInvalid,
		`{"url":"` + api + `"} x`:            CodeRequestInvalid,
		`{"url":"` + api + `","url":"x"}`:    CodeRequestInvalid,
		`{"URL":"` + api + `"}`:              CodeRequestInvalid,
		`{"url":"` + api + `","Body":"x"}`:   CodeRequestInvalid,
		`{"url":"` + api + `","headers":[]}`: CodeRequestInvalid,
		`{"url":"` + api + "\xff" + `"}`:     CodeRequestInvalid,
		`{}`:                                 CodeRequestInvalid,
		`{"url":"/relative"}`:                CodeRequestInvalid,
		`{"url":"file:///etc/passwd"}`:       CodeRequestInvalid,
		`{"url":"https:opaque"}`:             CodeRequestInvalid,
		`{"url":"https://u:SECRET@api.example.com/"}`:                           CodeRequestInvalid,
		`{"url":"https://api.example.com/?a b"}`:                                CodeRequestInvalid,
		`{"url":"https://api.example.com/\r\nX: y"}`:                            CodeRequestInvalid,
		`{"url":"https://api.example.com/` + strings.Repeat("a", maxURL) + `"}`: CodeRequestInvalid,
		`{"url":"` + api + `","method":"get"}`:                                  CodeRequestInvalid,
		`{"url":"` + api + `","method":"TRACE"}`:                                CodeRequestInvalid,
		`{"url":"` + api + `","method":"CONNECT"}`:                              CodeRequestInvalid,
		`{"url":"` + api + `","method":"GET / HTTP/1.1\r\nX:"}`:                 CodeRequestInvalid,
		`{"url":"` + api + `","headers":{"Host":"SECRET"}}`:                     egress.CodeHeaderReserved,
		`{"url":"` + api + `","headers":{"content-LENGTH":"SECRET"}}`:           egress.CodeHeaderReserved,
		`{"url":"` + api + `","headers":{"X-A":"SECRET\r\nX-B: c"}}`:            egress.CodeHeaderInvalid,
		`{"url":"` + api + `","headers":{"X A":"SECRET"}}`:                      egress.CodeHeaderInvalid,
		`{"url":"` + api + `","headers":{"x-a":"SECRET","X-A":"d"}}`:            CodeRequestInvalid,
		`{"url":"` + api + `"` + strings.Repeat(" ", maxHead) + `}`:             CodeRequestInvalid,
	} {
		r := b.raw(context.Background(), request)
		if r.Error.Code != code || r.Error.Final || r.Error.GapReason != "" || r.Error.Message == "" || r.Error.Hint == "" {
			t.Errorf(`got %.90q: %+v, want r.Error.Code == code && !r.Error.Final && r.Error.GapReason == "" && r.Error.Message != "" && r.Error.Hint != ""`, request, r)
		}
	}
	if len(b.seen) > 0 {
		t.Errorf("%d were sent, want len(b.seen) <= 0", len(b.seen))
	}
	b.sweep("SECRET")
	for _, method := range methods {
		if r := b.do(abi.HTTPRequest{Method: method, URL: api}, "x"); r.Status != 200 || b.seen[len(b.seen)-1].Method != method || b.seen[len(b.seen)-1].body != "x" {
			t.Errorf(`%s: b.do(abi.HTTPRequest{Method: method, URL: api}, "x"): got %+v, want r.Status == 200 && b.seen[len(b.seen)-1].Method == method && b.seen[len(b.seen)-1].body == "x"`, method, r)
		}
	}
}

// FuzzDo: whatever a guest writes is answered, and by one head that can be read.
func FuzzDo(f *testing.F) {
	f.Add([]byte(`{"url":"https://api.example.com/","credential":"body","method":"POST","headers":{"content-type":"application/json"}}` + "\n{}"))
	f.Add([]byte(`{"url":"https://api.example.com/?api_key=1","credential":"query"}`))
	f.Add([]byte(`{"url":"http://127.0.0.1/","headers":{"a":"b"}}`))
	f.Add([]byte("{\n"))
	f.Fuzz(func(t *testing.T, request []byte) {
		b := newBed(t, nil)
		b.answer = func(_ int, r got) says { return says{body: r.body, headers: []string{"X-Echo: " + r.URL.String()}} }
		b.raw(context.Background(), string(request))
		b.sweep("canary", "7f3a")
	})
}
