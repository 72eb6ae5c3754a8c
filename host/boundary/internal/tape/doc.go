// Package tape is the boundary's reader of JSON: one strict pass over a text produces
// a flat list of nodes (the tape), in the order of the text, without an allocation
// once the tape has grown.
//
// Strict means RFC 8259 without latitude, as RFC 7493 (I-JSON) advises: valid UTF-8,
// no lone surrogate escapes, no duplicate member names (compared as decoded), a bound
// on nesting and on the number of values.
//
// The text comes from a guest and is hostile. This package gives values no meaning:
// host/boundary reads envelopes from the tape, and host/boundary/internal/schema
// validates over it. Nothing here is safe for concurrent use.
package tape
