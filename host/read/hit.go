package read

import (
	"context"
	"strings"

	"github.com/pdpp-host/pdpp-host/host/read/field"
	"github.com/pdpp-host/pdpp-host/host/read/words"
)

// Hit is a record that was found.
type Hit struct {
	Record // Data is nil

	Matched []string // the fields with all of the words
	Field   string   // of the snippet
	Snippet string   // a part of the field with what was found
	Before  bool     // the field goes on before the snippet
	Behind  bool     // and behind it

	seq     int64 // of the record; to a client, of the last change that it sees
	us      int64 // when that was emitted; 0: its past has to say so
	of      *source
	matches []words.Match // in each of the fields
}

// matchAll notes which fields of the record have the words.
func (h *Hit) matchAll(of *source, data []byte, terms []words.Term) (found bool) {
	for n, value := range field.Pick(data, of.plan.Indexed) {
		found = h.match(of, value, n, terms) || found
	}
	return found
}

// match notes that a field of the record has the words, where it has them and is granted.
func (h *Hit) match(of *source, value []byte, n int, terms []words.Term) bool {
	name := of.plan.Indexed[n]
	if !of.grants(name) {
		return false
	}
	text, _ := field.String(value)
	m, found := words.Look(text, terms)
	if !found {
		return false
	}
	if h.Matched = append(h.Matched, name); h.Field == "" {
		h.Field = name
		h.Snippet, h.Before, h.Behind = words.Snippet(text, m.Start)
		h.Snippet = strings.Clone(h.Snippet) // else it would keep all of the record
	}
	h.matches = append(h.matches, m)
	return true
}

// projection is what is shown of a source.
func (s *searching) projection(ctx context.Context, of *source) (*projection, error) {
	if p := s.shown[of.ID]; p != nil {
		return p, nil
	}
	all, err := s.projections(ctx, []source{*of}, nil)
	if err != nil {
		return nil, err
	}
	s.shown[of.ID] = &all[0]
	return &all[0], nil
}
