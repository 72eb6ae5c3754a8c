package collector

import (
	"bytes"
	"context"
	"maps"
	"net/http"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/device"
)

// How many cursors a lane may have, and how much they may be together, which is
// what a connector's memory holds unless somebody grants it more. One of them is
// bounded by abi.MaxStateBytes.
const (
	maxStateStreams = 10_000
	maxStateTotal   = 256 << 20
)

// state reads the cursors that the host has committed, a page after another, and the
// manifest that it holds records against.
func (l *lane) state(ctx context.Context) (*device.State, error) {
	all, err := l.statePage(ctx, "")
	if err != nil {
		return nil, err
	}
	held := sizeOf(all)
	for all.Next != "" {
		page, err := l.statePage(ctx, all.Next)
		if err != nil {
			return nil, err
		}
		held += sizeOf(page)
		switch {
		case page.ConnectorInstanceID != all.ConnectorInstanceID:
			return nil, unbelievable("its pages are of two connections")
		case held > maxStateTotal || len(all.State)+len(page.State) > maxStateStreams:
			return nil, unbelievable("it holds more cursors than a lane may have")
		}
		maps.Copy(all.State, page.State)
		all.Next = page.Next
	}
	return all, nil
}

func sizeOf(s *device.State) (n int) {
	for _, cursor := range s.State {
		n += len(cursor)
	}
	return n
}

// statePage reads the cursors behind a stream, "" for the first ones. A host that
// knows no pages says all at once.
func (l *lane) statePage(ctx context.Context, after string) (*device.State, error) {
	var out device.State
	path := device.PathStateAfter(l.p.DeviceID, l.p.SourceInstanceID, after)
	if err := l.client.do(ctx, call{method: http.MethodGet, path: path, most: maxStateAnswer, into: &out}); err != nil {
		return nil, err
	}
	switch {
	case out.SourceInstanceID != l.p.SourceInstanceID || out.DeviceID != l.p.DeviceID:
		return nil, unbelievable("it is of another source instance")
	case out.ConnectorInstanceID == "":
		return nil, unbelievable("it does not name the connection")
	case out.Next != "" && (out.Next <= after || len(out.State) == 0):
		return nil, unbelievable("its pages lead nowhere")
	}
	for _, cursor := range out.State {
		switch text := bare(cursor); {
		case len(text) > abi.MaxStateBytes:
			return nil, unbelievable("a cursor is larger than one may be")
		case string(text) != "null" && !bytes.HasPrefix(text, []byte("{")):
			return nil, unbelievable("a cursor is no object")
		}
	}
	return &out, nil
}
