package main

import (
	"slices"

	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/cursor"
)

// listState is what the cursor knows of an enumeration that a run closes only when something of it may be
// gone. No record is deleted by its key because a file has lost it: the host weighs how many those are.
type listState struct {
	state int64 // one of the words below
	// lost are the keys of what the files have lost and the host had at the last look. It may ask its
	// owner, so the list is closed in each run until nothing of them is left.
	lost []string
}

// The states of a list.
const (
	listNever = iota // no run has closed it
	listWhole        // nothing is left of what is gone
	listAgain        // a run has to close it
)

// maxLost is how many keys of what is lost a cursor has. The others stay while a file cannot be read.
const maxLost = 8000

func (l *listState) members(m *cursor.Members, state, lost string) {
	m.Int(state, &l.state)
	m.Texts(lost, &l.lost, maxLost)
}

// close closes an enumeration over what is there. Of what it lacks, that which is lost is known to be
// no more. The rest may be of a file that could not be read: with unsure there is one, and it stays.
func (l *listState) close(of *sdk.Enumeration, there map[string]bool, unsure bool) error {
	if err := of.Met(sorted(there)...); err != nil {
		return err
	}
	lost, stay := make(map[string]bool, len(l.lost)), map[string]bool{}
	for _, key := range l.lost {
		lost[key] = true
	}
	l.state, l.lost = listWhole, nil
	err := of.Missing(func(key string) error {
		l.state = listAgain
		if lost[key] || !unsure {
			l.lost = append(l.lost, key)
		} else {
			stay[key] = true
		}
		return nil
	})
	if err == nil {
		err = of.Met(sorted(stay)...)
	}
	if err != nil {
		return err
	}
	return of.Whole()
}

// sorted lists the keys of a set as an enumeration names them.
func sorted(set map[string]bool) [][]string {
	keys := make([][]string, 0, len(set))
	for key, in := range set {
		if in {
			keys = append(keys, []string{key})
		}
	}
	slices.SortFunc(keys, slices.Compare)
	return keys
}
