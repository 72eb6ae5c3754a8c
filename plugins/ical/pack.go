package main

import "slices"

// The cursor contains a file's events as the base64 of (id, fingerprint) pairs in order
// of id: 24 characters an event. When that is too much, only the ids stay (16
// characters), which is enough to notice a deleted event.
const (
	idBytes    = 12
	printBytes = 6
)

const base64Digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

// appendBase64 appends b, whose length is a multiple of 3. encoding/base64 is
// not used: it imports reflect.
func appendBase64(dst, b []byte) []byte {
	for ; len(b) >= 3; b = b[3:] {
		v := uint(b[0])<<16 | uint(b[1])<<8 | uint(b[2])
		dst = append(dst, base64Digits[v>>18&63], base64Digits[v>>12&63], base64Digits[v>>6&63], base64Digits[v&63])
	}
	return dst
}

// decodeBase64 returns nil for a text that appendBase64 did not write.
func decodeBase64(s string) []byte {
	if len(s)%4 != 0 {
		return nil
	}
	out := make([]byte, 0, len(s)/4*3)
	for i := 0; i < len(s); i += 4 {
		v := uint(0)
		for j := range 4 {
			d := base64Value(s[i+j])
			if d < 0 {
				return nil
			}
			v = v<<6 | uint(d)
		}
		out = append(out, byte(v>>16), byte(v>>8), byte(v))
	}
	return out
}

func base64Value(c byte) int {
	switch {
	case c >= 'A' && c <= 'Z':
		return int(c - 'A')
	case c >= 'a' && c <= 'z':
		return int(c-'a') + 26
	case c >= '0' && c <= '9':
		return int(c-'0') + 52
	case c == '-':
		return 62
	case c == '_':
		return 63
	}
	return -1
}

// pack encodes entries, with or without their fingerprints.
func pack(entries map[eventID]entry, prints bool) string {
	ids := make([]eventID, 0, len(entries))
	for id := range entries {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(a, b eventID) int {
		for i := range a {
			if a[i] != b[i] {
				return int(a[i]) - int(b[i])
			}
		}
		return 0
	})
	raw := make([]byte, 0, len(ids)*(idBytes+printBytes))
	for _, id := range ids {
		p := entries[id].fingerprint
		if !prints && p == 0 {
			continue // no event of it is stored
		}
		raw = append(raw, id[:]...)
		if prints {
			raw = append(raw, byte(p>>40), byte(p>>32), byte(p>>24), byte(p>>16), byte(p>>8), byte(p))
		}
	}
	return string(appendBase64(make([]byte, 0, len(raw)/3*4), raw))
}

// unpack decodes the output of pack. An event without a known fingerprint gets
// unknownPrint, which equals no real one.
func unpack(text string, prints bool) (map[eventID]uint64, bool) {
	raw, size := decodeBase64(text), idBytes
	if prints {
		size += printBytes
	}
	if raw == nil && text != "" || len(raw)%size != 0 {
		return nil, false
	}
	known := make(map[eventID]uint64, len(raw)/size)
	for ; len(raw) > 0; raw = raw[size:] {
		p := uint64(unknownPrint)
		if prints {
			p = 0
			for _, b := range raw[idBytes:size] {
				p = p<<8 | uint64(b)
			}
		}
		known[eventID(raw[:idBytes])] = p
	}
	return known, true
}

const unknownPrint = 1 << 60

// forgetPrints replaces every fingerprint of a packed text with printForgotten.
// Cancelled events stay cancelled. A text that pack did not write stays as it is.
func forgetPrints(packed string) string {
	raw := decodeBase64(packed)
	if raw == nil || len(raw)%(idBytes+printBytes) != 0 {
		return packed
	}
	for rest := raw; len(rest) > 0; rest = rest[idBytes+printBytes:] {
		sum := rest[idBytes : idBytes+printBytes]
		cancelled := true
		for _, b := range sum {
			cancelled = cancelled && b == 0
		}
		if cancelled {
			continue
		}
		for i := range sum {
			sum[i] = 0
		}
		sum[printBytes-1] = printForgotten
	}
	return string(appendBase64(make([]byte, 0, len(packed)), raw))
}

// dropPrints turns a packed text with fingerprints into one without.
func dropPrints(text string) string {
	raw := decodeBase64(text)
	kept := raw[:0]
	for ; len(raw) >= idBytes+printBytes; raw = raw[idBytes+printBytes:] {
		cancelled := true
		for _, b := range raw[idBytes : idBytes+printBytes] {
			cancelled = cancelled && b == 0
		}
		if !cancelled {
			kept = append(kept, raw[:idBytes]...)
		}
	}
	return string(appendBase64(nil, kept))
}
