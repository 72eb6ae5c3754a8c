package api

import (
	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/problems"
)

// Lane collects a stream whose records are fetched one by one, by an sdk.Details.
type Lane interface {
	// Recover comes before every stream is collected, in a run that only recovers, too. When
	// it fails, the stream is not collected.
	Recover() error
	// Collect comes in the stream's turn.
	Collect() error
	// Close comes behind every stream, unless Recover or Collect failed.
	Close() error
}

// DetailLane is a Lane with a tally of its problems.
type DetailLane struct {
	Details *sdk.Details
	Tally   *problems.Tally
	Walk    func() error // lists the details, and has Details walk them
	Save    func() error // comes behind the end of Details; nil: nothing is left to save
}

// Recover implements Lane.
func (l *DetailLane) Recover() error { return l.Details.Recover() }

// Collect implements Lane.
func (l *DetailLane) Collect() error {
	err := l.Walk()
	if e := l.Tally.Report(); err == nil {
		err = e
	}
	return err
}

// Close implements Lane.
func (l *DetailLane) Close() error {
	err := l.Tally.Report()
	if err == nil {
		err = l.Details.Close()
	}
	if err == nil && l.Save != nil {
		err = l.Save()
	}
	return err
}
