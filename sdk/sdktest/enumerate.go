package sdktest

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"

	"github.com/pdpp-host/pdpp-host/abi"
)

// listed names an enumeration: of a stream, or of one part of it.
type listed struct{ stream, part string }

// list is an enumeration as the host follows it.
type list struct {
	begunBy string
	met     map[string]bool
	marked  map[string]bool // by this run, as records that the part holds
	open    bool
	inRun   bool // this run has opened it
}

// listsBefore takes over what the run before left open.
func (h *host) listsBefore() {
	h.res.lists = make(map[listed]*list)
	for at, l := range h.o.lists {
		before := *l
		before.met, before.marked, before.inRun = maps.Clone(l.met), map[string]bool{}, false
		h.res.lists[at] = &before
	}
}

func (h *host) runID() string { return cmp.Or(h.o.RunID, "run-test") }

// enumerate checks and follows an ENUMERATION.
func (h *host) enumerate(m *abi.Enumeration) string {
	at := listed{m.Stream, m.Part}
	if problem := h.inScope(m.Stream); problem != "" {
		return problem
	}
	if h.streams[m.Stream].stream.AppendOnly() {
		return "an enumeration of stream " + m.Stream + ", which is append-only"
	}
	l := h.res.lists[at]
	switch m.Status {
	case abi.EnumerationOpen:
		if l != nil && l.inRun && (!l.open || m.BegunBy == "") {
			return "an enumeration of stream " + m.Stream + " is opened twice"
		}
		if m.BegunBy == "" || l == nil || !l.open || l.begunBy != m.BegunBy {
			l = &list{begunBy: h.runID(), met: map[string]bool{}, marked: map[string]bool{}}
			if s := h.streams[m.Stream]; m.BegunBy != "" || len(s.Resources) > 0 || s.TimeRange != nil {
				l.met = nil // lost or narrowed: it sweeps nothing
			}
			h.res.lists[at] = l
		}
		l.open, l.inRun = true, true
		h.listing[m.Stream] = at
		return ""
	case abi.EnumerationMet, abi.EnumerationWhole:
		if l == nil || !l.open || !l.inRun {
			return "an enumeration of stream " + m.Stream + " is not open"
		}
	default:
		return "an unknown status"
	}
	if m.Status == abi.EnumerationWhole {
		l.open = false
		delete(h.listing, m.Stream)
		h.res.whole = append(h.res.whole, whole{at, len(h.res.States)})
		return ""
	}
	for _, key := range m.Keys {
		l.meet(keyText(key))
		l.marked[keyText(key)] = true
	}
	return ""
}

func (l *list) meet(key string) {
	if l.met != nil {
		l.met[key] = true
	}
}

// met has a record be met in the enumeration that its stream has open; without one, in each
// that the run has opened: it is there, whatever its list has said before.
func (h *host) met(r *Record) {
	if r.Delete {
		return
	}
	if at, open := h.listing[r.Stream]; open {
		h.res.lists[at].meet(r.Key)
		h.res.lists[at].marked[r.Key] = true
		r.parts = []string{at.part}
		return
	}
	for at, l := range h.res.lists {
		if at.stream == r.Stream && l.inRun {
			l.meet(r.Key)
		}
	}
}

// missing answers the operation missing from Options.Stored.
func (h *host) missing(request []byte) ([]byte, *abi.Error) {
	var m abi.Missing
	if err := json.Unmarshal(request, &m); err != nil {
		return nil, abi.NewError(abi.CodeEnumerationInvalid, err.Error(), "")
	}
	l := h.res.lists[listed{m.Stream, m.Part}]
	if l == nil || !l.open || !l.inRun {
		return nil, abi.NewError(abi.CodeEnumerationInvalid, "the enumeration is not open", "")
	}
	keys := []string{}
	for _, key := range slices.Sorted(maps.Keys(h.o.Stored[m.Stream])) {
		stored := h.o.Stored[m.Stream][key]
		if l.met != nil && key > m.After && !l.met[key] && (m.Part == "" || slices.Equal(h.res.partsOf(m.Stream, stored), []string{m.Part})) {
			keys = append(keys, key)
		}
	}
	answer, _ := json.Marshal(map[string][]string{"keys": keys[:min(len(keys), 2)]}) // so that no connector relies on one page
	return answer, nil
}

// partsOf returns the parts that hold a record, with those into which the run has put it.
func (r *Result) partsOf(stream string, rec Record) []string {
	parts := slices.Clone(rec.parts)
	for at, l := range r.lists {
		if at.stream == stream && at.part != "" && l.marked[rec.Key] && !slices.Contains(parts, at.part) {
			parts = append(parts, at.part)
		}
	}
	return parts
}

// whole is an enumeration that was closed behind so many cursors.
type whole struct {
	listed

	states int
}

// committed reports whether the host commits a cursor of the stream that comes behind it: a
// complete slice at once, any other with the run.
func (w whole) committed(r *Result) bool {
	return r.Done.Status == abi.DoneSucceeded || slices.ContainsFunc(r.States[w.states:], func(s abi.State) bool {
		return s.Stream == w.stream && s.Slice != nil && s.Slice.Complete
	})
}

// sweep removes the records of a run's whole enumerations that they have not met.
func (s Store) sweep(r *Result) {
	for _, w := range r.whole {
		if r.options.HoldsBack || !w.committed(r) {
			continue
		}
		at := w.listed
		l := r.lists[at]
		for key, rec := range s[at.stream] {
			if l.met == nil || l.met[key] || at.part != "" && !slices.Contains(rec.parts, at.part) {
				continue
			}
			rec.parts = slices.DeleteFunc(slices.Clone(rec.parts), func(part string) bool { return part == at.part })
			if s[at.stream][key] = rec; len(rec.parts) == 0 || at.part == "" {
				delete(s[at.stream], key)
			}
		}
	}
}
