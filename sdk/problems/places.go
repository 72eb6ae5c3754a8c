package problems

import (
	"slices"
	"strconv"

	"github.com/pdpp-host/pdpp-host/sdk"
)

// Places counts the problems of places, such as the files of a folder, and reports each for
// every stream that it leaves incomplete. Make it with NewPlaces.
type Places struct {
	h     *sdk.Host
	kinds []*Kind
	all   *Tally
	by    map[string]*Tally // by stream, "" for none
}

// NewPlaces returns the tally of a run that reports these kinds, in their order.
func NewPlaces(h *sdk.Host, kinds ...*Kind) *Places {
	return &Places{h: h, kinds: kinds, all: New(h, "", kinds...), by: make(map[string]*Tally)}
}

// Line names a line of a file, counted from 1 as an editor shows it; with 0, which is not known, the file alone.
func Line(path string, line int64) string {
	if line == 0 {
		return path
	}
	return path + ", line " + strconv.FormatInt(line, 10)
}

// Note counts one case at a place, which the streams lack; "" stands for no stream in
// particular.
func (p *Places) Note(kind *Kind, at string, streams ...string) { p.Add(kind, 1, at, streams...) }

// Add counts n cases at a place.
func (p *Places) Add(kind *Kind, n int, at string, streams ...string) {
	p.all.Add(kind, n, at)
	for _, stream := range streams {
		if p.by[stream] == nil {
			p.by[stream] = New(p.h, stream, p.kinds...)
		}
		p.by[stream].Add(kind, n, at)
	}
}

// Count returns how many cases of a kind there are, each once.
func (p *Places) Count(kind *Kind) int { return p.all.Count(kind) }

// Report reports the kinds one after the other, each by stream. Streams outside the scope
// are left out.
func (p *Places) Report() error {
	streams := make([]string, 0, len(p.by))
	for stream := range p.by {
		if stream == "" || p.h.Wants(stream) {
			streams = append(streams, stream)
		}
	}
	slices.Sort(streams)
	for i := range p.kinds {
		for _, stream := range streams {
			if err := p.by[stream].report(i); err != nil {
				return err
			}
		}
	}
	return nil
}
