package access

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"

	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/storage"
)

// markKey names the key of this host by which it knows the marks that it gave out.
const markKey = "browser_mark"

// markBytes is the size of what tells one browser from another.
const markBytes = 16

// NewMark returns a mark for the caller's browser, where the owner has a password; "": there is none. It serves a
// browser in which the password was just changed, which ended the mark that it had.
func NewMark(ctx context.Context, o *owner.Owner) (string, error) {
	s, err := o.Store(ctx)
	if err != nil {
		return "", err
	}
	is, err := s.Owner(ctx)
	if err != nil {
		return "", err
	}
	return markOf(ctx, o, s, is.Password, "")
}

// markOf returns a mark by which a browser is known that signed in here, or the one that it has where that is still
// good; "": there is no password for which it could be known. It opens nothing: wrong passwords of that browser are
// counted apart from those of strangers. Nothing is kept of it but a key of this host, and it ends with the password
// for which it was made, as kept by the store.
func markOf(ctx context.Context, o *owner.Owner, s *storage.Store, kept, has string) (string, error) {
	id, err := known(ctx, o, s, kept, has)
	if err != nil || id != "" {
		return has, err
	}
	if kept == "" {
		return "", nil
	}
	b, err := some(o.Random, markBytes)
	if err != nil {
		return "", err
	}
	sum, err := markSum(ctx, o, s, kept, b)
	return base64.RawURLEncoding.EncodeToString(append(b, sum...)), err
}

// known returns what tells the browser of a mark from others; "": the mark is none of this host's, or has ended.
func known(ctx context.Context, o *owner.Owner, s *storage.Store, kept, mark string) (string, error) {
	b, err := base64.RawURLEncoding.Strict().DecodeString(mark)
	if err != nil || len(b) != markBytes+sha256.Size || kept == "" {
		return "", nil //nolint:nilerr // it is no mark
	}
	want, err := markSum(ctx, o, s, kept, b[:markBytes])
	if err != nil || !hmac.Equal(b[markBytes:], want) {
		return "", err
	}
	return string(b[:markBytes]), nil
}

func markSum(ctx context.Context, o *owner.Owner, s *storage.Store, kept string, id []byte) ([]byte, error) {
	key, err := s.ServerKey(ctx, markKey, o.Random)
	if err != nil {
		return nil, err
	}
	mac := hmac.New(sha256.New, key)
	mac.Write(id)
	mac.Write([]byte(kept))
	return mac.Sum(nil), nil
}
