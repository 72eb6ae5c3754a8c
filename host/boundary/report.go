package boundary

import "github.com/pdpp-host/pdpp-host/abi"

// Skip reads one SKIP_RESULT. Every member is optional; a stream must be one of the
// manifest's, in scope or not. Diagnostics are opaque.
func (g *Gate) Skip(p []byte) (*abi.SkipResult, error) {
	m, err := openMessage(p, abi.MaxMessageBytes, abi.CodeEnvelope, abi.TypeSkipResult)
	if err != nil {
		return nil, err
	}
	s := &abi.SkipResult{Type: m.typ}
	err = m.read(false,
		field{"stream", false, m.word(&s.Stream)},
		field{"reason", false, m.text(&s.Reason)},
		field{"message", false, m.text(&s.Message)},
		field{"recovery_hint", false, m.hint(&s.RecoveryHint)},
		field{"diagnostics", false, m.raw(&s.Diagnostics)},
		field{"resource_ids", false, m.words(&s.ResourceIDs)},
		field{"time_range", false, func(i int) string {
			s.TimeRange = &abi.TimeRange{}
			return m.object(false,
				field{"since", false, m.text(&s.TimeRange.Since)},
				field{"until", false, m.text(&s.TimeRange.Until)})(i)
		}},
	)
	if err == nil {
		err = g.declared(m, s.Stream)
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

// Progress reads one PROGRESS: a non-empty message, counts that are not negative.
// collection_rate and provider_budget are stored as objects.
func (g *Gate) Progress(p []byte) (*abi.Progress, error) {
	m, err := openMessage(p, abi.MaxMessageBytes, abi.CodeEnvelope, abi.TypeProgress)
	if err != nil {
		return nil, err
	}
	r := &abi.Progress{Type: m.typ}
	err = m.read(false,
		field{"stream", false, m.word(&r.Stream)},
		field{"message", true, m.word(&r.Message)},
		field{"count", false, m.optionalCount(&r.Count)},
		field{"total", false, m.optionalCount(&r.Total)},
		field{"unit", false, m.text(&r.Unit)},
		field{"collection_rate", false, m.rawObject(&r.CollectionRate)},
		field{"provider_budget", false, m.rawObject(&r.ProviderBudget)},
	)
	if err == nil {
		err = g.declared(m, r.Stream)
	}
	if err != nil {
		return nil, err
	}
	return r, nil
}
