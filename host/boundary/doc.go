// Package boundary is the one door between a guest and the rest of the host: bytes
// from a guest go in, accepted messages or one typed violation come out (Invariant 3).
//
// A record is checked against these rules, in this order: size; syntax; envelope;
// stream in START's scope; key built from the manifest's primary_key and equal to the
// data's; resources filter; time_range; fields; the stream's schema; op "delete" only
// on mutable streams. A violation is an *abi.Error and ends the run. A record that
// fails its schema is a rejected record, which the caller counts and leaves out.
// Neither ever carries a value of the data; only the resources filter names the
// record's key, as RT-05.1 asks.
//
// The other messages (STATE, DETAIL_GAP, DETAIL_COVERAGE, SKIP_RESULT, PROGRESS,
// INTERACTION, DONE) are read with the same strictness: exact names, no duplicates,
// valid UTF-8. Names that a message does not define are ignored, except in DONE, in a
// recovery hint and in a slice.
//
// host/run calls the Gate with the bytes from host/plugin, checks the order of
// messages and the sums over a run (DONE's count, one coverage a lane), and stores the
// result. The JSON reader is in internal/tape, schema validation in internal/schema.
package boundary
