package call

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

const (
	redacted = "[redacted]"
	// shortest is the length below which a secret is not searched for: removing each
	// "2024" from a provider's data would spoil the data and hide nothing.
	shortest = 6
	// remembered is the number of secrets searched for; renewed ones push the oldest
	// out.
	remembered = 64
)

// scrubber removes secrets from a provider's answers, in the spellings of an echo: any
// case, percent-encoded, escaped as in JSON or HTML, in UTF-16, and in base64 and hex,
// also inside a longer text. Other transformations, and secrets split into parts, are
// not found. Its zero value knows no secret. Safe for concurrent use.
type scrubber struct {
	mu      sync.Mutex
	secrets []string
	forms   atomic.Pointer[forms]
}

// hide adds a secret.
func (s *scrubber) hide(secret string) {
	if len(secret) < shortest {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if slices.Contains(s.secrets, secret) {
		return
	}
	s.secrets = append(s.secrets, secret)
	if len(s.secrets) > remembered {
		s.secrets = s.secrets[1:]
	}
	s.forms.Store(newForms(s.secrets))
}

// clean returns b without secrets: b itself if it contains none.
func (s *scrubber) clean(b []byte) []byte {
	found := s.forms.Load().find(b)
	if len(found) == 0 {
		return b
	}
	out := make([]byte, 0, len(b))
	from := 0
	for _, f := range found {
		out = append(append(out, b[from:f.start]...), redacted...)
		from = f.end
	}
	return append(out, b[from:]...)
}

func (s *scrubber) cleanText(text string) string {
	f := s.forms.Load()
	if f == nil || len(text) < f.shortest {
		return text
	}
	b := []byte(text)
	if clean := s.clean(b); len(clean) != len(b) || !bytes.Equal(clean, b) {
		return string(clean)
	}
	return text
}

// named reports whether a header's name contains a secret.
func (s *scrubber) named(name string) bool { return s.cleanText(name) != name }

// span is a part of an answer.
type span struct{ start, end int }

// windows are the buffers through which answers are read, so that a search makes no
// second copy of a large one.
var windows = sync.Pool{New: func() any { return new(window) }}

const windowSize = 32 << 10

// find returns the parts of b that contain a secret, in order and disjoint.
func (f *forms) find(b []byte) []span {
	if f == nil || len(b) < f.shortest {
		return nil
	}
	w, _ := windows.Get().(*window)
	defer windows.Put(w)
	var found []span
	size := max(windowSize, 4*f.longest)
	for at := 0; ; {
		next := w.read(b, at, min(size, len(b)-at), nested)
		f.search(w, b, &found)
		if next >= len(b) {
			break
		}
		at, _ = w.source(len(w.text) - f.longest - 2) // the most that a secret and its neighbours may overlap
	}
	if len(found) < 2 {
		return found
	}
	slices.SortFunc(found, func(a, b span) int { return cmp.Or(a.start-b.start, a.end-b.end) })
	apart := found[:1]
	for _, s := range found[1:] {
		if last := &apart[len(apart)-1]; s.start < last.end {
			last.end = max(last.end, s.end)
		} else {
			apart = append(apart, s)
		}
	}
	return apart
}

// search adds the parts of b that contain a secret in w. It inspects four bytes at a
// time, at a distance at which every needle contains some of them.
func (f *forms) search(w *window, b []byte, found *[]span) {
	text := w.text
	for at := 0; at+gramSize <= len(text); at += f.step {
		gram := gramAt(text, at)
		h := hash(gram)
		if f.filter[h>>6]&(1<<(h&63)) == 0 {
			continue
		}
		for _, g := range f.grams[gram] {
			n := &f.needles[g.needle]
			if start := at - g.at; start >= 0 && bytes.HasPrefix(text[start:], n.text) {
				*found = append(*found, n.cover(w, b, start))
			}
		}
	}
}

// cover returns the part of b for the needle at start in w.
func (n *needle) cover(w *window, b []byte, start int) span {
	end := start + len(n.text)
	if n.before && start > 0 && strings.IndexByte(alphabet, w.text[start-1]) >= 0 {
		start--
	}
	if n.after && end < len(w.text) && strings.IndexByte(alphabet, w.text[end]) >= 0 {
		end++
	}
	var s span
	s.start, _ = w.source(start)
	_, s.end = w.source(end - 1)
	if s.end < len(b) && b[s.end] == 0 && bytes.IndexByte(b[s.start:s.end], 0) > 0 {
		s.end++ // the other half of a UTF-16 unit, so that the following units stay aligned
	}
	return s
}
