package grant

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// Words say in plain words what a review would give, each part for itself (RD-42.3).
type Words struct {
	Streams []StreamWords `json:"streams"`
	Access  string        `json:"access"` // how often
	Ends    string        `json:"ends"`
}

// StreamWords say it of one stream.
type StreamWords struct {
	Stream      string   `json:"stream"`
	Connections []string `json:"connections"` // by name
	Fields      []string `json:"fields"`
	Records     string   `json:"records"`
}

// Words says what a review would give; name is what a connection is called.
func (r *Review) Words(name func(id string) string) Words {
	return words(r.Streams, r.AccessMode, r.ExpiresAt, name)
}

// Words says what a grant gives.
func (d *Document) Words(name func(id string) string) Words {
	return words(d.Streams, d.AccessMode, d.ExpiresAt, name)
}

func words(streams []Stream, mode string, ends *time.Time, name func(id string) string) Words {
	w := Words{Access: "It may read until the grant ends.", Ends: "It ends when you revoke it."}
	if mode == SingleUse {
		w.Access = "It gets one token, which works for a day at most."
	}
	if ends != nil {
		w.Ends = "It ends on " + moment(*ends) + ", or when you revoke it."
	}
	for i := range streams {
		s := &streams[i]
		one := StreamWords{Stream: s.Name, Fields: s.Fields, Records: s.records()}
		for _, id := range s.InstanceIDs {
			one.Connections = append(one.Connections, name(id))
		}
		w.Streams = append(w.Streams, one)
	}
	return w
}

// records says which records of a stream are meant.
func (s *Stream) records() string {
	text := "all records"
	if n := len(s.Resources); n == 1 {
		text = "one record that the app names"
	} else if n > 1 {
		text = fmt.Sprintf("%d records that the app names", n)
	}
	t := s.TimeConstraint
	switch {
	case t == nil && len(s.Resources) > 0:
		return text + s.keys()
	case t == nil:
		return text + ", and those to come"
	case len(s.Resources) > 0:
		text += ","
	}
	var bounds []string
	if t.Since != nil {
		bounds = append(bounds, "on or after "+moment(*t.Since))
	}
	if t.Until != nil {
		bounds = append(bounds, "before "+moment(*t.Until))
	}
	return text + " with " + t.Field + " " + strings.Join(bounds, " and ") + s.keys()
}

// The bounds of what is shown of keys, which the app wrote.
const (
	shownKeys  = 10
	longestKey = 64
)

// keys shows the first of the records' keys, and how many more there are; "": any record.
func (s *Stream) keys() string {
	var all []string
	for i, key := range s.Resources {
		if i == shownKeys {
			all = append(all, fmt.Sprintf("and %d more", len(s.Resources)-i))
			break
		}
		shown := []rune(strings.Map(masked, key))
		if len(shown) > longestKey {
			shown = append(shown[:longestKey], '…')
		}
		all = append(all, "“"+string(shown)+"”")
	}
	if all == nil {
		return ""
	}
	return ": " + strings.Join(all, ", ")
}

// masked is a rune of a key as it is shown: none that acts, hides others or ends the key.
func masked(r rune) rune {
	switch {
	case !unicode.IsPrint(r):
		return unicode.ReplacementChar
	case r == '“' || r == '”':
		return '"'
	}
	return r
}

// Span is how long an app says it keeps what it read. Where it has one unit, plain words say it.
func (r *Retention) Span() string {
	digits := strings.TrimLeft(r.MaxDuration, "PT")
	unit := len(digits) - 1
	if unit < 1 {
		return r.MaxDuration
	}
	n, err := strconv.Atoi(digits[:unit])
	word := units[strings.TrimSuffix(r.MaxDuration, digits)+digits[unit:]]
	switch {
	case err != nil || word == "":
		return r.MaxDuration
	case n == 1:
		return "1 " + word
	}
	return strconv.Itoa(n) + " " + word + "s"
}

// units are those of a duration of ISO 8601, each behind what stands before its number.
var units = map[string]string{"PY": "year", "PM": "month", "PW": "week", "PD": "day", "PTH": "hour", "PTM": "minute", "PTS": "second"}

// Then is what an app says it does with it afterwards.
func (r *Retention) Then() string {
	if r.OnExpiry == "anonymize" {
		return "anonymizes it"
	}
	return "deletes it"
}

func moment(at time.Time) string {
	at = at.UTC()
	if at.Equal(at.Truncate(24 * time.Hour)) {
		return at.Format("2 January 2006")
	}
	return at.Format("2 January 2006, 15:04 UTC")
}
