package link

import (
	"io/fs"
	"time"
)

// Call names a host call that carries one payload and answers a result code.
type Call uint8

// The calls, by their names in abi.Calls.
const (
	Manifest Call = iota
	Emit
	State
	Gap
	Coverage
	Skip
	Progress
	Done
	Enumerate
	Account
)

// Names lists the name of each Call.
var Names = [...]string{"manifest", "emit", "state", "gap", "coverage", "skip", "progress", "done", "enumerate", "account"}

// Link carries host calls. The results are those of abi.Calls. A payload belongs to the
// caller again when the call returns. Calls come one at a time.
type Link interface {
	Call(c Call, payload []byte) int32
	Log(level int32, text []byte)
	Submit(op int32, request []byte) int32
	Wait(timeoutMS int32) int64
	Read(handle int32, dst []byte) int32
	LastError(dst []byte) int32
}

// Native is a Link outside a guest. It also supplies the files and the clock that a
// guest gets from WASI.
type Native interface {
	Link
	// Mount returns the folder granted under name, nil without one.
	Mount(name string) fs.FS
	Clock() time.Time
}
