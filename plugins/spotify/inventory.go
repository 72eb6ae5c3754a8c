package main

import (
	"github.com/pdpp-host/pdpp-host/sdk"
)

const (
	// maxPasses is how often a list is read to find out what is gone from it.
	maxPasses = 4
	// maxPages ends a list that never ends.
	maxPages = 20_000
)

// pass is what one reading of a list met.
type pass struct {
	seen  map[string]bool
	total int64 // what the last page said
	rows  int64
	exact bool // its pages agreed, and as many rows came as they said
	holes bool // some rows were null: each may be one that is known
}

// inventory reads a list as often as it takes to know what is gone from it:
// rows that two exact passes in a row did not meet. It reports whether it
// knows, and the last pass.
func (s *shelf) inventory(l *list) (settled bool, last pass, err error) {
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
				s.unstable = true // the same again: a further pass would say no more
				return false, last, nil
			}
			missed = nil
		case len(missing) == 0:
			return true, last, nil
		case last.holes:
			return false, last, nil
		case missed != nil:
			return true, last, s.bury(l, both(missing, missed))
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
func (s *shelf) pass(l *list, url string) (pass, error) {
	p := pass{seen: make(map[string]bool), total: -1, exact: true}
	visited := make(map[string]bool)
	for url != "" {
		if visited[url] {
			return p, cycle()
		}
		if len(visited) == maxPages {
			return p, malformed("a list does not come to an end")
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
		if _, err := s.takePage(l, one, &p); err != nil {
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

// takePage takes the rows of a page, and reports whether one of them was
// unknown.
func (s *shelf) takePage(l *list, one page, p *pass) (fresh bool, err error) {
	for it := one.items.Children(); it.Next(); {
		p.rows++
		key, unknown, err := s.take(l, it.Value(), int(p.rows))
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
func (s *shelf) progress() error {
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

func cycle() error {
	return &sdk.Failure{Code: codeCycle, Message: "Spotify's list leads in a circle: a page came twice", Retryable: true}
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

// both returns the keys of list that stand in set.
func both(list []string, set map[string]bool) []string {
	var out []string
	for _, key := range list {
		if set[key] {
			out = append(out, key)
		}
	}
	return out
}
