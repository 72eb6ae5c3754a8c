package replay

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/plugin"
	"github.com/pdpp-host/pdpp-host/testplugins/rig"
)

// canary is a secret with everything in it that some spelling changes.
const canary = `s3cr3t/"<é>&=+ %x`

// ways are a value in every spelling that a provider may send it back in.
func ways(v string) []string {
	quoted, _ := json.Marshal(v) //nolint:errchkjson // a string always can be
	q, p := url.QueryEscape(v), url.PathEscape(v)
	units := ""
	for _, r := range utf16.Encode([]rune(v)) {
		units += fmt.Sprintf(`\u%04X`, r)
	}
	return []string{
		v, string(quoted[1 : len(quoted)-1]), strings.ReplaceAll(string(quoted[1:len(quoted)-1]), "/", `\/`), units, strings.ToLower(units),
		q, p, strings.ToLower(q), strings.ToLower(p), html.EscapeString(v),
		base64.StdEncoding.EncodeToString([]byte(v)), base64.URLEncoding.EncodeToString([]byte(v)),
	}
}

func echoed() string {
	return strings.Join(ways(canary), " ") + " " + strings.Join([]string{
		base64.StdEncoding.EncodeToString([]byte("user:" + canary)), base64.RawURLEncoding.EncodeToString([]byte("ab" + canary + "cd")),
		base64.StdEncoding.EncodeToString([]byte("u" + canary + "x")),
	}, " ")
}

// leaks lists what is left of a canary in text.
func leaks(text, secret string) []string {
	var found []string
	for _, s := range append(spellings(secret), ways(secret)...) {
		if strings.Contains(text, s) {
			found = append(found, s)
		}
	}
	return found
}

// Invariant 5: no secret enters a fixture, nor the guest while it is recorded,
// whoever sends it and however it is spelled.
func TestCanary(t *testing.T) {
	t.Parallel()
	quoted := strconv.Quote(`opt-ion "9"`)
	for _, isolation := range rig.Modes {
		h := &host{
			options: `"ask":"","token":` + quoted + `,"requests":"3"`, code: "483920-typed",
			body: strings.ReplaceAll(echoed(), "%", "%%") + ` hidden-later opt-ion "9" %d`,
		}
		r, path := newRecorderAt(t, options())
		r.Hide("hidden-later", "", "abc", canary, canary)
		exit := r.Collect(t.Context(), load(t, isolation, fickle), granted(), h)
		if err := r.Close(); err != nil || exit.Err != nil {
			t.Fatalf("r.Close(): got %+v, %+v, want no error && exit.Err == nil", err, exit)
		}
		text, said := read(t, path), strings.Join(h.said, "\n")
		for _, secret := range []string{canary, "hidden-later", "483920-typed", `opt-ion "9"`} {
			for _, where := range []string{text, said} {
				if left := leaks(where, secret); len(left) > 0 {
					t.Errorf("%q is in\n%s, want len(left) <= 0", left, where)
				}
			}
		}
		for _, marker := range []string{"[redacted:1]", "[redacted:2]", `\"token\":\"[redacted:token]\"`, `status\":\"success\",\"type`} {
			if !strings.Contains(text, marker) {
				t.Errorf("there is no %s in\n%s, want strings.Contains(text, marker)", marker, text)
			}
		}
		if n := strings.Count(text, "[redacted:2]"); n != 6*(len(ways(canary))+3) {
			t.Error(n, "markers for all spellings in three answers and three records")
		}
		plays(t, isolation, fickle, path)
	}
}

// The guest's own calls, and the host's refusals, are masked in the file too.
func TestCanaryInCalls(t *testing.T) {
	t.Parallel()
	script := `emit hidden-one\nlog 1 hidden-one\nsubmit 6 hidden-one\nerror not now, [redacted:1]: ask later\nstate hidden-one`
	h := &host{options: `"script":"` + script + `"`, code: "hidden-one", refuse: abi.OpNow, violate: "state"}
	r, path := newRecorderAt(t, options())
	r.Hide("hidden-one")
	exit := r.Collect(t.Context(), load(t, plugin.IsolationInline, scripted), granted(), h)
	if err := r.Close(); err != nil || abi.CodeOf(exit.Err) != abi.CodeKeyInvalid {
		t.Fatalf("r.Close(): got %+v, %+v, want no error && abi.CodeOf(exit.Err) == abi.CodeKeyInvalid", err, exit)
	}
	if text := read(t, path); len(leaks(text, "hidden-one")) > 0 || strings.Count(text, "[redacted:1]") < 7 {
		t.Errorf(`read(t, path): got %+v, want len(leaks(text, "hidden-one")) <= 0 && strings.Count(text, "[redacted:1]") >= 7`, text)
	}
	plays(t, plugin.IsolationInline, scripted, path)
}

