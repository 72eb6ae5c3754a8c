package call

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"math"
	"slices"
	"strings"
	"unicode/utf16"
)

// forms are the texts to find in a window: see needlesOf.
type forms struct {
	needles           []needle
	shortest, longest int // needles, in bytes

	// A needle has gramSize bytes at each of its first step positions in grams, and
	// the search inspects one of these positions. filter has a bit for each.
	step   int
	grams  map[uint32][]place
	filter [1 << 10]uint64
}

type place struct{ needle, at int }

const (
	gramSize = 4
	maxStep  = 16
)

func gramAt(text []byte, at int) uint32 { return binary.LittleEndian.Uint32(text[at:]) }

// hash spreads a gram over the bits of the filter (Knuth, 6.4).
func hash(gram uint32) uint32 { return gram * 2654435761 >> 16 }

func newForms(secrets []string) *forms {
	f := &forms{grams: make(map[uint32][]place), shortest: math.MaxInt}
	for _, secret := range secrets {
		for _, n := range needlesOf(secret) {
			if len(n.text) >= shortest && !slices.ContainsFunc(f.needles, func(m needle) bool { return bytes.Equal(m.text, n.text) }) {
				f.needles = append(f.needles, n)
				f.shortest, f.longest = min(f.shortest, len(n.text)), max(f.longest, len(n.text))
			}
		}
	}
	f.step = min(maxStep, f.shortest-gramSize+1)
	for i, n := range f.needles {
		for at := range f.step {
			gram := gramAt(n.text, at)
			f.grams[gram] = append(f.grams[gram], place{i, at})
			h := hash(gram)
			f.filter[h>>6] |= 1 << (h & 63)
		}
	}
	return f
}

// needle is one form of a secret. before and after report that the adjacent base64
// character also holds some bits of the secret.
type needle struct {
	text          []byte
	before, after bool
}

// alphabet are the characters of base64 and base64url, folded.
const alphabet = "abcdefghijklmnopqrstuvwxyz0123456789+/-_"

// needlesOf returns the forms of a secret that remain after a window has decoded
// everything that it can.
func needlesOf(secret string) []needle {
	var all []needle
	add := func(text string, before, after bool) {
		for depth := range nested + 1 { // a text in the secret that looks like an escape is decoded as well, or is not
			var w window
			w.read([]byte(text), 0, len(text), depth)
			all = append(all, needle{w.text, before, after})
		}
	}
	for _, s := range []string{secret, strings.TrimRight(secret, "="), strings.ToLower(secret), strings.ToUpper(secret)} {
		add(s, false, false)
		add(strings.ReplaceAll(s, " ", "+"), false, false) // in a form
	}
	units := utf16.Encode([]rune(secret))
	for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
		var b []byte
		for _, u := range units {
			b = order.AppendUint16(b, u)
		}
		add(string(b), false, false)
	}
	add(hex.EncodeToString([]byte(secret)), false, false)
	for shift := range 3 { // number of bytes before the secret in its group of three
		in := append(make([]byte, shift), secret...)
		for _, e := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			text := e.EncodeToString(in)
			text = text[(shift*8+5)/6:]
			after := len(in)%3 != 0
			if after {
				text = text[:len(text)-1]
			}
			add(text, shift > 0, after)
		}
	}
	return all
}
