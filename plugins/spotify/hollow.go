package main

import (
	"github.com/pdpp-host/pdpp-host/sdk/api"
	"github.com/pdpp-host/pdpp-host/sdk/fingerprint"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

// Spotify serves a saved track that it does not offer any more, or not for now, as null: of the
// row there is only when it was saved. A record that was saved then stays, and every other one
// that is missing is gone, as without such a row.

const (
	// atBits is the size of the fingerprint of a time, in bits.
	atBits = 20
	// hollowRow begins the key of a hollow row, which is no record's.
	hollowRow = "\x00"
)

// timeSum returns the bits of a time.
func timeSum(at string) uint64 {
	return fingerprint.Mix(fingerprint.Text(fingerprint.Start, at)) & (1<<atBits - 1)
}

// isHollow counts a row if it is hollow.
func (s *reader) isHollow(item jsonvalue.Value) (at string, is bool) {
	if s.hollow == nil {
		return "", false
	}
	if at, is = s.hollow(item); is {
		if s.hollows == nil {
			s.hollows = make(map[uint64]int)
		}
		s.hollows[timeSum(at)]++
	}
	return at, is
}

// keepHollow says of each record that a hollow row may stand for that it is there. The time of a
// record that the cursor does not know may be that of any of these rows.
func (s *reader) keepHollow(p *api.Pass) error {
	if len(s.hollows) == 0 {
		return nil
	}
	s.unsure = false
	var stay [][]string
	err := s.open.Missing(func(key string) error {
		sum, _ := s.place.known.Get(key)
		switch {
		case sum == 0:
			s.unsure, p.Holes = true, true
		case s.hollows[sum&(1<<atBits-1)] > 0:
			s.met.Set(key, sum)
			stay = append(stay, []string{key})
		}
		return nil
	})
	if err != nil || len(stay) == 0 {
		return err
	}
	return s.open.Met(stay...)
}
