package main

import (
	"github.com/pdpp-host/pdpp-host/sdk/fingerprint"
	"github.com/pdpp-host/pdpp-host/sdk/sha256"
)

const hexDigits = "0123456789abcdef"

func hexText(b []byte) string {
	out := make([]byte, 0, 2*len(b))
	for _, c := range b {
		out = append(out, hexDigits[c>>4], hexDigits[c&15])
	}
	return string(out)
}

func sha256Hex(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hexText(sum[:])
}

// partsSum is a sum over parts, each closed, cut to 48 bits so that JSON keeps it
// exactly. It detects change and defends against nobody.
type partsSum uint64

// formatSeed changes when records are built differently, so that the next run
// emits them anew.
const formatSeed = partsSum(fingerprint.Start + 1)

// partEnd closes a part. It is no byte's value.
const partEnd = 0x1ff

func (p partsSum) add(s string) partsSum {
	return partsSum(fingerprint.Step(fingerprint.Text(uint64(p), s), partEnd))
}

func (p partsSum) sum() int64 {
	return int64(fingerprint.Mix(uint64(p))&fingerprint.Mask48) | 1 // never 0: that is no fingerprint
}
