package call

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
)

// A provider that repeats the secret, in whatever spelling, gives it to nobody:
// not in the body, a header's value or name, the address, or an error.
func TestEchoes(t *testing.T) {
	t.Parallel()
	for _, secret := range []string{"tok-" + canary, "plain-0123456789abcdef", "AAAA/BBBB+CCCC==", "a b\\c'd\te%2f"} {
		for slot := range map[string]bool{"bearer": true, "basic": true, "query": true} {
			b := newBed(t, nil)
			if strings.Contains(secret, "\t") && slot != "query" {
				continue
			}
			b.vault.values["token"] = secret
			pair := base64.StdEncoding.EncodeToString([]byte("me:" + secret))
			quoted, err := json.Marshal(secret)
			if err != nil {
				t.Fatal(err)
			}
			in := strings.Trim(string(quoted), `"`)
			spelt := []string{
				secret, in, strings.ReplaceAll(in, "/", `\/`), url.QueryEscape(secret), url.PathEscape(secret),
				lowerHex(url.QueryEscape(secret)), strings.ReplaceAll(strings.ReplaceAll(in, "/", `\/`), "ü", `\u00fc`), html.EscapeString(secret),
				base64.StdEncoding.EncodeToString([]byte(secret)), base64.URLEncoding.EncodeToString([]byte(secret)),
				base64.RawStdEncoding.EncodeToString([]byte(secret)),
			}
			if slot == "basic" {
				spelt = append(spelt, pair, strings.TrimRight(pair, "="), url.QueryEscape(pair))
			}
			for _, s := range spelt {
				header := strings.NewReplacer("\n", "", "\r", "").Replace(s)
				b.script(says{headers: []string{"X-Echo: before " + header + " after", "Content-Length: 99"}, body: `{"you":"` + s + `","more":"` + s + `"}`})
				r := b.get(api, slot)
				if strings.Contains(r.body, s) || strings.Contains(r.Headers["x-echo"], s) {
					t.Errorf("%s: %q got through: %q %q", slot, s, r.body, r.Headers["x-echo"])
				}
				if r.body != `{"you":"[redacted]","more":"[redacted]"}` && !strings.HasSuffix(s, "=") && !strings.HasSuffix(s, "%3D") {
					t.Errorf("%s: %q left %q", slot, s, r.body)
				}
				if r.Headers["x-echo"] == "" || r.Headers["content-length"] != "" {
					t.Errorf("headers: %v", r.Headers)
				}
			}
		}
	}
	b := newBed(t, nil)
	b.vault.values["token"] = "Plain-0123456789abcdef"
	b.script(says{headers: []string{"X-Plain-0123456789abcdef-Y: 1", "X-Other: 2"}})
	if r := b.get(api, "bearer"); len(r.Headers) != 1 || r.Headers["x-other"] != "2" {
		t.Errorf("%v", r.Headers)
	}
	b.sweep("0123456789abcdef")
	// What is not echoed stays as it is, byte for byte.
	b.script(says{body: "\x00\xff{Plain-0123456789abcde}"})
	if r := b.get(api, "bearer"); r.body != "\x00\xff{Plain-0123456789abcde}" {
		t.Errorf("%q", r.body)
	}
}

// The newest secrets are looked for, however often they are renewed.
func TestRemembered(t *testing.T) {
	t.Parallel()
	var s scrubber
	for i := range 2 * remembered {
		s.hide(fmt.Sprintf("secret-%03d-😀", i))
	}
	text := ""
	for i := remembered; i < 2*remembered; i++ {
		text += fmt.Sprintf("secret-%03d-😀 ", i) + fmt.Sprintf(`secret-%03d-\ud83d\ude00 `, i)
	}
	if clean := s.cleanText(text); strings.Contains(clean, "secret") {
		t.Error(clean)
	}
	if len(s.secrets) != remembered {
		t.Errorf("%d secrets", len(s.secrets))
	}
}

// A short secret is left alone: it would take the data with it.
func TestShortSecret(t *testing.T) {
	t.Parallel()
	b := newBed(t, nil)
	b.vault.values["token"] = "2024"
	b.script(says{body: `{"at":"2024-01-02"}`})
	if r := b.get(api, "bearer"); r.body != `{"at":"2024-01-02"}` {
		t.Errorf("%q", r.body)
	}
}

// FuzzScrub holds the scrubber to its promise: no spelling of a secret is left,
// whatever stands around it.
func FuzzScrub(f *testing.F) {
	f.Add("secret-value", "a", "b")
	f.Add("AAAA/BBBB+CC==", "AAAA/", "%2F")
	f.Add("aaaaaa", "aaa", "aaaaaaaaa")
	f.Fuzz(func(t *testing.T, secret, before, after string) {
		var s scrubber
		s.hide(secret)
		if len(secret) < shortest {
			return
		}
		for _, spelling := range spellings(secret) {
			clean := s.cleanText(before + spelling + after)
			if strings.Contains(clean, secret) && !strings.Contains(redacted, secret) && !strings.Contains(strings.ReplaceAll(clean, redacted, ""), secret) {
				continue // it came together from the replacement itself
			}
			if strings.Contains(clean, secret) && !strings.Contains(redacted, secret) {
				t.Errorf("%q is left in %q", secret, clean)
			}
			if string(s.clean([]byte(before+spelling+after))) != clean {
				t.Error("text and bytes differ")
			}
		}
	})
}

// FuzzAppendString holds the encoder against the standard library's decoder.
func FuzzAppendString(f *testing.F) {
	f.Add("a\"\\\n\r\t\x01\x7fü\xff\u2028😀")
	f.Fuzz(func(t *testing.T, text string) {
		var back string
		if err := json.Unmarshal(appendString(nil, text), &back); err != nil || back != strings.ToValidUTF8(text, "\uFFFD") && len(back) < len(strings.ToValidUTF8(text, "")) {
			t.Errorf("%q became %q: %v", text, back, err)
		}
	})
}

// An answer's head: lower-case names, joined values, no cookies, any status.
func TestAnswer(t *testing.T) {
	t.Parallel()
	b := newBed(t, nil)
	b.script(says{
		status: 404, body: "no\nsuch", headers: []string{
			"ETag: \"a\"", "Link: <b>", "Link: <c>", "Set-Cookie: sid=1", "Set-Cookie2: x=1", "X-Latin: caf\xe9",
		},
	})
	r := b.get(api+"?a=1#part", "")
	want := map[string]string{"etag": `"a"`, "link": "<b>, <c>", "x-latin": "caf\uFFFD"}
	if r.Status != 404 || r.URL != api+"?a=1" || r.body != "no\nsuch" || len(r.Headers) != len(want) {
		t.Errorf("%+v", r)
	}
	for name, value := range want {
		if r.Headers[name] != value {
			t.Errorf("%s: %q", name, r.Headers[name])
		}
	}
	if r := b.do(abi.HTTPRequest{URL: api, Method: "HEAD"}, ""); r.Headers == nil {
		t.Error("no headers")
	}
}
