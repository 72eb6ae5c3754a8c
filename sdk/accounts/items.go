package accounts

import (
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/clip"
	"github.com/pdpp-host/pdpp-host/sdk/cursor"
	"github.com/pdpp-host/pdpp-host/sdk/jsonappend"
)

// Items counts the items of the source that were met for one stream: each of them once. Those
// of which a record is emitted count themselves, and so do those whose record the SDK holds
// back, or leaves out as outside the scope of the run.
type Items struct {
	Unchanged int64 // not emitted, as an earlier run did
	Merged    int64 // with the key of another item of the run, and other content
	Duplicate int64 // with the key of another item of the run, and the same content
	KeptBack  int64 // a Skip or a gap says why
	NotRecord int64 // no record by a rule of the connector
	Cut       int64 // with a field that was cut; the item is counted where it belongs, too

	stream   string
	emitted  int64
	untimely int64     // of NotRecord: outside the time range of the run
	given    sdk.Given // what was counted of the stream's records
	unknown  map[string]int64
}

// Items returns the counts of a stream of the manifest, the same ones each time. Those of a stream
// outside the scope are not told.
func (b *Books) Items(stream string) *Items {
	for _, i := range b.items {
		if i.stream == stream {
			return i
		}
	}
	i := &Items{stream: stream}
	b.items = append(b.items, i)
	return i
}

// maxNameBytes is how long an unknown name is told.
const maxNameBytes = 100

// otherNames counts the names beyond those that are told.
const otherNames = "(others)"

// Unknown counts a name that the connector does not know: a line type, a member, a component,
// a folder, an encoding. The first 63 are told by their names, and what follows as others.
func (i *Items) Unknown(name string) { i.UnknownTimes(name, 1) }

// UnknownTimes is Unknown for a name that was met n times.
func (i *Items) UnknownTimes(name string, n int64) {
	if name == "" {
		name = "(empty)"
	}
	name = clip.Text(name, maxNameBytes)
	if i.unknown == nil {
		i.unknown = make(map[string]int64)
	}
	if _, known := i.unknown[name]; !known && len(i.unknown) >= abi.MaxAccountNames-1 {
		name = otherNames
	}
	i.unknown[strings.Clone(name)] += n // a name may be a view of the line at hand
}

// settle counts what was handed over since it was last called.
func (i *Items) settle(h *sdk.Host) {
	now := h.Given(i.stream)
	i.emitted += now.Sent - i.given.Sent
	i.KeptBack += now.Withheld - i.given.Withheld
	i.NotRecord += now.Outside - i.given.Outside
	i.untimely += now.Untimely - i.given.Untimely
	i.given = now
}

func (i *Items) met() int64 {
	return i.emitted + i.Unchanged + i.Merged + i.Duplicate + i.KeptBack + i.NotRecord
}

func (i *Items) empty() bool { return i.met() == 0 && i.Cut == 0 && len(i.unknown) == 0 }

// append appends the counts, and begins anew: the host adds up what it is told.
func (i *Items) append(b []byte) []byte {
	b = append(b, '{')
	b = jsonappend.String(jsonappend.Name(b, "stream"), i.stream)
	b = jsonappend.Int(jsonappend.Name(b, "met"), i.met())
	b = count(b, "emitted", i.emitted)
	b = count(b, "unchanged", i.Unchanged)
	b = count(b, "merged", i.Merged)
	b = count(b, "duplicate", i.Duplicate)
	b = count(b, "kept_back", i.KeptBack)
	b = count(b, "not_record", i.NotRecord)
	b = count(b, "outside", i.untimely)
	b = count(b, "cut", i.Cut)
	if len(i.unknown) > 0 {
		b = append(jsonappend.Name(b, "unknown"), '[')
		for at, name := range cursor.Keys(i.unknown) {
			if at > 0 {
				b = append(b, ',')
			}
			b = append(b, '{')
			b = jsonappend.String(jsonappend.Name(b, "name"), name)
			b = append(jsonappend.Int(jsonappend.Name(b, "count"), i.unknown[name]), '}')
		}
		b = append(b, ']')
	}
	*i = Items{stream: i.stream, given: i.given}
	return append(b, '}')
}
