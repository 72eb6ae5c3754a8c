package main

import (
	"github.com/pdpp-host/pdpp-host/sdk"
)

const (
	// maxPasses is how often a list is read to find the rows removed from it.
	maxPasses = 4
	// maxPages ends a list that never ends.
	maxPages = 20_000
)

// pass is the result of one reading of a list.
type pass struct {
	seen  map[string]bool
	total int64 // the list's length as the last page gave it
	rows  int64
	exact bool // its pages agreed on the length, and as many rows came
	holes bool // some rows were null: each may be a known one
}

// inventory reads a list as often as needed to find the removed rows: the ones that two
// exact passes in a row did not meet. It reports whether it found out, and returns the
// last pass.
func (s *trackedList) inventory(l *list) (settled bool, last pass, err error) {
	var missed map[string]bool // by the pass before; nil: it was not exact
	for range maxPasses {
		before := last.seen
		if last, err = s.pass(l, l.first); err != nil {
			return false, last, err
		}
		var missing []string
		for _, key := range s.ledger.keys(l.part) {
			if !last.seen[key] {
				missing = append(missing, key)
			}
		}
		switch {
		case !last.exact:
			if before != nil && sameKeys(before, last.seen) {
				s.unstable = true // the same again: a further pass would find no more
				return false, last, nil
			}
			missed = nil
		case len(missing) == 0:
			return true, last, nil
		case last.holes:
			return false, last, nil
		case missed != nil:
			return true, last, s.bury(l, intersect(missing, missed))
		default:
			missed = make(map[string]bool, len(missing))
			for _, key := range missing {
				missed[key] = true
			}
		}
	}
	s.unstable = true
	return false, last, nil
}

// pass reads a list once, from a page to its last.
func (s *trackedList) pass(l *list, url string) (pass, error) {
	p := pass{seen: make(map[string]bool), total: -1, exact: true}
	visited := make(map[string]bool)
	for url != "" {
		if visited[url] {
			return p, cycleFailure()
		}
		if len(visited) == maxPages {
			return p, malformed("a list does not end")
		}
		visited[url] = true
		one, err := s.page(url)
		if err != nil {
			return p, err
		}
		if p.total >= 0 && one.total != p.total {
			p.exact = false
		}
		p.total = one.total
		if _, err := s.emitPage(l, one, &p); err != nil {
			return p, err
		}
		if l.resumes {
			s.ledger.next = one.next
		}
		if err := s.progress(); err != nil {
			return p, err
		}
		url = one.next
	}
	if !l.ranked && p.total >= 0 && p.rows != p.total {
		p.exact = false
	}
	return p, nil
}

// emitPage takes the rows of a page, and reports whether one of them was unknown.
func (s *trackedList) emitPage(l *list, one page, p *pass) (fresh bool, err error) {
	for it := one.items.Children(); it.Next(); {
		p.rows++
		key, unknown, err := s.emitRow(l, it.Value(), int(p.rows))
		if err != nil {
			return fresh, err
		}
		fresh = fresh || unknown
		if key == "" {
			p.holes = true
			continue
		}
		p.seen[key] = true
	}
	return fresh, nil
}

// progress ends a page.
func (s *trackedList) progress() error {
	if err := s.save(false); err != nil {
		return err
	}
	if err := s.h.Progress("reading "+s.stream, int64(s.taken), -1, ""); err != nil {
		return err
	}
	if s.h.Stopping() {
		return sdk.ErrStopped
	}
	return nil
}

func cycleFailure() error {
	return &sdk.Failure{Code: codeCycle, Message: "Spotify's list repeats itself: a page came twice", Retryable: true}
}

func sameKeys(a, b map[string]bool) bool {
	if len(a) != len(b) {
		return false
	}
	for key := range a {
		if !b[key] {
			return false
		}
	}
	return true
}

// intersect returns the keys of list that are also in set.
func intersect(list []string, set map[string]bool) []string {
	var out []string
	for _, key := range list {
		if set[key] {
			out = append(out, key)
		}
	}
	return out
}
