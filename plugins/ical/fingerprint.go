package main

import (
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

// hashID hashes parts, each closed by a byte that no line of a file can hold.
func hashID(buf []byte, parts ...string) (eventID, []byte) {
	buf = buf[:0]
	for _, p := range parts {
		buf = append(append(buf, p...), '\n')
	}
	sum := sha256.Sum256(buf)
	return eventID(sum[:12]), buf
}

// After FNV-1a, 64 bits: it detects change, it does not defend against anybody.
const (
	fnvOffset = 14695981039346656037
	fnvPrime  = 1099511628211
)

// fnv takes eight bytes a step where it can: a guest pays for every step of a
// loop.
func fnv(sum uint64, b []byte) uint64 {
	for ; len(b) >= 8; b = b[8:] {
		v := uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
			uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
		sum = (sum ^ v) * fnvPrime
		sum ^= sum >> 29
	}
	for _, c := range b {
		sum = (sum ^ uint64(c)) * fnvPrime
	}
	return sum
}

func fnvString(sum uint64, s string) uint64 {
	for i := range len(s) {
		sum = (sum ^ uint64(s[i])) * fnvPrime
	}
	return (sum ^ '\n') * fnvPrime
}

// mix spreads a hash, so that sums of hashes do not cancel out.
func mix(h uint64) uint64 {
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	return h ^ h>>31
}

// fingerprintMask keeps the 48 bits that a cursor has room for. 0 stands for
// "cancelled, tombstone sent".
const fingerprintMask = 1<<48 - 1

// printForgotten stands for "emitted, emit it again". No event has it.
const printForgotten = 1

// formatSeed is part of every fingerprint. Change it when records are built
// differently, so that the next run emits them anew.
const formatSeed = 2
