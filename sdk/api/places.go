package api

import (
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/sdk"
)

// placeMissing begins the line of the log about a place that no page had. The contract suite and
// `plugins dev` look for it.
const placeMissing = "place never seen: "

// mostPlaces bounds how many places a run notes.
const mostPlaces = 64

// places are what the pages of a run had and had not: a place that may be missing, and that no
// page had, is misspelt or was renamed, or no list was long enough to need it.
type places struct {
	names []string // "PLACE of PATH"
	seen  []bool
}

func (p *places) note(path, place string, has bool) {
	if place == "" {
		return
	}
	name := place + " of " + path
	i := slices.Index(p.names, name)
	if i < 0 && len(p.names) == mostPlaces {
		return
	}
	if i < 0 {
		i = len(p.names)
		p.names, p.seen = append(p.names, name), append(p.seen, false)
	}
	p.seen[i] = p.seen[i] || has
}

// tell writes the places that no page had to the log, which is its developer's.
func (p *places) tell(h *sdk.Host) {
	var missing []string
	for i, name := range p.names {
		if !p.seen[i] {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		h.Log(sdk.Warn, placeMissing+strings.Join(missing, ", "))
	}
}
