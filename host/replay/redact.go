package replay

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"html"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/pdpp-host/pdpp-host/abi"
)

// shortestSecret is the minimum length of a value that is replaced. A shorter one
// occurs in every text by chance.
const shortestSecret = 4

// shortestEncoded is the same minimum for the base64 form of a value inside a longer
// text.
const shortestEncoded = 6

// masks replaces every value that must not be recorded. Invariant 5: no secret enters
// a fixture.
type masks struct {
	known    map[string]string            // marker by value
	order    []string                     // the known values, the longest first
	replacer *strings.Replacer            // nil: there is nothing to replace
	fitting  *strings.Replacer            // by markers as long as what they replace
	count    int                          // values without a name
	cookies  map[string]map[string]string // markers of short cookies' values, by name and value
	longest  int                          // of their names
}

// hide adds a value; name is the text of its marker, "" for a number.
func (m *masks) hide(value, name string) (marker string) {
	if marker, ok := m.known[value]; ok {
		return marker
	}
	short := len(value) < shortestSecret
	if name == "" && !short {
		m.count++
		name = strconv.Itoa(m.count)
	}
	if marker = "[redacted:" + name + "]"; short {
		return marker
	}
	if m.known == nil {
		m.known = map[string]string{}
	}
	m.known[value] = marker
	m.order = append(m.order, value)
	pairs := make([][2]string, 0, len(m.known)*8)
	for value, marker := range m.known {
		for _, spelling := range spellings(value) {
			pairs = append(pairs, [2]string{spelling, marker})
		}
	}
	// A replacer prefers its first match: the longest value.
	longest := func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) }
	slices.SortFunc(m.order, longest)
	slices.SortFunc(pairs, func(a, b [2]string) int { return longest(a[0], b[0]) })
	flat, fitting := make([]string, 0, 2*len(pairs)), make([]string, 0, 2*len(pairs))
	for _, p := range pairs {
		flat, fitting = append(flat, p[0], p[1]), append(fitting, p[0], fit(p[1], len(p[0])))
	}
	m.replacer, m.fitting = strings.NewReplacer(flat...), strings.NewReplacer(fitting...)
	return marker
}

// apply returns text without any hidden value. It may return text itself.
func (m *masks) apply(text []byte) []byte {
	return m.replace(text, m.replacer, func(marker string, _ int) string { return marker })
}

// applyFitting is apply for text that is read by places and lengths: nothing in it moves.
func (m *masks) applyFitting(text []byte) []byte { return m.replace(text, m.fitting, fit) }

func (m *masks) replace(text []byte, replacer *strings.Replacer, spell func(marker string, length int) string) []byte {
	text = m.replaceCookies(text, spell)
	if replacer == nil {
		return text
	}
	text = []byte(replacer.Replace(string(text)))
	for _, value := range m.order {
		text = replaceEscaped(text, value, func(length int) string { return spell(m.known[value], length) })
	}
	return text
}

// longCookie is how long a cookie's value is that is replaced wherever it occurs, in bytes. Shorter
// ones are often settings, whose words stand in what a site shows as well.
const longCookie = 16

// hideCookie adds the value of a cookie: a short one is replaced behind its name alone.
func (m *masks) hideCookie(name, value string) {
	if len(value) >= longCookie {
		m.hide(value, "")
		return
	}
	if value == "" || m.cookies[name][value] != "" {
		return
	}
	if m.cookies == nil {
		m.cookies = map[string]map[string]string{}
	}
	if m.cookies[name] == nil {
		m.cookies[name] = map[string]string{}
	}
	m.longest = max(m.longest, len(name))
	m.count++
	m.cookies[name][value] = "[redacted:" + strconv.Itoa(m.count) + "]"
}

// These characters stand before and behind a cookie in a header, a script or a text.
const (
	beforeCookie = " ;,:\"'`\n\t"
	behindCookie = beforeCookie + "\\\r"
)

// replaceCookies replaces the values of NAME=VALUE where cookies stand, in one pass. It may return text
// itself.
func (m *masks) replaceCookies(text []byte, spell func(marker string, length int) string) []byte {
	var out []byte
	from := 0
	for at := 0; len(m.cookies) > 0; {
		i := bytes.IndexByte(text[at:], '=')
		if i < 0 {
			break
		}
		length, marker := m.cookie(text, at, at+i)
		if at += i + 1; length > 0 {
			out = append(append(out, text[from:at]...), spell(marker, length)...)
			at += length
			from = at
		}
	}
	if out == nil {
		return text
	}
	return append(out, text[from:]...)
}

// cookie returns the marker of the value behind an equals sign, and the value's length; 0: none stands
// there. Its name is behind from, for names have no such sign.
func (m *masks) cookie(text []byte, from, equals int) (length int, marker string) {
	for i := equals; i >= max(from, equals-m.longest); i-- {
		if i > 0 && strings.IndexByte(beforeCookie, text[i-1]) < 0 {
			continue
		}
		values := m.cookies[string(text[i:equals])]
		rest := text[equals+1:]
		for n := min(longCookie-1, len(rest)); len(values) > 0 && n > length; n-- {
			if known := values[string(rest[:n])]; known != "" && (n == len(rest) || strings.IndexByte(behindCookie, rest[n]) >= 0) {
				length, marker = n, known
			}
		}
	}
	return length, marker
}

