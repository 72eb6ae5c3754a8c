package public

import (
	_ "embed"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/pdpp-host/pdpp-host/abi"
)

// factsText has a line for each public connector, with its key, whether its data grows old, and its name, and below it one for
// each of its streams: its name, whether it only grows, the field with the time of consent, or -, and the fields of the key unless that is id.
//
//go:embed facts.txt
var factsText string

// fact is what is known of a public connector.
type fact struct {
	name    string
	aging   bool // it fetches again and again, and is no import of what a person has got once
	streams []Stream
}

// facts returns the table by canonical key. It is read at its first use.
var facts = sync.OnceValue(func() map[string]fact {
	all := map[string]fact{}
	key := ""
	for line := range strings.Lines(factsText) {
		if head, name, ok := strings.Cut(strings.TrimSpace(line), ": "); ok {
			var aging bool
			key, aging = strings.CutSuffix(head, " aging")
			all[key] = fact{name: name, aging: aging}
			continue
		}
		words := strings.Fields(line)
		s := Stream{Name: words[0], Semantics: abi.SemanticsMutable, PrimaryKey: []string{id}}
		if words[1] == "append" {
			s.Semantics = abi.SemanticsAppendOnly
		}
		if words[2] != "-" {
			s.ConsentTimeField = words[2]
		}
		if len(words) > 3 {
			s.PrimaryKey = strings.Split(words[3], ",")
		}
		f := all[key]
		f.streams = append(f.streams, s)
		all[key] = f
	}
	return all
})

// Connectors returns the keys of the public connectors in canonical form, sorted.
func Connectors() []string {
	return slices.Sorted(maps.Keys(facts()))
}
