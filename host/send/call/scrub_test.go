package call

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

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
			if trimmed := strings.TrimRight(secret, "="); trimmed != secret { // as many store and show a token
				spelt = append(spelt, trimmed, url.QueryEscape(trimmed), strings.ToUpper(trimmed), strings.ToLower(trimmed))
			}
			if slot == "basic" {
				spelt = append(spelt, pair, strings.TrimRight(pair, "="), url.QueryEscape(pair))
			}
			for _, s := range spelt {
				header := strings.NewReplacer("\n", "", "\r", "").Replace(s)
				b.script(says{headers: []string{"X-Echo: before " + header + " after", "Content-Length: 99"}, body: `{"you":"` + s + `","more":"` + s + `"}`})
				r := b.get(api, slot)
				if strings.Contains(r.body, s) || strings.Contains(r.Headers["x-echo"], s) {
					t.Errorf(`%s: %q got through: %q %q, want !strings.Contains(r.body, s) && !strings.Contains(r.Headers["x-echo"], s)`, slot, s, r.body, r.Headers["x-echo"])
				}
				if r.body != `{"you":"[redacted]","more":"[redacted]"}` && !strings.HasSuffix(s, "=") && !strings.HasSuffix(s, "%3D") {
					t.Errorf("%s: %q left %q, want r.body == `{\"you\":\"[redacted]\",\"more\":\"[redacted]\"}` || strings.HasSuffix(s, \"=\") || strings.HasSuffix(s, \"%%3D\")", slot, s, r.body)
				}
				if r.Headers["x-echo"] == "" || r.Headers["content-length"] != "" {
					t.Errorf(`headers: %v, want r.Headers["x-echo"] != "" && r.Headers["content-length"] == ""`, r.Headers)
				}
			}
		}
	}
	b := newBed(t, nil)
	b.vault.values["token"] = "Plain-0123456789abcdef"
	b.script(says{headers: []string{"X-Plain-0123456789abcdef-Y: 1", "X-Other: 2"}})
	if r := b.get(api, "bearer"); len(r.Headers) != 1 || r.Headers["x-other"] != "2" {
		t.Errorf(`b.get(api, "bearer"): got %v, want len(r.Headers) == 1 && r.Headers["x-other"] == "2"`, r.Headers)
	}
	b.sweep("0123456789abcdef")
	// An answer without an echo stays unchanged, byte for byte.
	b.script(says{body: "\x00\xff{Plain-0123456789abcde}"})
	if r := b.get(api, "bearer"); r.body != "\x00\xff{Plain-0123456789abcde}" {
		t.Errorf(`r.body: got %q, want "\x00\xff{Plain-0123456789abcde}"`, r.body)
	}
}

// A secret is hidden as a header carries it, without the blanks around it with which its owner
// has stored it.
func TestEchoWithoutItsBlanks(t *testing.T) {
	t.Parallel()
	const secret = "tok-0123456789abcdef"
	b := newBed(t, nil)
	b.vault.values["token"] = "  " + secret + " "
	b.script(says{headers: []string{"X-Echo: " + secret}, body: "you are " + secret + "."})
	if r := b.get(api, "bearer"); r.body != "you are [redacted]." || r.Headers["x-echo"] != "[redacted]" {
		t.Errorf("got %q and the header %q, want neither with the secret", r.body, r.Headers["x-echo"])
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
		t.Errorf(`s.cleanText(text): got %+v, want !strings.Contains(clean, "secret")`, clean)
	}
	if len(s.secrets) != remembered {
		t.Errorf("%d secrets, want %v", len(s.secrets), remembered)
	}
}

// A short secret is left alone: it would take the data with it.
func TestShortSecret(t *testing.T) {
	t.Parallel()
	b := newBed(t, nil)
	b.vault.values["token"] = "2024"
	b.script(says{body: `{"at":"2024-01-02"}`})
	if r := b.get(api, "bearer"); r.body != `{"at":"2024-01-02"}` {
		t.Errorf("r.body: got %q, want `{\"at\":\"2024-01-02\"}`", r.body)
	}
}