// fit is a marker in as many bytes as it has to have.
func fit(marker string, length int) string {
	if length <= len(marker) {
		return marker[:length]
	}
	return marker + strings.Repeat("*", length-len(marker))
}

func (m *masks) text(s string) string { return string(m.apply([]byte(s))) }

// spellings returns the forms of a value as a whole, and in base64 inside a longer
// text. escaped handles forms that change it byte by byte.
func spellings(v string) []string {
	all := []string{v, html.EscapeString(v)}
	for shift := range 3 {
		for _, coding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			text := coding.EncodeToString(append(make([]byte, shift), v...))
			// Some bits of the first and the last character belong to other bytes.
			from, to := (shift*8+5)/6, (shift+len(v))*8/6
			if inner := text[from:to]; len(inner) >= shortestEncoded {
				all = append(all, inner)
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// answer removes secrets from an answer before the guest sees it, so that a replay
// shows the guest the same.
func (m *masks) answer(op abi.Operation, answer []byte) []byte {
	switch op {
	case abi.OpStart:
		answer = m.start(answer)
	case abi.OpInteract:
		answer = withoutData(answer)
	case abi.OpBrowser: // its bodies lie where its head says
		return m.applyFitting(answer)
	}
	return m.apply(answer)
}

// start masks the options of START whose name suggests a secret.
func (m *masks) start(answer []byte) []byte {
	var start map[string]json.RawMessage
	var options map[string]string
	if json.Unmarshal(answer, &start) != nil || json.Unmarshal(start["options"], &options) != nil {
		return answer
	}
	names := make([]string, 0, len(options))
	for name, value := range options {
		if value != "" && looksSecret(name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return answer
	}
	slices.Sort(names)
	for _, name := range names {
		marker := "option"
		if plainName.MatchString(name) {
			marker = name
		}
		options[name] = m.hide(options[name], marker)
	}
	var err error
	if start["options"], err = json.Marshal(options); err != nil {
		return answer
	}
	masked, err := json.Marshal(start)
	if err != nil {
		return answer
	}
	return masked
}

var plainName = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,64}$`)

// secretWords are the words in the names of secrets. A name is split at its word
// boundaries; in joined words the longer ones are searched for.
var (
	secretWords = []string{
		"key", "auth", "authorization", "bearer", "cookie", "cookies", "creds", "jwt", "otp", "pass", "pin", "pwd",
		"session", "sid", "signature",
	}
	secretParts = []string{"token", "secret", "passw", "passphrase", "credential", "apikey", "accesskey", "privatekey"}
)

// looksSecret reports whether an option's name suggests that its value is a secret. It
// errs on the side of masking.
func looksSecret(name string) bool {
	var words strings.Builder
	last := ' '
	for _, r := range name {
		if unicode.IsUpper(r) && unicode.IsLower(last) || !unicode.IsLetter(r) {
			words.WriteByte(' ')
		}
		if unicode.IsLetter(r) {
			words.WriteRune(unicode.ToLower(r))
		}
		last = r
	}
	if slices.ContainsFunc(strings.Fields(words.String()), func(w string) bool { return slices.Contains(secretWords, w) }) {
		return true
	}
	joined := strings.ReplaceAll(words.String(), " ", "")
	return slices.ContainsFunc(secretParts, func(p string) bool { return strings.Contains(joined, p) })
}

// withoutData returns an INTERACTION_RESPONSE without the owner's input.
func withoutData(answer []byte) []byte {
	var response map[string]json.RawMessage
	if json.Unmarshal(answer, &response) == nil {
		for name := range response {
			if strings.EqualFold(name, "data") {
				delete(response, name)
			}
		}
		if kept, err := json.Marshal(response); err == nil {
			return kept
		}
	}
	return []byte(`{"error":{"code":"` + string(abi.CodeInternal) + `","message":"the answer could not be recorded"}}`)
}

// typed stands for a text that a guest has typed on a page.
const typed = `"[typed]"`

// withoutTyped returns a request of a browser without the text that it types, which its site may
// have given the guest; any other request as it is.
func withoutTyped(op abi.Operation, request []byte) []byte {
	var r map[string]json.RawMessage
	if op != abi.OpBrowser || json.Unmarshal(request, &r) != nil {
		return request
	}
	fills, types := false, false
	for name, value := range r { // which the host reads in any case
		var do string
		fills = fills || strings.EqualFold(name, "do") && json.Unmarshal(value, &do) == nil && do == abi.BrowserFill
		if strings.EqualFold(name, "value") {
			r[name], types = json.RawMessage(typed), true
		}
	}
	without, err := json.Marshal(r)
	if err != nil || !fills || !types {
		return request
	}
	return without
}

// handsOver reports whether a request hands a page over to the owner.
func handsOver(op abi.Operation, request []byte) bool {
	var r struct {
		Kind    string          `json:"kind"`
		Browser json.RawMessage `json:"browser"`
	}
	return op == abi.OpInteract && json.Unmarshal(request, &r) == nil && r.Kind == abi.InteractionManualAction && len(r.Browser) > 0
}