// Invariant 5: a long cookie is replaced wherever it occurs, a short one behind its name where cookies
// stand, and words that happen to be like it stay.
func TestShortCookies(t *testing.T) {
	t.Parallel()
	var m masks
	m.hideCookie("sid", "of-sixteen-bytes")
	m.hideCookie("pin", "8341")
	m.hideCookie("lang", "en")
	m.hideCookie("pin", "8341")
	m.hideCookie("empty", "")
	m.hideCookie("pin", "8341 b") // the longest value counts
	m.hideCookie("a pin", "7")
	for text, want := range map[string]string{
		`"pin=8341; lang=en"`:               `"pin=[redacted:2]; lang=[redacted:3]"`,
		`lang=en;pin=8341`:                  `lang=[redacted:3];pin=[redacted:2]`,
		`say \"pin=8341\"`:                  `say \"pin=[redacted:2]\"`,
		`of-sixteen-bytes, 8341 men`:        `[redacted:1], 8341 men`,
		`?lang=en&slang=en lang=english en`: `?lang=en&slang=en lang=english en`,
		`lang=enlang=en`:                    `lang=enlang=en`,
		`empty=`:                            `empty=`,
		`pin=8341 b, pin=8341, pin=83419`:   `pin=[redacted:4], pin=[redacted:2], pin=83419`,
		`a pin=7; pin=7;lang=en=lang=en`:    `a pin=[redacted:5]; pin=7;lang=en=lang=en`,
	} {
		if got := m.text(text); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
	if got, want := string(m.applyFitting([]byte(`"pin=8341; lang=en"`))), `"pin=[red; lang=[r"`; got != want {
		t.Errorf("in its place: got %s, want %s", got, want)
	}
}

func TestLooksSecret(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"token": true, "api_token": true, "accessToken": true, "API-KEY": true, "apikey": true, "client.secret": true,
		"password": true, "Passwd": true, "session": true, "auth": true, "x_auth_2": true, "otpCode": true, "SessionId": true,
		"TOKENS": true, "pass": true, "my_credentials": true, "privatekey": true,
		"script": false, "since": false, "author": false, "keyword": false, "sessions": false, "monkey": false, "base_url": false,
		"passenger": false, "compass": false, "": false, "pins": false,
	} {
		if got := looksSecret(name); got != want {
			t.Errorf("%s: looksSecret(name): got %v, want %v", name, got, want)
		}
	}
}

// The same value has the same marker, and the longest one wins.
func TestMasks(t *testing.T) {
	t.Parallel()
	var m masks
	m.hide("abcd", "")
	m.hide("abcdef", "")
	m.hide("abc", "") // too short to look for
	m.hide("abcd", "")
	m.hide("wxyz", "name")
	if got := m.text("abcdefabcdabcwxyz"); got != "[redacted:2][redacted:1]abc[redacted:name]" {
		t.Errorf(`m.text("abcdefabcdabcwxyz"): got %+v, want got == "[redacted:2][redacted:1]abc[redacted:name]"`, got)
	}
	if got := m.text("nothing here"); got != "nothing here" {
		t.Errorf(`m.text("nothing here"): got %+v, want got == "nothing here"`, got)
	}
	for _, answer := range []string{"no json", `{"options":7}`, `{"type":"START"}`, `{"options":{"script":"x","token":""}}`} {
		if got := string(m.answer(abi.OpStart, []byte(answer))); got != answer {
			t.Errorf("string(m.answer(abi.OpStart, []byte(answer))): got %+v, want got == answer", got)
		}
	}
	if got := string(m.answer(abi.OpStart, []byte(`{"options":{"pin":"12","odd \" key":"longer","a":"b"},"z":1.0}`))); got !=
		`{"options":{"a":"b","odd \" key":"[redacted:option]","pin":"[redacted:pin]"},"z":1.0}` {
		t.Errorf("got %+v, want got == `{\"options\":{\"a\":\"b\",\"odd \\\" key\":\"[redacted:option]\",\"pin\":\"[redacted:pin]\"},\"z\":1.0}`", got)
	}
	for answer, want := range map[string]string{
		`{"status":"success","data":{"a":"b"},"Data":1}`: `{"status":"success"}`,
		`nonsense`: `{"error":{"code":"internal.error","message":"the answer could not be recorded"}}`,
	} {
		if got := string(m.answer(abi.OpInteract, []byte(answer))); got != want {
			t.Errorf("string(m.answer(abi.OpInteract, []byte(answer))): got %+v, want got == want", got)
		}
	}
}

// An answer of a browser keeps its places: a fetch has several bodies, one behind the other.
func TestMasksKeepPlaces(t *testing.T) {
	t.Parallel()
	var m masks
	m.hide("abcd", "")
	m.hide("abcdefghijklmnop", "")
	answer := `{"results":[{"offset":0,"length":6},{"offset":6,"length":18}]}` + "\n" + `"abcd"` + `"abcdefghijklmnop"` + `ab\u0063d`
	want := `{"results":[{"offset":0,"length":6},{"offset":6,"length":18}]}` + "\n" + `"[red"` + `"[redacted:2]****"` + `[redacted`
	if got := string(m.answer(abi.OpBrowser, []byte(answer))); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

// FuzzMasks hides a value and looks for it: it is gone, whatever surrounds it.
func FuzzMasks(f *testing.F) {
	f.Add("secret", "before ", " after")
	f.Add(canary, canary, "s3cr")
	const marker = "[redacted:1]"
	f.Fuzz(func(t *testing.T, secret, before, after string) {
		if len(secret) < shortestSecret || strings.Contains(marker, secret) || strings.ContainsAny(secret, "[]") {
			t.Skip()
		}
		var m masks
		m.hide(secret, "")
		for _, s := range append(spellings(secret), ways(secret)...) {
			if got := len(m.applyFitting([]byte(before + s + after))); got != len(before+s+after) {
				t.Fatalf("got %d bytes of %d, want as many as there were", got, len(before+s+after))
			}
			got := m.text(before + s + after)
			if strings.Contains(got, secret) && !overlaps(secret) {
				t.Fatalf("%q is in %q, want !strings.Contains(got, secret) || overlaps(secret)", secret, got)
			}
		}
	})
}

// overlaps reports whether a value can come together anew around a marker.
func overlaps(secret string) bool {
	marker := fmt.Sprintf("[redacted:%d]", 1)
	for i := range len(secret) {
		if strings.HasSuffix(marker, secret[:i]) || strings.HasPrefix(marker, secret[i:]) {
			return true
		}
	}
	return false
}
