package device

import (
	"encoding/hex"
	"io"
)

// Prefixes of a device's secrets, so that a leaked one can be recognized.
const (
	TokenPrefix = "ldt" // a device's credential
	CodePrefix  = "lde" // an enrollment code
)

// With secretBytes of randomness a guess is hopeless, so storing a fast hash is
// enough.
const secretBytes = 32

// NewToken makes a device's credential from 256 random bits.
func NewToken(random io.Reader) (string, error) { return newSecret(TokenPrefix, random) }

// NewCode makes an enrollment code from 256 random bits.
func NewCode(random io.Reader) (string, error) { return newSecret(CodePrefix, random) }

func newSecret(prefix string, random io.Reader) (string, error) {
	var b [secretBytes]byte
	if _, err := io.ReadFull(random, b[:]); err != nil {
		return "", err
	}
	return prefix + hex.EncodeToString(b[:]), nil
}

// SecretHash returns the stored form of a token or a code: the lower-case hexadecimal
// SHA-256 of its text.
func SecretHash(secret string) string { return Sum256([]byte(secret)) }

// IsSecret reports whether a text has the form of a token or a code, by its prefix.
// Any other text is refused without a lookup.
func IsSecret(prefix, text string) bool {
	if len(text) != len(prefix)+2*secretBytes || text[:len(prefix)] != prefix {
		return false
	}
	for _, c := range []byte(text[len(prefix):]) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}