// FuzzScrub checks the scrubber: no spelling of a secret remains, whatever surrounds
// it, and nothing else is removed.
func FuzzScrub(f *testing.F) {
	f.Add("secret-value", "a", "b")
	f.Add("AAAA/BBBB+CC==", "AAAA/", "%2F")
	f.Add("aaaaaa", "aaa", "aaaaaaaaa")
	f.Add("a\\nb%2541&lt;", "\\u00", "\x00\r\n&#")
	f.Fuzz(func(t *testing.T, secret, before, after string) {
		var s scrubber
		s.hide(secret)
		var plain window
		plain.read([]byte(secret), 0, len(secret), nested)
		if len(plain.text) < shortest || !utf8.ValidString(secret) {
			return // too short with its escapes undone, or no JSON can hold it
		}
		for _, spelling := range spellings(secret) {
			// Letters of base64 or the rest of an escape would belong to another text.
			text := before + " " + spelling + " " + after
			clean := s.cleanText(text)
			if strings.Count(clean, redacted) == strings.Count(text, redacted) && !strings.Contains(redacted, strings.ToLower(secret)) {
				t.Errorf("%q is left of %q in %q, want strings.Count(clean, redacted) != strings.Count(text, redacted) || strings.Contains(redacted, strings.ToLower(secret))", spelling, secret, clean)
			}
			if string(s.clean([]byte(text))) != clean {
				t.Error("text and bytes differ")
			}
		}
		if rest := before + after; !s.holds(rest) && s.cleanText(rest) != rest {
			t.Errorf("%q became %q, want s.holds(rest) || s.cleanText(rest) == rest", rest, s.cleanText(rest))
		}
	})
}

// holds reports whether a text, read with everything undone, has a needle: slowly,
// and without windows.
func (s *scrubber) holds(text string) bool {
	var w window
	w.read([]byte(text), 0, len(text), nested)
	return slices.ContainsFunc(s.forms.Load().needles, func(n needle) bool { return bytes.Contains(w.text, n.text) })
}

// spellings returns the ways that a secret is written. Base64 goes without its
// padding, and is thereby found with and without.
func spellings(secret string) []string {
	var all []string
	for _, s := range []string{
		secret,
		base64.RawStdEncoding.EncodeToString([]byte(secret)),
		base64.RawURLEncoding.EncodeToString([]byte(secret)),
		strings.TrimRight(secret, "="), // of a basic pair, which is base64 already
	} {
		if len(s) < shortest {
			continue
		}
		query, path := url.QueryEscape(s), url.PathEscape(s)
		all = append(all, s, query, path, lowerHex(query), lowerHex(path), html.EscapeString(s))
		quoted := string(appendString(nil, s))
		quoted = quoted[1 : len(quoted)-1]
		for _, q := range []string{quoted, jsonHTML.Replace(quoted), jsonMost.Replace(quoted)} {
			q2 := asciiOnly(q)
			all = append(all, q, q2, strings.ReplaceAll(q, "/", `\/`), strings.ReplaceAll(q2, "/", `\/`))
		}
	}
	return all
}

// How encoders that think of HTML write JSON: the common way, and the one that
// spares nothing.
var (
	jsonHTML = strings.NewReplacer("<", `\u003c`, ">", `\u003e`, "&", `\u0026`)
	jsonMost = strings.NewReplacer("<", `\u003c`, ">", `\u003e`, "&", `\u0026`, "'", `\u0027`, "+", `\u002b`, "=", `\u003d`)
)

