package swar

import (
	"bytes"
	"testing"
)

// Every byte, at every place of a word, behind and before every other kind.
func TestPrefixes(t *testing.T) {
	t.Parallel()
	for _, around := range []byte{' ', '!', '#', '[', ']', '~', 0x7F, 0xFF, 0x80, 0xA2, 0x09, '"', '\\'} {
		for c := range 256 {
			for at := range 20 {
				s := bytes.Repeat([]byte{around}, 20)
				s[at] = byte(c)
				check(t, s)
			}
		}
	}
}

func FuzzPrefixes(f *testing.F) {
	f.Add([]byte("0123456\"\\\n\xff"))
	f.Fuzz(func(t *testing.T, s []byte) { check(t, s) })
}

func check(t *testing.T, s []byte) {
	t.Helper()
	plain, quoted, ascii := 0, 0, true
	for plain < len(s) && s[plain] >= ' ' && s[plain] != '"' && s[plain] != '\\' && s[plain] < 0x80 {
		plain++
	}
	for quoted < len(s) && s[quoted] >= ' ' && s[quoted] != '"' && s[quoted] != '\\' {
		ascii = ascii && s[quoted] < 0x80
		quoted++
	}
	if got := PlainPrefix(s); got != plain {
		t.Fatalf("PlainPrefix(%q) is %d, want %d", s, got, plain)
	}
	if n, a := QuotedPrefix(s); n != quoted || a != ascii {
		t.Fatalf("QuotedPrefix(%q) is %d, %v, want %d, %v", s, n, a, quoted, ascii)
	}
	if got := HasNewline(s); got != bytes.Contains(s, []byte("\n")) {
		t.Fatalf("HasNewline(%q) is %v, want %v", s, got, bytes.Contains(s, []byte("\n")))
	}
}
