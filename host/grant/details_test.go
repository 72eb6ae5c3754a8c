package grant

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// asks is a request of one stream, which a test changes by replacing a part.
const asks = `[{"type":"https://pdpp.dev/data-access","source":{"id":"https://example.org/notes"},"purpose_code":"https://example.org/why","access_mode":"continuous","streams":[{"name":"notes"}]}]`

// withStream is asks with another stream.
func withStream(stream string) string { return strings.Replace(asks, `{"name":"notes"}`, stream, 1) }

// withPart is asks with another member.
func withPart(part string) string { return strings.Replace(asks, `"streams"`, part+`,"streams"`, 1) }

// param returns the pointer of a refusal; "" and false: it was none.
func param(err error) (string, bool) {
	e, ok := errors.AsType[*Invalid](err)
	if !ok {
		return "", false
	}
	return e.Param, true
}

// RD-31.1, RD-31.3: what no source could meet is refused, and the pointer names the part.
func TestParseDetailsRefuses(t *testing.T) {
	t.Parallel()
	many := func(n int, one string) string { return strings.TrimSuffix(strings.Repeat(one+",", n), ",") }
	for text, want := range map[string]string{
		`{}`: "", `[]`: "", `[`: "", `null`: "", asks + `x`: "", strings.Repeat("[", 40): "",
		`[` + many(9, strings.Trim(asks, "[]")) + `]`:                                                               "",
		strings.Replace(asks, `"type"`, `"type":"x","type"`, 1):                                                     "",
		strings.Replace(asks, Type, "https://example.org", 1):                                                       "/0/type",
		strings.Replace(asks, `"https://example.org/notes"`, `""`, 1):                                               "/0/source/id",
		strings.Replace(asks, `"source":{`, `"source":{"kind":"folder",`, 1):                                        "/0/source/kind",
		strings.Replace(asks, `"source":{`, `"source":{"more":1,`, 1):                                               "/0/source/more",
		strings.Replace(asks, "https://example.org/why", "https://example.org/wäy", 1):                              "/0/purpose_code",
		strings.Replace(asks, "https://example.org/why", `https://example.org\\why`, 1):                             "/0/purpose_code",
		strings.Replace(asks, "https://example.org/why", "why", 1):                                                  "/0/purpose_code",
		strings.Replace(asks, "https://example.org/why", "https://example.org/w h", 1):                              "/0/purpose_code",
		strings.Replace(asks, "continuous", "always", 1):                                                            "/0/access_mode",
		withPart(`"purpose_description":"a\u202eb"`):                                                                "/0/purpose_description",
		withPart(`"purpose_description":"A` + strings.Repeat("\u0489", 80) + `"`):                                   "/0/purpose_description",
		withPart(`"client_claims":{"commitments":["\u0338no"]}`):                                                    "/0/client_claims/commitments/0",
		withPart(`"purpose_description":"` + strings.Repeat("é", 501) + `"`):                                        "/0/purpose_description",
		withPart(`"selection_preset":"all"`):                                                                        "/0",
		withPart(`"more":1`):                                                                                        "/0/more",
		withPart(`"retention":{"max_duration":"90 days","on_expiry":"delete"}`):                                     "/0/retention/max_duration",
		withPart(`"retention":{"max_duration":"P","on_expiry":"delete"}`):                                           "/0/retention/max_duration",
		withPart(`"retention":{"max_duration":"P1DT","on_expiry":"delete"}`):                                        "/0/retention/max_duration",
		withPart(`"retention":{"max_duration":"P90D","on_expiry":"sell"}`):                                          "/0/retention/on_expiry",
		withPart(`"client_claims":{"commitments":[]}`):                                                              "/0/client_claims/commitments",
		withPart(`"client_claims":{"commitments":[` + many(65, `"a"`) + `]}`):                                       "/0/client_claims/commitments",
		withPart(`"client_claims":{"commitments":["a",""]}`):                                                        "/0/client_claims/commitments/1",
		strings.Replace(asks, `[{"name":"notes"}]`, `[]`, 1):                                                        "/0",
		withStream(many(2, `{"name":"notes"}`)):                                                                     "/0/streams/1/name",
		withStream(`{"name":"*"},{"name":"notes"}`):                                                                 "/0/streams/0/name",
		withStream(`{"name":"*","fields":["id"]}`):                                                                  "/0/streams/0/name",
		withStream(`{"name":""}`):                                                                                   "/0/streams/0/name",
		withStream(`{"name":1}`):                                                                                    "/0/streams/0/name",
		withStream(`{"name":"notes","necessity":"maybe"}`):                                                          "/0/streams/0/necessity",
		withStream(`{"name":"notes","view":"v","fields":["id"]}`):                                                   "/0/streams/0/view",
		withStream(`{"name":"notes","fields":[]}`):                                                                  "/0/streams/0/fields",
		withStream(`{"name":"notes","fields":["id","id"]}`):                                                         "/0/streams/0/fields/1",
		withStream(`{"name":"notes","instance_ids":[""]}`):                                                          "/0/streams/0/instance_ids/0",
		withStream(`{"name":"notes","resources":[]}`):                                                               "/0/streams/0/resources",
		withStream(`{"name":"notes","resources":["a",1]}`):                                                          "/0/streams/0/resources/1",
		withStream(`{"name":"notes","resources":[{}]}`):                                                             "/0/streams/0/resources/0",
		withStream(`{"name":"notes","resources":[null]}`):                                                           "/0/streams/0/resources/0",
		withStream(`{"name":"notes","resources":[""]}`):                                                             "/0/streams/0/resources/0",
		withStream(`{"name":"notes","resources":[[]]}`):                                                             "/0/streams/0/resources/0",
		withStream(`{"name":"notes","resources":[["a",["b"]]]}`):                                                    "/0/streams/0/resources/0",
		withStream(`{"name":"notes","resources":[` + many(1001, `"a"`) + `]}`):                                      "/0/streams/0/resources",
		withStream(`{"name":"notes","time_range":{}}`):                                                              "/0/streams/0/time_range",
		withStream(`{"name":"notes","time_range":{"since":"yesterday"}}`):                                           "/0/streams/0/time_range/since",
		withStream(`{"name":"notes","time_range":{"since":"2026-01-01T00:00:00Z","until":"2026-01-01T00:00:00Z"}}`): "/0/streams/0/time_range/since",
		withStream(`{"name":"notes","time_range":{"until":"0001-01-01T00:00:00Z"}}`):                                "/0/streams/0/time_range/until",
		withStream(`{"name":"notes","time_range":{"since":"0001-01-01T00:00:00Z"}}`):                                "/0/streams/0/time_range/since",
		withStream(`{"name":"notes","time_range":{"until":"0000-01-01T00:00:00+23:59"}}`):                           "/0/streams/0/time_range/until",
		withStream(`{"name":"notes","time_range":{"since":"9999-12-31T23:59:59-23:59"}}`):                           "/0/streams/0/time_range/since",
		`[` + many(2, strings.Trim(asks, "[]")) + `]`:                                                               "/1",
		withStream(many(65, `{"name":"notes"}`)):                                                                    "/0/streams",
	} {
		_, err := ParseDetails([]byte(text))
		if got, ok := param(err); !ok || got != want {
			t.Errorf("%.120s: got %v, want a refusal of %q", text, err, want)
		}
	}
	if _, err := ParseDetails([]byte(asks + "1")); err == nil || !strings.Contains(err.Error(), "has bytes behind its end") {
		t.Errorf("a byte behind the end: got %v, want it named", err)
	}
	streams := make([]string, mostStreams)
	for i := range streams {
		streams[i] = fmt.Sprintf(`{"name":"notes%d"}`, i)
	}
	for _, text := range []string{
		asks, withStream(strings.Join(streams, ",")), withPart(`"retention":{"max_duration":"P1Y2M3DT4H","on_expiry":"anonymize"}`), withPart(`"client_claims":{"commitments":["We sell nothing."]}`),
		withStream(`{"name":"notes","time_range":{"since":"2026-01-01T00:00:00+02:00"},"resources":["a",["a","b"]],"necessity":"optional"}`),
	} {
		if _, err := ParseDetails([]byte(text)); err != nil {
			t.Errorf("%s: got %v, want no refusal", text, err)
		}
	}
}

// RD-03.1: whatever is sent, a refusal has a pointer and a rule, and nothing else is an error.
func FuzzParseDetails(f *testing.F) {
	f.Add([]byte(asks))
	f.Add([]byte(withStream(`{"name":"*","necessity":"optional"}`)))
	have := []Declared{notesSource()}
	f.Fuzz(func(t *testing.T, text []byte) {
		d, err := ParseDetails(text)
		if err == nil {
			err = Check(d, have)
		}
		if err == nil {
			_, _, err = Resolve(&Request{ClientID: "c", Details: d}, &Choices{AITraining: d.PurposeCode == AITraining}, have, noon)
			if err != nil && strings.Contains(err.Error(), "internal") {
				t.Errorf("got %v, want a refusal or none", err)
			}
			return
		}
		if got, ok := param(err); !ok || len(got) > longestName+64 {
			t.Errorf("got %v, want a short refusal", err)
		}
	})
}
