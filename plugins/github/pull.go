package main

import (
	"errors"
	"strconv"

	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/api"
	"github.com/pdpp-host/pdpp-host/sdk/cursor"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

// pull is a pull request as the search lists it: the place of its detail, and the
// fields that the detail lacks. It is the locator of a gap.
type pull struct {
	id          string // of the issue that it also is: the list has no other
	repo        string // OWNER/NAME
	number      int64
	reactions   int64
	stateReason string
}

// Members implements cursor.Value.
func (p *pull) Members(m *cursor.Members) {
	m.Text("id", &p.id)
	m.Text("repository", &p.repo)
	m.Int("number", &p.number)
	m.Int("reactions", &p.reactions)
	m.Text("state_reason", &p.stateReason)
}

func (p *pull) locator() []byte { return cursor.Encode(version, sdk.Account{}, p) }

// readLocator reads a locator from any writer.
func readLocator(text []byte) (p pull, ok bool) {
	v, err := jsonvalue.Parse(text)
	if err != nil {
		return p, false
	}
	cursor.Fill(v, &p)
	return p, api.PlainID(p.id) && isRepository(p.repo) && p.number > 0
}

// request asks for the detail.
func (l *pullLane) request(d sdk.Detail) (sdk.Request, error) {
	p, ok := readLocator(d.Locator)
	if !ok || len(d.Key) != 1 || d.Key[0] != p.id {
		return sdk.Request{}, errLocator
	}
	l.asked++
	return l.r.request("/repos/"+p.repo+"/pulls/"+strconv.FormatInt(p.number, 10), mediaJSON, ""), nil
}

// record emits the record of a detail. A pull request that the search lists and that is not found
// is a gap: a provider in trouble says 404 of all of them, and the host gives up one that is
// refused twice.
func (l *pullLane) record(d sdk.Detail, resp *sdk.Response) error {
	p, ok := readLocator(d.Locator)
	if !ok {
		return errLocator
	}
	if err := l.r.Check(resp); err != nil {
		return err
	}
	rec := l.r.Record(streamPulls)
	v, err := resp.JSON()
	if err != nil || !pullRecord(rec, v, &p) {
		l.tally.Note(unreadable, p.id)
		return errDetail
	}
	if err := rec.Emit(); err != nil {
		return err
	}
	return l.r.Progress("reading "+strconv.Itoa(l.asked)+" pull requests", -1, -1, "")
}

// Errors that make a gap of one detail.
var (
	errLocator = errors.New("the locator of a gap was not written by this connector")
	errDetail  = errors.New("the detail of a pull request does not have the documented form")
)
