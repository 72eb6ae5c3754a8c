package device

import (
	"encoding/hex"
	"io"
)

// What a device's secrets start with, so that one that leaked is known for what
// it is.
const (
	TokenPrefix = "ldt" // a device's credential
	CodePrefix  = "lde" // an enrollment code
)

// secretBytes makes guessing hopeless, and a slow hash at rest needless.
const secretBytes = 32

// NewToken makes a device's credential out of 256 random bits.
func NewToken(random io.Reader) (string, error) { return newSecret(TokenPrefix, random) }

// NewCode makes an enrollment code out of 256 random bits.
func NewCode(random io.Reader) (string, error) { return newSecret(CodePrefix, random) }

func newSecret(prefix string, random io.Reader) (string, error) {
	var b [secretBytes]byte
	if _, err := io.ReadFull(random, b[:]); err != nil {
		return "", err
	}
	return prefix + hex.EncodeToString(b[:]), nil
}

// SecretHash is what is kept of a token or a code: the lower-case hexadecimal
// SHA-256 of its text.
func SecretHash(secret string) string { return hexSum([]byte(secret)) }

// IsSecret reports whether a text has the form of a token or a code, by its
// prefix. What has not is refused without being looked for.
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
