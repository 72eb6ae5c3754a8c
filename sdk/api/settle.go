package api

import (
	"errors"

	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/fingerprint"
)

// Pass is what one reading of a list that may shift met. The zero Pass has begun nothing.
type Pass struct {
	// Ranked marks a list that is cut off somewhere, so that its length proves nothing.
	Ranked bool
	// Shifts has the list read once more, whatever was met: rows that were taken out meanwhile
	// may have hidden others that nobody knows of yet.
	Shifts bool
	// Earlier is how many exact readings of the enumeration earlier runs have done, for a list
	// that one run may not read to its end.
	Earlier int
	// Holes says that a row could not be read, which may stand for any record. A reading that
	// goes on at a page takes it over from the run that read the pages before.
	Holes bool

	rows    int64  // of the list
	total   int64  // of the list, as its last page gave it
	paged   bool   // a page of the list was read
	inexact bool   // the pages do not agree on the length, or another number of rows came
	all     int64  // rows of every list
	keys    uint64 // the sum over the keys, whatever their order
}

// List begins another list of the same enumeration.
func (p *Pass) List() {
	p.inexact = !p.exact()
	p.rows, p.total, p.paged = 0, 0, false
}

// Page begins a page, which says how long the list is; -1 when it does not.
func (p *Pass) Page(total int64) {
	if p.paged && p.total >= 0 && total != p.total {
		p.inexact = true
	}
	p.total, p.paged = total, true
}

// Row counts a row by its record's key; "" is a row that cannot be read, which may stand for
// any record.
func (p *Pass) Row(key string) {
	p.rows++
	p.all++
	if key == "" {
		p.Holes = true
		return
	}
	p.keys += fingerprint.Mix(fingerprint.Text(1, key))
}

// Rows counts the rows of the list so far.
func (p *Pass) Rows() int64 { return p.rows }

// Total is the list's length as the last page gave it, -1 without one.
func (p *Pass) Total() int64 { return p.total }

// exact reports whether the pages agreed on the length and as many rows came.
func (p *Pass) exact() bool {
	return !p.inexact && (p.Ranked || !p.paged || p.total < 0 || p.rows == p.total)
}

// Settled is how Settle ended.
type Settled uint8

// The ends.
const (
	Unstable Settled = iota // the list changed each time, or is shorter than it says
	Holes                   // a row could not be read, and may be a record that was not met
	Moving                  // the list is whole, but has changed since it was first read: read it again soon
	Whole                   // what was not met is gone
)

// maxPasses is how often a list is read.
const maxPasses = 4

// Settle reads a list as often as needed to close its enumeration. A page that shifts while
// the list is read hides a row; so a record is gone only when two exact readings in a row,
// in which the pages agree on the length of the list and as many rows came, have not met
// it. One is enough when nothing is missing. read does one reading, from the first page to
// the last, and emits the rows.
func Settle(list *sdk.Enumeration, read func() (Pass, error)) (Settled, Pass, error) {
	var last Pass
	exact, moved := 0, false
	for n := range maxPasses {
		before := last
		var err error
		if last, err = read(); err != nil {
			return Unstable, last, err
		}
		same := n > 0 && before.keys == last.keys && before.all == last.all
		moved = moved || n > 0 && !same
		if !last.exact() {
			if same {
				return Unstable, last, nil // a further reading would find no more
			}
			exact = 0
			continue
		}
		exact++
		missing, err := lacks(list)
		switch {
		case err != nil:
			return Unstable, last, err
		case missing && last.Holes:
			return Holes, last, nil
		case (missing || last.Shifts) && exact+last.Earlier < 2:
			continue
		case moved:
			return Moving, last, list.Whole()
		}
		return Whole, last, list.Whole()
	}
	return Unstable, last, nil
}

// errMissing ends the look for missing records at the first one.
var errMissing = errors.New("a record is missing")

// lacks reports whether the store has a record that the enumeration has not met.
func lacks(list *sdk.Enumeration) (bool, error) {
	err := list.Missing(func(string) error { return errMissing })
	if err == errMissing { //nolint:errorlint // Missing returns it as it is
		return true, nil
	}
	return false, err
}
