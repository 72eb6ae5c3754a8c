package vault

import (
	"encoding/binary"

	"github.com/pdpp-host/pdpp-host/abi"
)

// The envelope is the plaintext: the version, the connection, the field and the
// secret, each after its length, then zeros up to a multiple of padTo. The padding
// hides a password's length from readers of the ciphertext.
const (
	envelopeVersion = 1
	padTo           = 256
	maxName         = 1 << 10
)

func pack(connectionID, field string, value []byte) ([]byte, error) {
	if connectionID == "" || field == "" || len(connectionID) > maxName || len(field) > maxName {
		return nil, abi.NewError(CodeValueInvalid, "the connection or the field of a secret is missing or too long", "check the field's name")
	}
	size := 1 + 2 + len(connectionID) + 2 + len(field) + 4 + len(value)
	text := make([]byte, 0, (size+padTo-1)/padTo*padTo)
	text = append(text, envelopeVersion)
	text = binary.BigEndian.AppendUint16(text, uint16(len(connectionID))) //nolint:gosec // at most maxName
	text = append(text, connectionID...)
	text = binary.BigEndian.AppendUint16(text, uint16(len(field))) //nolint:gosec // at most maxName
	text = append(text, field...)
	text = binary.BigEndian.AppendUint32(text, uint32(len(value))) //nolint:gosec // at most MaxValue
	text = append(text, value...)
	return text[:cap(text)], nil // make zeroed the rest
}

// unpack is the inverse of pack. The value is a part of text.
func unpack(text []byte) (connectionID, field string, value []byte, ok bool) {
	if len(text) == 0 || len(text)%padTo != 0 || text[0] != envelopeVersion {
		return "", "", nil, false
	}
	c, rest, ok1 := part(text[1:], 2)
	f, rest, ok2 := part(rest, 2)
	value, rest, ok3 := part(rest, 4)
	if !ok1 || !ok2 || !ok3 || len(rest) >= padTo {
		return "", "", nil, false
	}
	for _, b := range rest {
		if b != 0 {
			return "", "", nil, false
		}
	}
	return string(c), string(f), value, len(c) > 0 && len(f) > 0 && len(value) > 0
}

// part cuts off a length of width bytes and that many bytes after it.
func part(text []byte, width int) (head, rest []byte, ok bool) {
	if len(text) < width {
		return nil, nil, false
	}
	n := uint64(0)
	for _, b := range text[:width] {
		n = n<<8 | uint64(b)
	}
	text = text[width:]
	if n > uint64(len(text)) {
		return nil, nil, false
	}
	return text[:n], text[n:], true
}
