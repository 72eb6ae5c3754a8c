package main

import "github.com/pdpp-host/pdpp-host/sdk/sha256"

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

// fingerprint is FNV-1a over the parts, each closed, finished by a
// mixer and cut to 48 bits so that JSON holds it exactly. It detects change and
// defends against nobody.
type fingerprint uint64

// formatSeed changes when records are built differently, so that the next run
// emits them anew.
const formatSeed fingerprint = 14695981039346656037 + 1

func (p fingerprint) add(s string) fingerprint {
	sum := p
	for i := range len(s) {
		sum = (sum ^ fingerprint(s[i])) * 1099511628211
	}
	return (sum ^ 0x1ff) * 1099511628211
}

func (p fingerprint) sum() int64 {
	mixed := (p ^ p>>30) * 0xbf58476d1ce4e5b9
	mixed = (mixed ^ mixed>>27) * 0x94d049bb133111eb
	return int64((mixed^mixed>>31)&(1<<48-1)) | 1 // never 0: that is no fingerprint
}
