// Package guest runs one WebAssembly module under wazero: it compiles it,
// links the host calls of package abi, WASI and (for an Extism guest) the
// Extism environment, instantiates it, and classifies how it ended.
//
// It is the same code in the worker process and in inline mode; what differs
// is the Sink that the calls end in. It knows no frames, no process and no
// policy beyond the call table: pointers, lengths, phases and handles are
// checked here, next to the guest's memory; budgets for log and output, the
// grant and the deadline are the host's, in host/plugin. Bytes come in from the
// guest's memory; they leave through the Sink; answers come back through
// Session.Answer.
package guest
