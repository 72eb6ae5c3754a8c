package plan

import (
	"time"

	"github.com/pdpp-host/pdpp-host/host/read/field"
	"github.com/pdpp-host/pdpp-host/host/read/words"
	"github.com/pdpp-host/pdpp-host/storage"
)

const (
	// MostSort is how many bytes of a value order a record; behind them its key does.
	MostSort = 512
	// mostTime is how many bytes of a time are kept: more digits than any bound has.
	mostTime = 64
	// mostText is how many bytes of a field are searched.
	mostText = 256 << 10
)

// Entry makes the entry of a record. It cannot fail: a value that the record lacks is missing.
func (p *Plan) Entry(c *storage.ReadChange, h *Hasher) storage.ReadEntry {
	e := storage.ReadEntry{StreamID: c.StreamID, Seq: c.Seq, Key: c.Key, Declaration: p.Hash, Live: c.Data != nil, EmittedUS: Emitted(c.EmittedAt), Emitted: MomentOf(c.EmittedAt)}
	if !e.Live {
		return e
	}
	e.Fields = h.fields([]byte(*c.Data))
	e.Blobs = h.blobs([]byte(*c.Data))
	timeField := p.TimeField()
	values := field.Pick([]byte(*c.Data), append([]string{p.CursorField, timeField}, p.Indexed...))
	e.Sort = p.Sort(values[0])
	e.Links = h.links([]byte(*c.Data), p.Links)
	e.Day = p.day(timeField, values[1], c.EmittedAt)
	if p.Bounded() {
		order := field.Order(p.TypeOf(timeField), values[1])
		e.Time = order[:min(len(order), mostTime)]
	}
	for i := range p.Indexed {
		text, ok := field.String(values[2+i])
		if !ok {
			continue
		}
		if list := words.Texts(text[:min(len(text), mostText)]); len(list) > 0 {
			e.Docs = append(e.Docs, storage.ReadDoc{Field: i, Scopes: []string{Whole(c.StreamID), Scope(c.StreamID, i)}, Words: list})
		}
	}
	return e
}

// Sort returns what a stored value of the cursor field orders its record by.
func (p *Plan) Sort(value []byte) []byte {
	order := field.Missing()
	if p.CursorField != "" {
		order = field.Order(p.TypeOf(p.CursorField), value)
	}
	return Cut(order)
}

// Cut is as much of an order as the index has.
func Cut(order []byte) []byte { return order[:min(len(order), MostSort)] }

// day is the day that a record is of: its own, else that on which it was collected.
func (p *Plan) day(name string, value []byte, emitted string) int64 {
	at, ok := field.Time(p.TypeOf(name), value)
	if !ok {
		when, err := time.Parse(time.RFC3339, emitted)
		if err != nil {
			return storage.NoReadDay
		}
		at = when
	}
	return storage.Day(at)
}

// Emitted reads when a change was emitted, as its connector wrote it, in microseconds.
func Emitted(at string) int64 {
	when, err := time.Parse(time.RFC3339, at)
	if err != nil {
		return 0
	}
	return when.UnixMicro()
}

// MomentOf is when a change was emitted, as it compares.
func MomentOf(at string) []byte {
	when, err := time.Parse(time.RFC3339, at)
	if utc := when.UTC(); err == nil && utc.Year() >= 0 && utc.Year() <= 9999 {
		return []byte(utc.Format("2006-01-02T15:04:05.999999999"))
	}
	return field.Missing()
}
