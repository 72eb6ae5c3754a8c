package api

import (
	"net/http"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/storage"
)

// sourceOf returns a source of the credential's device. One that is another's and
// one that is nobody's look the same from outside.
func (a *API) sourceOf(c *call, id string) (*storage.SourceInstance, error) {
	if !isID(id) {
		return nil, notItsSource()
	}
	src, err := a.store.SourceInstance(c.r.Context(), c.device.ID, id)
	switch {
	case err != nil && hasCode(err, device.CodeNotFound):
		return nil, notItsSource()
	case err != nil:
		return nil, err
	case src.DeviceID != c.device.ID || !src.Active():
		return nil, notItsSource()
	}
	return src, nil
}

func notItsSource() error {
	return refuse(http.StatusForbidden, device.CodeForbidden, "the source instance is not this device's")
}

// bodyOf holds what a body says of its source to the source.
func bodyOf(src *storage.SourceInstance, sourceID, connector string) error {
	switch {
	case sourceID != src.ID:
		return wrong("source_instance_id", "is not the path's")
	case !abi.SameConnector(connector[strings.LastIndexByte(connector, '/')+1:], src.ConnectorID): // a connector's URL ends in its key
		return wrong("connector_id", "is not the one that the source was enrolled for")
	}
	return nil
}
