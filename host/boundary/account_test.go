package boundary

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
)

// AC-02, AC-04: an ACCOUNT says one known word of each file, and its counts add up.
func TestAccountMessages(t *testing.T) {
	t.Parallel()
	g := gate(t, allStreams())
	g.Grant("s", "r")
	g.manifest.Requirements.LocalPaths = &abi.LocalPaths{Rules: []abi.FilesRule{{Name: "pictures"}, {Name: "results", Beginning: true}}}
	for payload, code := range map[string]abi.Code{
		`{"files":[{"root":"r","path":"a","as":"read"}]}`:                                                                                 "",
		`{"files":[{"root":"r","path":"a","as":"known","reason":"too_old"}],"streams":[]}`:                                                "",
		`{"files":[{"root":"r","path":"a.zip","as":"read","entries":{"count":3,"read":2,"unknown":1,"names":["x"]}}]}`:                    "",
		`{"streams":[{"stream":"log","met":6,"emitted":1,"unchanged":1,"merged":1,"duplicate":1,"kept_back":1,"not_record":1,"cut":1}]}`:  "",
		`{"streams":[{"stream":"log","met":2,"not_record":2,"outside":2}]}`:                                                               "",
		`{"streams":[{"stream":"log","met":2,"not_record":2,"outside":3}]}`:                                                               abi.CodeEnvelope,
		`{"streams":[{"stream":"log","met":0,"unknown":[{"name":"X-A","count":2}]}]}`:                                                     "",
		`{"files":[{"root":"r","path":"a","as":"rule","reason":"pictures"},{"root":"r","path":"b","as":"beginning","reason":"results"}]}`: "",
		`{"files":[{"root":"r","path":"a","as":"rule"}]}`:                                                                                 abi.CodeEnvelope,
		`{"files":[{"root":"r","path":"a","as":"rule","reason":"results"}]}`:                                                              abi.CodeEnvelope,
		`{"files":[{"root":"r","path":"a","as":"beginning","reason":"pictures"}]}`:                                                        abi.CodeEnvelope,
		`{"files":[{"root":"r","path":"a","as":"beginning","reason":"others"}]}`:                                                          abi.CodeEnvelope,
		`{"files":[{"root":"r","path":"a","as":"skipped"}]}`:                                                                              abi.CodeEnvelope,
		`{"files":[{"root":"r","as":"read"}]}`:                                                                                            abi.CodeEnvelope,
		`{"files":[{"root":"s","path":"./a\nb","as":"read"}]}`:                                                                            "",
		`{"files":[{"root":"q","path":"a","as":"read"}]}`:                                                                                 abi.CodeEnvelope,
		`{"files":[{"root":"r\u001b","path":"a","as":"read"}]}`:                                                                           abi.CodeEnvelope,
		`{"files":[{"root":"r","path":"../a","as":"read"}]}`:                                                                              abi.CodeEnvelope,
		`{"files":[{"root":"r","path":"b/../../a","as":"read"}]}`:                                                                         abi.CodeEnvelope,
		`{"files":[{"root":"r","path":"/a","as":"read"}]}`:                                                                                abi.CodeEnvelope,
		`{"files":[{"root":"r","path":"a\u0000","as":"read"}]}`:                                                                           abi.CodeEnvelope,
		`{"files":[{"root":"","path":"a","as":"read"}]}`:                                                                                  abi.CodeEnvelope,
		`{"files":{}}`: abi.CodeEnvelope,
		`{"files":[{"root":"r","path":"a","as":"read","entries":{"count":3,"read":2}}]}`:                                                                           abi.CodeEnvelope,
		`{"files":[{"root":"r","path":"a","as":"read","entries":{"count":1,"read":-1,"rule":2}}]}`:                                                                 abi.CodeEnvelope,
		`{"streams":[{"stream":"log","met":2,"emitted":1}]}`:                                                                                                       abi.CodeEnvelope,
		`{"streams":[{"stream":"log","met":1,"emitted":9223372036854775807,"unchanged":9223372036854775807}]}`:                                                     abi.CodeEnvelope,
		`{"streams":[{"stream":"other","met":0}]}`:                                                                                                                 abi.CodeStreamOutOfScope,
		`{"streams":[{"stream":"log","met":0,"unknown":[{"name":"","count":2}]}]}`:                                                                                 abi.CodeEnvelope,
		`{"files":[` + strings.Repeat(`{"root":"r","path":"a","as":"read"},`, maxFileAccounts) + `{"root":"r","path":"a","as":"read"}]}`:                           abi.CodeEnvelope,
		fmt.Sprintf(`{"streams":[{"stream":"log","met":0,"unknown":[%s{"name":"x","count":1}]}]}`, strings.Repeat(`{"name":"x","count":1},`, abi.MaxAccountNames)): abi.CodeEnvelope,
	} {
		payload = `{"type":"ACCOUNT",` + payload[1:]
		a, err := g.Account([]byte(payload))
		if (err == nil) != (code == "") || err != nil && abi.CodeOf(err) != code || (a == nil) != (err != nil) {
			t.Errorf("%.120s: got %v, %v, want %q", payload, a, err, code)
		}
	}
}

// AC-01: a guest's words on files are bounded, and are about folders that it has.
func TestAccountsAreBounded(t *testing.T) {
	t.Parallel()
	g := gate(t, allStreams())
	long := strings.Repeat("é", maxPathBytes)
	account := fmt.Appendf(nil, `{"type":"ACCOUNT","files":[{"root":"r","path":%q,"as":"read","entries":{"count":1,"unknown":1,"names":[%q]}}]}`, "x"+long, long)
	if _, err := g.Account(account); abi.CodeOf(err) != abi.CodeEnvelope {
		t.Errorf("without folders: got %v, want %s", err, abi.CodeEnvelope)
	}
	g.Grant("r")
	a, err := g.Account(account)
	if err != nil {
		t.Fatal(err)
	}
	if f := a.Files[0]; len(f.Path) != maxPathBytes-1 || len(f.Entries.Names[0]) != maxPathBytes {
		t.Errorf("got %d and %d bytes, want %d and %d", len(f.Path), len(f.Entries.Names[0]), maxPathBytes-1, maxPathBytes)
	}
}
