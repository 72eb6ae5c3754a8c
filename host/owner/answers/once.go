package answers

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/owner"
)

// The codes of this room.
const (
	CodeKeyReused  abi.Code = "request.key_reused"
	CodeUnanswered abi.Code = "request.unanswered"
	CodeShownOnce  abi.Code = "request.shown_once"
)

// The bounds of what is kept.
const (
	kept = 24 * time.Hour
	most = 10_000
)

// Request is a request that may come again.
type Request struct {
	Key  string // that the program chose
	By   string // who asks: two programs may choose the same key
	At   string // its method and path
	Body []byte
}

// Answer is what a request was answered.
type Answer struct {
	Status int
	Body   []byte
	Secret bool // it holds a secret, and is kept without its body
}

// Once returns the answer of a request, which it gets from make the first time alone. again
// says that it was another time. A request that failed may be sent again. Errors:
// request.key_reused for another request with the key of an earlier one, request.unanswered
// for one that has begun and has no answer, such as one whose time was over, request.shown_once for an answer with a secret.
func Once(ctx context.Context, o *owner.Owner, r Request, answer func() (*Answer, error)) (a *Answer, again bool, err error) {
	store, err := o.Store(ctx)
	if err != nil {
		return nil, false, err
	}
	key, request := hash(r.Key, r.By, r.At), hash(r.Key, r.By, r.At, string(r.Body))
	before, err := store.BeginAnswer(ctx, key, request, kept, most)
	if err != nil {
		return nil, false, err
	}
	if before != nil {
		switch {
		case before.Request != request:
			return nil, true, abi.NewError(CodeKeyReused, "an earlier request with this Idempotency-Key had another body", "choose a new key for each request")
		case before.Status == 0:
			return nil, true, abi.NewError(CodeUnanswered, "an earlier request with this Idempotency-Key has begun, and has no answer",
				"look whether it was done; if it was not, send it with a new key")
		case len(before.Body) == 0:
			return nil, true, abi.NewError(CodeShownOnce, "an earlier request with this Idempotency-Key was done, and its answer held a secret, which is shown once",
				"take back what it made, and send it with a new key")
		}
		return &Answer{Status: before.Status, Body: before.Body}, true, nil
	}
	ctx = context.WithoutCancel(ctx) // what was done is kept, also where it took all the time
	if a, err = answer(); err != nil {
		if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
			return nil, false, err // nobody knows what was done
		}
		if ferr := store.ForgetAnswer(ctx, key); ferr != nil {
			o.Logger.Warn("the key of a request that failed was not freed", "code", abi.CodeOf(ferr))
		}
		return nil, false, err
	}
	body := a.Body
	if a.Secret {
		body = nil
	}
	if err := store.KeepAnswer(ctx, key, a.Status, body); err != nil { // it was done, and a repeat is told that it may have been
		o.Logger.Warn("the answer to a request was not kept", "code", abi.CodeOf(err))
	}
	return a, false, nil
}

// hash keeps its parts apart by their own hashes.
func hash(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		sum := sha256.Sum256([]byte(p))
		_, _ = h.Write(sum[:]) // a hash takes everything
	}
	return hex.EncodeToString(h.Sum(nil))
}
