package boundary

import (
	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/boundary/internal/tape"
)

// Coverage reads one DETAIL_COVERAGE (RT-12): no key twice in a set, every outcome key
// among the required ones, no key with two outcomes (RT-12.2, RT-12.3). A required key
// without an outcome is no violation: host/run decides whether the cursor may move,
// and checks the list of lanes.
func (g *Gate) Coverage(p []byte) (*abi.DetailCoverage, error) {
	m, err := openMessage(p, abi.MaxCoverageBytes, abi.CodeCoverageInvalid, abi.TypeDetailCoverage)
	if err != nil {
		return nil, err
	}
	c := &abi.DetailCoverage{Type: m.typ}
	sets := keySets{message: m, outcome: map[string]string{}}
	var keys keyFields
	err = m.read(false, append(keys.fields(),
		field{"stream", true, m.word(&c.Stream)},
		field{"state_stream", true, m.word(&c.StateStream)},
		field{"reference_only", false, m.boolean(&c.ReferenceOnly)},
		field{"considered", false, m.optionalCount(&c.Considered)},
		field{"covered", false, m.optionalCount(&c.Covered)},
	)...)
	if err != nil {
		return nil, err
	}
	if err := g.inScope(m, c.Stream); err != nil {
		return nil, err
	}
	c.RequiredKeys, c.HydratedKeys, c.GapKeys, c.OptionalSkipKeys = keys.read(&sets)
	if sets.rule != "" {
		return nil, violation(m.code, m.typ+" of stream "+quote(c.Stream)+": "+sets.rule,
			"give each required key at most one outcome")
	}
	return c, nil
}

// keyFields are the positions of the sets of keys in a message.
type keyFields struct{ required, hydrated, gaps, skipped int }

// fields returns the sets as members of an object.
func (k *keyFields) fields() []field {
	*k = keyFields{-1, -1, -1, -1}
	at := func(dst *int) func(int) string {
		return func(i int) string { *dst = i; return "" }
	}
	return []field{
		{"required_keys", true, at(&k.required)}, {"hydrated_keys", true, at(&k.hydrated)},
		{"gap_keys", false, at(&k.gaps)}, {"optional_skip_keys", false, at(&k.skipped)},
	}
}

// read reads the sets, and leaves the first broken rule in s.
func (k *keyFields) read(s *keySets) (required, hydrated, gaps, skipped []abi.Raw) {
	required = s.require(k.required)
	hydrated = s.outcomeKeys("hydrated_keys", k.hydrated)
	gaps = s.outcomeKeys("gap_keys", k.gaps)
	return required, hydrated, gaps, s.outcomeKeys("optional_skip_keys", k.skipped)
}

// keySets checks the sets of a coverage against each other.
type keySets struct {
	*message
	outcome map[string]string // canonical key -> its outcome's set; "": only required
	text    []byte
	rule    string // the first broken rule
}

// require reads the set that contains all others.
func (s *keySets) require(i int) []abi.Raw {
	return s.readKeys("required_keys", i, func(key string) string {
		if _, twice := s.outcome[key]; twice {
			return "required_keys holds a key twice"
		}
		s.outcome[key] = ""
		return ""
	})
}

// outcomeKeys reads one outcome's set.
func (s *keySets) outcomeKeys(name string, i int) []abi.Raw {
	return s.readKeys(name, i, func(key string) string {
		before, known := s.outcome[key]
		switch {
		case !known:
			return name + " holds a key that is not required"
		case before == name:
			return name + " holds a key twice"
		case before != "":
			return "a key is both in " + before + " and in " + name
		}
		s.outcome[key] = name
		return ""
	})
}

func (s *keySets) readKeys(name string, i int, add func(key string) string) []abi.Raw {
	if i < 0 || s.rule != "" {
		return nil
	}
	t := &s.tape
	if t.Kind(i) != tape.Array {
		s.rule = name + " must be an array of keys"
		return nil
	}
	keys := make([]abi.Raw, 0, t.Count(i))
	for k, end := i+1, t.Next(i); k < end; k = t.Next(k) {
		// The kind comes first, since a string may look like a composite key's text.
		s.text = append(s.text[:0], byte(t.Kind(k)))
		if s.text, s.rule = appendKey(s.text, t, k); s.rule != "" {
			s.rule = "a key of " + name + " " + s.rule
			return nil
		}
		if s.rule = add(string(s.text)); s.rule != "" {
			return nil
		}
		keys = append(keys, t.Text(k))
	}
	return keys
}
