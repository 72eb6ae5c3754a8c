package main

import (
	"github.com/pdpp-host/pdpp-host/sdk/fingerprint"
	"github.com/pdpp-host/pdpp-host/sdk/sha256"
)

// eventID identifies an event within the store: the front of a SHA-256, shown
// as 24 hex digits.
type eventID [12]byte

const hexDigits = "0123456789abcdef"

func (id eventID) String() string {
	out := make([]byte, 0, 2*len(id))
	for _, b := range id {
		out = append(out, hexDigits[b>>4], hexDigits[b&15])
	}
	return string(out)
}

// hashID hashes parts, each closed by a byte that no line of a file can contain.
func hashID(buf []byte, parts ...string) (eventID, []byte) {
	buf = buf[:0]
	for _, p := range parts {
		buf = append(append(buf, p...), '\n')
	}
	sum := sha256.Sum256(buf)
	return eventID(sum[:12]), buf
}

// sumLine adds a text and closes it by a byte that no line of a file can contain.
func sumLine(sum uint64, s string) uint64 { return fingerprint.Step(fingerprint.Text(sum, s), '\n') }

// printMask keeps the 48 bits that a cursor has room for. 0 means "cancelled, tombstone
// sent".
const printMask = fingerprint.Mask48

// printForgotten means "emitted, emit it again". No event has it.
const printForgotten = 1

// formatSeed is part of every fingerprint. Change it when records are built
// differently, so that the next run emits them anew.
const formatSeed = 2
