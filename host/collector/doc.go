// Package collector is the local collector: it runs a connector on the machine
// that holds the data, keeps what came out in a lane's outbox, and delivers it to
// the owner's host (collector contract, sections 3, 5, 6 and 7).
//
// It holds one execution from recovery to heartbeat, and what an owner asks of a lane:
// status, doctor, recover. Its rooms hold the profile of an enrolled lane, the client of the
// device API, and the delivery of what waits in the outbox. It does not hold a run of the
// connector (host/run), the outbox itself (storage, in lane mode), the protocol's words
// (abi/device), flags and terminals (cmd/pdpp-local-collector).
//
// Records come in through host/run and storage; batches, checkpoints, gaps,
// artifacts and ends of runs go out over HTTP, and only an acknowledgement that
// was read and held against what was sent counts as one. The device's token is
// sent to one host and stands nowhere else: not in an error, a log or a result.
package collector
