package desk

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"io"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
)

// tokenPrefix serves scanners for secrets, and never decides what a token is (RD-48.2).
const tokenPrefix = "pdpp_ct_" //nolint:gosec // the prefix of every token, and no secret

// tokenKey names the key of tokens in the store.
const tokenKey = "client_tokens" //nolint:gosec // the name of a key

// secretBytes is the size of a secret: 256 bits need no salt (RD-48.3).
const secretBytes = 32

func (d *Desk) some(n int) ([]byte, error) {
	b := make([]byte, n)
	if _, err := io.ReadFull(d.Random, b); err != nil {
		return nil, abi.NewError(abi.CodeInternal, "no secret could be made: the system gives no random numbers", "try again").Wrap(err)
	}
	return b, nil
}

// secret returns a secret of 43 characters.
func (d *Desk) secret() (string, error) {
	b, err := d.some(secretBytes)
	return base64.RawURLEncoding.EncodeToString(b), err
}

// id returns an id of 26 characters behind a prefix, which is no secret.
func (d *Desk) id(prefix string) (string, error) {
	b, err := d.some(16) //nolint:mnd // 128 bits
	return prefix + strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(b)), err
}

// codeLetters are those of a code that is read and compared: no vowel makes a word of it.
const codeLetters = "BCDFGHJKLMNPQRSTVWXZ"

// code returns what a client and its owner's page both show, as XXXX-XXXX.
func (d *Desk) code() (string, error) {
	const long = 8
	b, err := d.some(long)
	if err != nil {
		return "", err
	}
	for i := range b {
		b[i] = codeLetters[int(b[i])%len(codeLetters)] // it guards nothing
	}
	return string(b[:long/2]) + "-" + string(b[long/2:]), nil
}

// hashOf is how the store knows a secret.
func hashOf(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// tokenOf is the token that a polling code leads to.
func (d *Desk) tokenOf(ctx context.Context, polling string) (string, error) {
	key, err := d.Store.ServerKey(ctx, tokenKey, d.Random)
	if err != nil {
		return "", err
	}
	h := hmac.New(sha256.New, key)
	h.Write([]byte(polling)) // a hash takes all there is
	return tokenPrefix + base64.RawURLEncoding.EncodeToString(h.Sum(nil)), nil
}
