package assembly

import (
	"fmt"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/testplugins/assembly/binary"
)

// The functions of a Connector, as indexes into Funcs.
const (
	Initialize = iota
	Version
	Describe
	Collect
	Own // the first that a test adds
)

const pageBytes = 64 << 10

// Connector is a connector that hands over manifest and whose collect runs body
// and returns 0. It imports every host call and proc_exit; the manifest lies at
// 0 of its memory, and texts behind it (see At).
func Connector(manifest string, body []byte, texts ...string) *Module {
	data := []byte(manifest)
	for _, s := range texts {
		data = append(data, s...)
	}
	m := &Module{
		Funcs: []Func{
			{},
			{Results: "i", Body: I32(abi.Version)},
			{Results: "i", Body: Code(Zero, I32(int64(len(manifest))), Call("manifest"), Drop, Zero)},
			{Results: "i", Body: Code(body, Zero), Locals: 2},
		},
		Exports: []Export{
			{Name: abi.ExportMemory, Memory: true},
			{Name: abi.ExportInitialize, At: Initialize},
			{Name: abi.ExportVersion, At: Version},
			{Name: abi.ExportDescribe, At: Describe},
			{Name: abi.ExportCollect, At: Collect},
		},
		Memory: uint32(len(data)/pageBytes) + 1,
		Data:   data,
	}
	for _, c := range abi.Calls {
		m.Imports = append(m.Imports, Import{Module: abi.ImportModule, Name: c.Name, Params: binary.Letters(c.Params), Results: binary.Letters(c.Results)})
	}
	m.Imports = append(m.Imports, Import{Module: abi.WASIModule, Name: "proc_exit", Params: "i"})
	return m
}

// Call calls a host call by its name, or "proc_exit". It works only in a Connector
// whose Imports are unchanged.
func Call(name string) []byte {
	for i, c := range abi.Calls {
		if c.Name == name {
			return function(i)
		}
	}
	if name == "proc_exit" {
		return function(len(abi.Calls))
	}
	panic("assembly: no call " + name)
}

// CallOwn calls function n of a Connector's Funcs.
func CallOwn(n int) []byte { return function(len(abi.Calls) + 1 + n) }

// At pushes where text n of a Connector lies, and its length.
func At(manifest string, n int, texts ...string) []byte {
	at := len(manifest)
	for _, s := range texts[:n] {
		at += len(s)
	}
	return Code(I32(int64(at)), I32(int64(len(texts[n]))))
}

// ReadStart submits the start operation and waits for its answer.
func ReadStart() []byte {
	return Code(I32(int64(abi.OpStart)), Zero, Zero, Call("submit"), Drop, I32(-1), Call("wait"), Drop)
}

// Send makes a call with text n of a Connector and drops its result.
func Send(call, manifest string, n int, texts ...string) []byte {
	return Code(At(manifest, n, texts...), Call(call), Drop)
}

// Succeed is a DONE that succeeded after n records.
func Succeed(n int) string {
	return fmt.Sprintf(`{"type":"DONE","status":"succeeded","records_emitted":%d}`, n)
}
