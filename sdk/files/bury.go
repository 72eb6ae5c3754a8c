package files

import (
	"strings"

	"github.com/pdpp-host/pdpp-host/sdk/cursor"
)

// Bury leaves it to the host to delete the records of what was not seen, as Close does: call it
// before the State that has the set. It costs nothing while everything was seen and nothing is new.
func (s *Set) Bury() error {
	switch {
	case s.err != nil:
		return s.err
	case s.rows:
		return s.drop()
	case s.blind():
		return nil
	}
	there, unseen := s.sorted()
	if len(unseen) == 0 && s.list == nil {
		return nil
	}
	if s.begin(); s.err != nil {
		return s.err
	}
	if err := s.list.Met(there...); err != nil {
		return err
	}
	stays, err := s.settle(unseen)
	if err != nil {
		return err
	}
	s.changed = true
	if err := s.list.Met(stays...); err != nil {
		return err
	}
	return s.list.Whole()
}

// sorted returns the keys of the records of what was seen, and the items that were not.
func (s *Set) sorted() (there [][]string, unseen []string) {
	for _, key := range cursor.Keys(s.items) {
		if s.items[key].seen {
			there = append(there, []string{s.prefix + key})
		} else {
			unseen = append(unseen, key)
		}
	}
	return there, unseen
}

// settle forgets those of the unseen items whose records the host has deleted, and returns the keys
// that do not go in this run: of records that are not the set's, and of items that were seen until
// now whose records the host does not know to have. It is then a collector, which knows of a
// record only what an enumeration has told it.
func (s *Set) settle(unseen []string) (stays [][]string, err error) {
	missing := map[string]bool{}
	err = s.list.Missing(func(key string) error {
		name, own := strings.CutPrefix(key, s.prefix)
		if missing[name] = own && s.items[name] != nil; !missing[name] {
			stays = append(stays, []string{key})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, key := range unseen {
		switch one := s.items[key]; {
		case missing[key]:
			one.gone = true
		case one.gone:
			delete(s.items, key)
		default:
			one.gone = true
			stays = append(stays, []string{s.prefix + key})
		}
	}
	return stays, nil
}

// begin opens the enumeration of the stream, once.
func (s *Set) begin() {
	if s.h == nil || s.rows || s.list != nil || s.err != nil || s.blind() {
		return
	}
	s.list, s.err = s.h.Enumerate(s.stream, "", "")
}

// blind reports whether the host deletes nothing of the stream in this run, and does not say what it
// has.
func (s *Set) blind() bool { return !s.h.Wants(s.stream) || s.h.Narrowed(s.stream) }

// drop deletes the rows that were not seen.
func (s *Set) drop() error {
	_, unseen := s.sorted()
	for _, key := range unseen {
		if err := s.h.Delete(s.stream, s.prefix+key); err != nil {
			return err
		}
	}
	s.Forget()
	return nil
}
