package access

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"io"

	"github.com/pdpp-host/pdpp-host/abi"
)

// secretBytes is the size of a secret: 256 bits need no salt (RD-48.3).
const secretBytes = 32

// newSecret returns a secret of 43 characters.
func newSecret(random io.Reader) (string, error) {
	b, err := some(random, secretBytes)
	return base64.RawURLEncoding.EncodeToString(b), err
}

// newID returns the id of a session or a token, which is no secret.
func newID(random io.Reader, prefix string) (string, error) {
	b, err := some(random, 8)
	return prefix + hex.EncodeToString(b), err
}

func some(random io.Reader, n int) ([]byte, error) {
	b := make([]byte, n)
	if _, err := io.ReadFull(random, b); err != nil {
		return nil, abi.NewError(abi.CodeInternal, "no secret could be made: the system gives no random numbers", "try again").Wrap(err)
	}
	return b, nil
}

// hashOf is how the store knows a secret.
func hashOf(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}
