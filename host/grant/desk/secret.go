package desk

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base32"
	"encoding/base64"
	"io"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/grant"
)

// The prefixes serve scanners for secrets, and never decide what a token is (RD-48.2).
const (
	tokenPrefix   = "pdpp_ct_" //nolint:gosec // a prefix, and no secret
	refreshPrefix = "pdpp_rt_"
	ownerPrefix   = "pdpp_ot_"
)

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

// codeLetters are those of a code that is read and typed: no vowel makes a word of it.
const codeLetters = "BCDFGHJKLMNPQRSTVWXZ"

const codeLong = 8

// code returns a code that is read, compared and typed, as XXXX-XXXX.
func (d *Desk) code() (string, error) {
	letters := make([]byte, 0, codeLong)
	for len(letters) < codeLong {
		b, err := d.some(codeLong)
		if err != nil {
			return "", err
		}
		for _, n := range b {
			const fair = 256 / len(codeLetters) * len(codeLetters) // above it the first letters would come more often
			if int(n) < fair && len(letters) < codeLong {
				letters = append(letters, codeLetters[int(n)%len(codeLetters)])
			}
		}
	}
	return string(letters[:codeLong/2]) + "-" + string(letters[codeLong/2:]), nil
}

// typedCode is a code as somebody typed it, in the form of code.
func typedCode(text string) string {
	letters := strings.Map(func(r rune) rune {
		if r == '-' || r == ' ' {
			return -1
		}
		return r
	}, strings.ToUpper(text))
	if len(letters) != codeLong {
		return ""
	}
	return letters[:codeLong/2] + "-" + letters[codeLong/2:]
}

// hashOf is how the store knows a secret.
func hashOf(secret string) string { return grant.Hash([]byte(secret)) }

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
