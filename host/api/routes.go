package api

import (
	"net/http"

	"github.com/pdpp-host/pdpp-host/abi/device"
)

// How large a body may be, in bytes.
const (
	smallBody = 1 << 20
	batchBody = 8 << 20
	blobBody  = 8 << 20
	stateBody = 9 << 20 // one cursor of abi.MaxStateBytes and what encloses it
	// A run's end holds the cursors of all its streams.
	commitBody   = 16 << 20
	enrollBody   = 4 << 10
	manifestBody = 2 << 20 // a manifest of abi.MaxManifestBytes, spelled with escapes
)

// access is who may call a route.
type access int

const (
	anybody     access = iota // who has a code
	aDevice                   // the credential of the path's device
	aSource                   // that, and the path's source is the device's
	unreachable               // nobody: the route only refuses
)

// route is one method of one path.
type route struct {
	method, path string
	access       access
	status       int   // of a success
	limit        int64 // of the body; 0: none is read
	heavy        bool  // its body costs memory many times its size
	bare         bool  // the body is bytes, not JSON
	beside       bool  // refused, it holds no records up
	do           func(*call) (any, error)
}

// routes is the contract's table without the owner's rows.
func (a *API) routes() []route {
	const (
		ofDevice = device.Prefix + "/{device}"
		ofSource = ofDevice + "/source-instances/{source}"
		created  = http.StatusCreated
		ok       = http.StatusOK
	)
	return []route{
		{method: http.MethodPost, path: device.PathEnroll, access: anybody, status: created, limit: enrollBody, do: a.enroll},
		{method: http.MethodPost, path: ofDevice + "/heartbeat", access: aDevice, status: ok, limit: smallBody, do: a.heartbeat},
		{method: http.MethodPost, path: ofDevice + "/ingest-batches", access: aDevice, status: created, limit: batchBody, heavy: true, do: a.ingest},
		{method: http.MethodPost, path: ofDevice + "/self-revoke", access: aDevice, status: ok, do: a.selfRevoke},
		{method: http.MethodGet, path: ofSource + "/state", access: aSource, status: ok, do: a.readState},
		{method: http.MethodPut, path: ofSource + "/state", access: aSource, status: ok, limit: stateBody, heavy: true, do: a.commitState},
		{method: http.MethodPut, path: ofSource + "/manifest", access: aSource, status: ok, limit: manifestBody, heavy: true, do: a.putManifest},
		{method: http.MethodPost, path: ofSource + "/local-collector-gaps", access: aSource, status: created, limit: smallBody, beside: true, do: a.putGap},
		{method: http.MethodPost, path: ofSource + "/local-collector-gaps/recovered", access: aSource, status: ok, limit: smallBody, beside: true, do: a.recoverGap},
		{method: http.MethodPost, path: ofSource + "/terminal-run-commits", access: aSource, status: ok, limit: commitBody, heavy: true, do: a.commitRun},
		{method: http.MethodPut, path: ofSource + "/blobs/{sha256}", access: aSource, status: ok, limit: blobBody, heavy: true, bare: true, beside: true, do: a.putBlob},
	}
}

// noRoute is every path that is none of the protocol's.
var noRoute = &route{access: unreachable, path: "none", do: func(*call) (any, error) {
	return nil, refuse(http.StatusNotFound, device.CodeNotFound, "there is nothing under this path")
}}

// wrongMethod is a path of the protocol with a method that it has not.
func wrongMethod(at, allowed string) *route {
	return &route{access: unreachable, path: at, do: func(c *call) (any, error) {
		c.w.Header().Set("Allow", allowed)
		return nil, refuse(http.StatusMethodNotAllowed, device.CodeBadRequest, "this path takes "+allowed)
	}}
}
