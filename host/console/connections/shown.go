package connections

import (
	"cmp"
	"strconv"

	"github.com/pdpp-host/pdpp-host/host/console/words"
	"github.com/pdpp-host/pdpp-host/host/owner"
)

func (c *shown) total() (n int64) {
	for i := range c.streams {
		n += c.streams[i].Records
	}
	return n
}

// covered reports whether it is known how much of the stream there is.
func (s *stream) covered() bool { return s.Collected != nil && s.Considered != nil }

// counted reports whether that is known of any stream.
func (c *shown) counted() bool {
	for i := range c.streams {
		if c.streams[i].covered() {
			return true
		}
	}
	return false
}

// subjectOf says what is missing, and how much of it where that is more than one.
func subjectOf(m *owner.Missing) string {
	text := m.Subject()
	if m.Stream != "" {
		text = m.Stream + ": " + text
	}
	if m.Count > 1 && !m.Gone() {
		text += " × " + strconv.FormatInt(m.Count, 10)
	}
	return text
}

// sourceOf says where a credential comes from.
func sourceOf(k *owner.Credential) string {
	switch {
	case k.Source == owner.FromStore:
		return words.IsStored
	case k.Source == owner.FromEnvironment:
		return words.FromEnvironment + " " + k.Environment
	case !k.Required:
		return words.IsMissing + " (" + words.IsOptional + ")"
	}
	return words.IsMissing
}

func labelOf(k *owner.Credential) string { return cmp.Or(k.Label, k.Field) }

// unitOf is the largest unit that an interval is a whole number of.
func unitOf(seconds int64) int {
	at := 1
	for i, u := range units {
		if seconds > 0 && seconds%u.Seconds == 0 {
			at = i
		}
	}
	return at
}

func interval(seconds int64) string {
	if seconds <= 0 {
		return "6"
	}
	return strconv.FormatInt(max(1, seconds/units[unitOf(seconds)].Seconds), 10)
}
