package wire

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// The limits of a query.
const (
	maxQuery  = 16 << 10
	maxParams = 64
)

// Query is the query of one request, as it was sent. The methods that read it keep the
// first refusal, which Done returns.
type Query struct {
	sent    url.Values
	read    map[string]bool
	failure *Failure
}

// ReadQuery reads a raw query. Its syntax is refused by Done, as its values are.
func ReadQuery(raw string) *Query {
	if len(raw) > maxQuery {
		q := &Query{read: map[string]bool{}}
		q.refuse("", "has a query above 16 KiB")
		return q
	}
	return ReadForm(raw)
}

// ReadForm reads a form, whose size somebody else has bounded, as ReadQuery does a query.
func ReadForm(raw string) *Query {
	q := &Query{read: map[string]bool{}}
	if strings.Count(raw, "&") >= maxParams {
		q.refuse("", "has more than 64 parameters")
		return q
	}
	sent, err := url.ParseQuery(raw)
	if err != nil {
		q.refuse("", "has a query that cannot be read: a '%' or a ';' stands alone")
		return q
	}
	q.sent = sent
	for name, values := range sent {
		for _, text := range append(values, name) {
			if !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
				q.refuse("", "has a query that is not UTF-8, or holds a NUL")
			}
		}
		if name == "" {
			q.refuse("", "has a parameter without a name")
		}
	}
	return q
}

// Refuse refuses a parameter, where nothing was refused so far.
func (q *Query) Refuse(param, rule string) { q.refuse(param, rule) }

func (q *Query) refuse(param, rule string) {
	if q.failure == nil {
		q.failure = Invalid(param, rule)
	}
}

// Has reports whether a parameter was sent.
func (q *Query) Has(name string) bool { return len(q.sent[name]) > 0 }

// Text returns a parameter that stands at most once; "": it was not sent.
func (q *Query) Text(name string) string {
	text := q.once(name)
	if text == "" && q.Has(name) {
		q.refuse(name, "is empty")
	}
	return text
}

// Value returns a parameter that stands at most once, and takes an empty one as none
// (RFC 6749, section 3.1).
func (q *Query) Value(name string) string { return q.once(name) }

// once returns a parameter that stands at most once, and that may be empty.
func (q *Query) once(name string) string {
	q.read[name] = true
	switch values := q.sent[name]; {
	case len(values) > 1:
		q.refuse(name, "stands more than once")
	case len(values) == 1:
		return values[0]
	}
	return ""
}

// Number returns a whole number between least and most, or otherwise where none was sent.
func (q *Query) Number(name string, least, most, otherwise int64) int64 {
	text := q.Text(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < least || n > most || text != strconv.FormatInt(n, 10) {
		q.refuse(name, "is not a whole number between "+strconv.FormatInt(least, 10)+" and "+strconv.FormatInt(most, 10))
		return otherwise
	}
	return n
}

// Flag returns whether a parameter is true; it is false where it was not sent.
func (q *Query) Flag(name string) bool {
	text := q.Text(name)
	if text != "" && text != "true" && text != "false" {
		q.refuse(name, "is neither true nor false")
	}
	return text == "true"
}

// Word returns one of the words, or "" where none was sent.
func (q *Query) Word(name string, words ...string) string {
	text := q.Text(name)
	if text != "" && !slices.Contains(words, text) {
		q.refuse(name, "is not one of: "+strings.Join(words, ", "))
		return ""
	}
	return text
}

// List returns the parts of a list, however it was sent: name=a&name=b, name=a,b or
// name[]=a (RD-05.2).
func (q *Query) List(name string) (all []string) {
	for _, n := range []string{name, name + "[]"} {
		q.read[n] = true
		for _, sent := range q.sent[n] {
			for part := range strings.SplitSeq(sent, ",") {
				if part == "" {
					q.refuse(name, "has an empty part")
					continue
				}
				all = append(all, part)
			}
		}
	}
	return all
}

// Map returns the values of name[key], by key (RD-05.3). An empty one is the empty text (RD-17.3).
func (q *Query) Map(name string) map[string]string {
	out := map[string]string{}
	for _, n := range sortedNames(q.sent) {
		key, ok := strings.CutPrefix(n, name+"[")
		if !ok || !strings.HasSuffix(key, "]") {
			continue
		}
		value := q.once(n)
		if key = strings.TrimSuffix(key, "]"); key == "" {
			q.refuse(n, "has no key between its brackets")
		}
		out[key] = value
	}
	return out
}

// Done returns the refusal of the query: of what was read of it, or of a parameter that
// nothing read (RD-05.1).
func (q *Query) Done() error {
	for _, name := range sortedNames(q.sent) {
		if !q.read[name] {
			q.refuse(Cut(name), "is no parameter of this path")
		}
	}
	return q.Known()
}

// Names returns the names of the parameters that were sent and read: of a map, without the key
// between the brackets, which its sender chose.
func (q *Query) Names() []string {
	names := slices.DeleteFunc(sortedNames(q.sent), func(name string) bool { return !q.read[name] })
	for i, name := range names {
		names[i], _, _ = strings.Cut(name, "[")
	}
	return slices.Compact(names)
}

// Known returns the refusal of what was read of the query, and passes over the rest: OAuth
// wants it (RFC 6749, section 3.1).
func (q *Query) Known() error {
	if q.failure != nil {
		return q.failure
	}
	return nil
}

func sortedNames(v url.Values) []string {
	names := make([]string, 0, len(v))
	for name := range v {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// longestNamed is how much of an unknown name is repeated, in bytes.
const longestNamed = 64

// Cut returns a name that is short enough to be repeated.
func Cut(name string) string {
	if len(name) <= longestNamed {
		return name
	}
	return strings.ToValidUTF8(name[:longestNamed], "") + "…"
}
