package contract

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/storage"
)

// Nulls finds the fields that are null in every record of a stream: names that are misspelt, or
// that the source has given up. The zero Nulls has seen no record.
type Nulls struct {
	Records int
	filled  map[string]bool // by field: a record has a value
}

// fewest is how many records a stream has before a field that is null in all of them is told:
// one note without a title is no misspelling.
const fewest = 3

// Add sees a record's data.
func (n *Nulls) Add(data []byte) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(data, &fields) != nil {
		return
	}
	if n.filled == nil {
		n.filled = map[string]bool{}
	}
	n.Records++
	for name, value := range fields {
		n.filled[name] = n.filled[name] || !bytes.Equal(value, []byte("null"))
	}
}

// Fields lists the fields that no record has a value of, in order; nothing when the records are
// too few to tell.
func (n *Nulls) Fields() (names []string) {
	for _, name := range slices.Sorted(maps.Keys(n.filled)) {
		if !n.filled[name] && n.Records >= fewest {
			names = append(names, name)
		}
	}
	return names
}

// PlacesPrefix begins the line of a module's log that names the places of its lists that no page
// had; see package sdk/api.
const PlacesPrefix = "place never seen: "

// Places reads such a line of a log. names is nil for any other.
func Places(line string) (names []string) {
	if list, is := strings.CutPrefix(line, PlacesPrefix); is {
		return strings.Split(list, ", ")
	}
	return nil
}

// placesLog is a handler of the host's log that keeps the places of the module's.
type placesLog struct {
	mu     sync.Mutex
	places []string
}

// Enabled implements slog.Handler.
func (l *placesLog) Enabled(context.Context, slog.Level) bool { return true }

// Handle implements slog.Handler.
func (l *placesLog) Handle(_ context.Context, r slog.Record) error {
	r.Attrs(func(a slog.Attr) bool {
		if a.Key == "text" {
			l.mu.Lock()
			l.places = append(l.places, Places(a.Value.String())...)
			l.mu.Unlock()
		}
		return true
	})
	return nil
}

// WithAttrs implements slog.Handler.
func (l *placesLog) WithAttrs([]slog.Attr) slog.Handler { return l }

// WithGroup implements slog.Handler.
func (l *placesLog) WithGroup(string) slog.Handler { return l }

// warnOfNames warns of names that nothing at the source answers to: each is misspelt, or was
// renamed there, or the source is too small to show it.
func (s *suite) warnOfNames(ctx context.Context, whole *store) error {
	for _, place := range whole.log.places {
		s.report.Warnings = append(s.report.Warnings, fmt.Sprintf("no page has %s: a name that is misspelt there passes for the end of the list", place))
	}
	for i := range s.manifest.Streams {
		name := s.manifest.Streams[i].Name
		if name == device.CoverageStream {
			continue
		}
		var nulls Nulls
		err := whole.store.EachRecord(ctx, s.manifest.ConnectorKey, name, func(r storage.Record) error {
			if !r.Deleted {
				nulls.Add(r.Data)
			}
			return nil
		})
		if err != nil {
			return err
		}
		if fields := nulls.Fields(); len(fields) > 0 {
			s.report.Warnings = append(s.report.Warnings, fmt.Sprintf("stream %s: null in each of %d records: %s; look for a misspelt name", name, nulls.Records, strings.Join(fields, ", ")))
		}
	}
	return nil
}