// asciiOnly writes the inside of a JSON string without a byte above 0x7f.
func asciiOnly(s string) string {
	if strings.IndexFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case r < utf8.RuneSelf:
			b.WriteRune(r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// lowerHex writes percent-encodings in lower case.
func lowerHex(s string) string {
	b := []byte(s)
	for i := 0; i+2 < len(b); i++ {
		if b[i] == '%' {
			copy(b[i+1:i+3], strings.ToLower(string(b[i+1:i+3])))
		}
	}
	return string(b)
}

// FuzzAppendString holds the encoder against the standard library's decoder.
func FuzzAppendString(f *testing.F) {
	f.Add("a\"\\\n\r\t\x01\x7fü\xff\u2028😀")
	f.Fuzz(func(t *testing.T, text string) {
		var back string
		if err := json.Unmarshal(appendString(nil, text), &back); err != nil || back != strings.ToValidUTF8(text, "\uFFFD") && len(back) < len(strings.ToValidUTF8(text, "")) {
			t.Errorf(`%q became %q: %v, want no error && (back == strings.ToValidUTF8(text, "\uFFFD") || len(back) >= len(strings.ToValidUTF8(text, "")))`, text, back, err)
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
		t.Errorf(`got %+v, want r.Status == 404 && r.URL == api + "?a=1" && r.body == "no\nsuch" && len(r.Headers) == len(want)`, r)
	}
	for name, value := range want {
		if r.Headers[name] != value {
			t.Errorf("%s: r.Headers[name]: got %q, want %v", name, r.Headers[name], value)
		}
	}
	if r := b.do(abi.HTTPRequest{URL: api, Method: "HEAD"}, ""); r.Headers == nil {
		t.Error("no headers")
	}
}

// Every spelling in which a service may repeat a secret is found, at any position.
func TestSpellings(t *testing.T) {
	t.Parallel()
	const secret = "Tok-0123_45~6789+ab/cdEF"
	every := func(format string) string {
		var b strings.Builder
		for _, c := range []byte(secret) {
			fmt.Fprintf(&b, format, c)
		}
		return b.String()
	}
	wide := func(order binary.AppendByteOrder, text string) string {
		var b []byte
		for _, u := range utf16.Encode([]rune(text)) {
			b = order.AppendUint16(b, u)
		}
		return string(b)
	}
	base := func(e *base64.Encoding, before, after string) string {
		return e.EncodeToString([]byte(before + secret + after))
	}
	lines := base(base64.StdEncoding, "ab", "x")
	for name, text := range map[string]string{
		"as it is": secret, "upper case": strings.ToUpper(secret), "lower case": strings.ToLower(secret),
		"hex": hex.EncodeToString([]byte(secret)), "upper hex": strings.ToUpper(hex.EncodeToString([]byte(secret))),
		"base64, first": base(base64.StdEncoding, "abc", "xyz"), "base64, second": base(base64.StdEncoding, "a", "x"), "base64, third": base(base64.StdEncoding, "ab", ""),
		"base64url, first": base(base64.URLEncoding, "", "x"), "base64url, second": base(base64.URLEncoding, "abcd", ""), "base64url, third": base(base64.RawURLEncoding, "ab", "xy"),
		"base64, wrapped": lines[:20] + "\r\n" + lines[20:],
		"base64 in JSON":  strings.ReplaceAll(base(base64.StdEncoding, "?>", ""), "/", `\/`), "base64 in a query": url.QueryEscape(base(base64.StdEncoding, "?>", "")),
		"percent": every("%%%02x"), "upper percent": every("%%%02X"), "percent twice": every("%%25%02x"), "%u": every("%%u%04x"),
		"entities": every("&#%d;"), "hex entities": every("&#x%X;"), "open entities": every("&#%04d"), "entities in JSON": every(`\u0026#%d;`),
		"named entities": strings.NewReplacer("_", "&lowbar;", "+", "&plus;", "/", "&sol;").Replace(secret), "entities twice": every("&amp;#%d;"),
		"JSON": every(`\u%04x`), "upper JSON": every(`\u%04X`), "JSON twice": every(`\\u%04x`), "JavaScript": every(`\x%02x`),
		"mixed":      strings.NewReplacer("T", "%54", "0", "&#48;", "5", `\u0035`, "F", "%46").Replace(secret),
		"UTF-16":     wide(binary.LittleEndian, secret),
		"UTF-16 BE":  wide(binary.BigEndian, secret),
		"wide JSON":  wide(binary.LittleEndian, every(`\u%04x`)),
		"wide quote": wide(binary.BigEndian, every("%%%02x")),
	} {
		var s scrubber
		s.hide(secret)
		for _, before := range []string{"", "x ", strings.Repeat("not a secret, ", windowSize/14-1)} {
			clean := s.clean([]byte(before + text + " rest"))
			if !bytes.HasPrefix(clean, []byte(before)) || !bytes.HasSuffix(clean, []byte(" rest")) || bytes.Count(clean, []byte(redacted)) != 1 {
				t.Errorf(`%s after %d bytes: %q is left, want bytes.HasPrefix(clean, []byte(before)) && bytes.HasSuffix(clean, []byte(" rest")) && bytes.Count(clean, []byte(redacted)) == 1`, name, len(before), clean[max(0, len(clean)-200):])
			}
			if left := len(clean) - len(before) - len(redacted) - len(" rest"); left > len(text)/2 {
				t.Errorf("%s: %d bytes of %d are left, want left <= len(text) / 2", name, left, len(text))
			}
		}
		clean := s.clean([]byte(wide(binary.LittleEndian, "ab") + wide(binary.LittleEndian, secret) + wide(binary.LittleEndian, "cd")))
		if want := "a\x00b" + redacted + "\x00c\x00d\x00"; string(clean) != want {
			t.Errorf("within UTF-16: %q, want %q", clean, want)
		}
	}
}

// A byte above ASCII is no character of that number.
func TestBytesAreNoCharacters(t *testing.T) {
	t.Parallel()
	for of, want := range map[rune]rune{0: 0, 0x7f: 0x7f, 0x80: -0x80, 0xff: -0xff} {
		if got := ofByte(of); got != want {
			t.Errorf("%#x: got %d, want %d", of, got, want)
		}
	}
}

// A secret that lies across two windows is found, also among escapes.
func TestAcrossWindows(t *testing.T) {
	t.Parallel()
	const secret = "tok-0123456789abcdef"
	var s scrubber
	s.hide(secret)
	for _, text := range []string{secret, hex.EncodeToString([]byte(secret)), base64.StdEncoding.EncodeToString([]byte("a" + secret + "b"))} {
		for _, before := range []string{strings.Repeat(`\u00fc`, windowSize/2-5), strings.Repeat(" ", windowSize-10), strings.Repeat(" ", windowSize-len(text)), strings.Repeat("%20", 3*windowSize-1)} {
			if clean := s.cleanText(before + text + " rest"); !strings.HasPrefix(clean, before) || len(clean)-len(before) > len("YWF"+redacted+"Yg== rest") {
				t.Errorf(`%q after %d bytes left %q, want strings.HasPrefix(clean, before) && len(clean) - len(before) <= len("YWF" + redacted + "Yg== rest")`, text, len(before), clean[max(0, len(clean)-100):])
			}
		}
	}
}

// A text that is not a secret stays, even if it nearly is one.
func TestNoSecret(t *testing.T) {
	t.Parallel()
	var s scrubber
	s.hide("Tok-0123456789abcdef")
	s.hide("sixsix")
	for _, text := range []string{
		"Tok-0123456789abcde", `{"a":"\u00fc\ud83d\ude00 & <b> 100%","c":"x&y;z&lt"}`, "%", "%4", `\`, `\u`, `\u12`, `\ud83d`, `\ud83d\u`, "&", "&#", "&#x", "&;", "&#99999999999;",
		"six-six", "sixsi", strings.Repeat(`\\\\%25%25&amp;`, 100), strings.Repeat("\x00", 100), "\x00",
	} {
		if clean := s.cleanText(text); clean != text {
			t.Errorf("%q became %q", text, clean)
		}
	}
}

// A provider cannot keep the host busy with escapes within escapes.
func BenchmarkScrub(b *testing.B) {
	var s scrubber
	s.hide("tok-0123456789abcdef")
	for name, part := range map[string]string{
		"json":    `{"id":12345678,"name":"a"},`,
		"escapes": `"body":"a line\r\nof \"text\" \u0026 more",`,
		"percent": "%25", "unfinished": `\u005cu005cu00`, "entities": "&aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
	} {
		body := bytes.Repeat([]byte(part), 4096/len(part))
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				s.clean(body)
			}
		})
	}
}
