package access

import (
	"context"
	"runtime/debug"
	"strconv"
	"unicode/utf8"

	"github.com/alexedwards/argon2id"

	"github.com/pdpp-host/pdpp-host/abi"
)

// The length of a password: in characters at least, in bytes at most. There is no other rule.
const (
	LeastPassword = 12
	mostPassword  = 1024
)

// cost is what one look at a password takes: 19 MiB and two passes, the least that OWASP
// names for argon2id.
var cost = &argon2id.Params{Memory: 19 << 10, Iterations: 2, Parallelism: 1, SaltLength: 16, KeyLength: 32}

// hashing bounds how many passwords are hashed at a time, and so the memory that strangers
// can have a host use.
var hashing = make(chan struct{}, 2)

func whileHashing[T any](ctx context.Context, fn func() (T, error)) (out T, err error) {
	select {
	case hashing <- struct{}{}:
	case <-ctx.Done():
		return out, ctx.Err()
	}
	defer func() {
		// A hash leaves 19 MiB behind, which an idle host would keep for two minutes.
		debug.FreeOSMemory()
		<-hashing
	}()
	return fn()
}

// sealed returns what the store keeps of a password.
func sealed(ctx context.Context, password string) (string, error) {
	switch {
	case utf8.RuneCountInString(password) < LeastPassword:
		return "", abi.NewError(CodePasswordShort, "the password has fewer than "+strconv.Itoa(LeastPassword)+" characters", "choose a longer one; a few words do")
	case len(password) > mostPassword || !utf8.ValidString(password):
		return "", abi.NewError(abi.CodeUsage, "the password is longer than 1,024 bytes, or not text", "choose another one")
	}
	return whileHashing(ctx, func() (string, error) { return argon2id.CreateHash(password, cost) })
}

// nobodys is the password of no owner: a look at it takes as long as one at any other.
const nobodys = "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"

// isPassword reports whether a password is the one that was sealed. It takes the same time
// for every wrong one, and where none was chosen (OC-04.3).
func isPassword(ctx context.Context, password, kept string) (bool, error) {
	missing := kept == ""
	if missing {
		kept = nobodys
	}
	if len(password) > mostPassword {
		password, missing = "", true
	}
	return whileHashing(ctx, func() (bool, error) {
		same, err := argon2id.ComparePasswordAndHash(password, kept)
		return same && !missing, err
	})
}
