package main

import (
	"strconv"

	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/jsonappend"
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

func (p *pull) locator() []byte {
	b := jsonappend.String(jsonappend.Name([]byte{'{'}, "id"), p.id)
	b = jsonappend.String(jsonappend.Name(b, "repository"), p.repo)
	b = jsonappend.Int(jsonappend.Name(b, "number"), p.number)
	b = jsonappend.Int(jsonappend.Name(b, "reactions"), p.reactions)
	if p.stateReason != "" {
		b = jsonappend.String(jsonappend.Name(b, "state_reason"), p.stateReason)
	}
	return append(b, '}')
}

// readLocator reads a locator from any writer.
func readLocator(text []byte) (pull, bool) {
	v, err := jsonvalue.Parse(text)
	if err != nil {
		return pull{}, false
	}
	p := pull{
		id: v.Get("id").Str(), repo: v.Get("repository").Str(), number: v.Get("number").Int(),
		reactions: v.Get("reactions").Int(), stateReason: v.Get("state_reason").Str(),
	}
	return p, plainID(p.id) && isRepository(p.repo) && p.number > 0
}

// request asks for the detail.
func (l *pullLane) request(d sdk.Detail) (sdk.Request, error) {
	p, ok := readLocator(d.Locator)
	if !ok || len(d.Key) != 1 || d.Key[0] != p.id {
		return sdk.Request{}, errLocator
	}
	l.asked++
	url := l.r.c.base + "/repos/" + p.repo + "/pulls/" + strconv.FormatInt(p.number, 10)
	return l.r.c.request(url, mediaJSON, ""), nil
}

// record emits the record of a detail. A pull request that was deleted, or that the
// token may no longer see, becomes a tombstone: asking again gains nothing.
func (l *pullLane) record(d sdk.Detail, resp *sdk.Response) error {
	p, ok := readLocator(d.Locator)
	if !ok {
		return errLocator
	}
	if resp.Status == statusNotFound || resp.Status == statusGone {
		return l.r.h.Delete(streamPulls, p.id)
	}
	if err := l.r.c.check(resp); err != nil {
		return err
	}
	v, err := resp.JSON()
	if err != nil || !pullRecord(&l.builder, v, &p) {
		l.builder.dropRow(p.id)
		return errDetail
	}
	if err := l.r.h.EmitRaw(streamPulls, p.id, l.builder.data()); err != nil {
		return err
	}
	return l.r.h.Progress("reading "+strconv.Itoa(l.asked)+" pull requests", -1, -1, "")
}

// laneError is an error that makes a gap of one detail.
type laneError string

func (e laneError) Error() string { return string(e) }

const (
	errLocator laneError = "the locator of a gap was not written by this connector"
	errDetail  laneError = "the detail of a pull request does not have the documented form"
)
