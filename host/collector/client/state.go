package client

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

// State reads the cursors that the host has committed, a page after another, and the
// manifest that it holds records against.
func (l *Lane) State(ctx context.Context) (*device.State, error) {
	all, err := l.StatePage(ctx, "")
	if err != nil {
		return nil, err
	}
	held := sizeOf(all)
	for all.Next != "" {
		page, err := l.StatePage(ctx, all.Next)
		if err != nil {
			return nil, err
		}
		held += sizeOf(page)
		switch {
		case page.ConnectorInstanceID != all.ConnectorInstanceID:
			return nil, Unbelievable("its pages are of two connections")
		case held > maxStateTotal || len(all.State)+len(page.State) > maxStateStreams:
			return nil, Unbelievable("it holds more cursors than a lane may have")
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

// StatePage reads the cursors behind a stream, "" for the first ones. A host that
// knows no pages says all at once.
func (l *Lane) StatePage(ctx context.Context, after string) (*device.State, error) {
	var out device.State
	path := device.PathStateAfter(l.Profile.DeviceID, l.Profile.SourceInstanceID, after)
	if err := l.Client.do(ctx, call{method: http.MethodGet, path: path, most: maxStateAnswer, into: &out}); err != nil {
		return nil, err
	}
	switch {
	case out.SourceInstanceID != l.Profile.SourceInstanceID || out.DeviceID != l.Profile.DeviceID:
		return nil, Unbelievable("it is of another source instance")
	case out.ConnectorInstanceID == "":
		return nil, Unbelievable("it does not name the connection")
	case out.Next != "" && (out.Next <= after || len(out.State) == 0):
		return nil, Unbelievable("its pages lead nowhere")
	}
	for _, cursor := range out.State {
		switch text := TrimJSON(cursor); {
		case len(text) > abi.MaxStateBytes:
			return nil, Unbelievable("a cursor is larger than one may be")
		case string(text) != "null" && !bytes.HasPrefix(text, []byte("{")):
			return nil, Unbelievable("a cursor is no object")
		}
	}
	return &out, nil
}
