// Package guest runs one WebAssembly module under wazero: it compiles it, links the
// host calls of package abi, WASI and (for an Extism guest) the Extism environment,
// instantiates it, and classifies its end.
//
// The worker process and inline mode run the same code and differ in their Sink, which
// receives the calls. The package knows no frames, no process and no policy beyond the
// call table: it checks pointers, lengths, phases and handles, next to the guest's
// memory; host/plugin handles budgets for log and output, the grant and the deadline.
// Bytes come from the guest's memory and leave through the Sink; answers return
// through Session.Answer.
package guest
