package main

import "github.com/pdpp-host/pdpp-host/sdk/sha256"

// eventID identifies an event within the store: the front of a SHA-256, shown
// as 24 hex digits.
type eventID [12]byte

func (id eventID) String() string { return sha256.Hex(id[:]) }

// hashID hashes parts, each closed by a byte that no line of a file can contain.
func hashID(buf []byte, parts ...string) (eventID, []byte) {
	buf = buf[:0]
	for _, p := range parts {
		buf = append(append(buf, p...), '\n')
	}
	sum := sha256.Sum256(buf)
	return eventID(sum[:12]), buf
}
