package storage

import (
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/storage/access"
)

// exerciseAnswers: OC-09.1, a key is one request's for its time, and free again when that
// changed nothing; the answers that are kept are bounded.
func exerciseAnswers(t *testing.T, x *exercise) {
	ctx := t.Context()
	begin := func(key string) *access.Answer {
		t.Helper()
		before, err := x.s.BeginAnswer(ctx, key, "request of "+key, time.Hour, 3)
		x.ok(err)
		return before
	}
	x.same(begin("a"), (*access.Answer)(nil))
	x.same(begin("a"), &access.Answer{Request: "request of a", Body: []byte{}})
	x.ok(x.s.KeepAnswer(ctx, "a", 201, []byte(`{"a":1}`)))
	x.same(begin("a"), &access.Answer{Request: "request of a", Status: 201, Body: []byte(`{"a":1}`)})

	x.same(begin("b"), (*access.Answer)(nil))
	x.ok(x.s.ForgetAnswer(ctx, "b"))
	x.same(begin("b"), (*access.Answer)(nil))

	x.clock.forward(time.Hour - time.Microsecond)
	x.same(begin("a").Status, 201)
	x.clock.forward(time.Microsecond)
	x.same(begin("a"), (*access.Answer)(nil))
	for _, key := range []string{"b", "c", "d"} { // the oldest go first
		x.clock.forward(time.Second)
		x.same(begin(key), (*access.Answer)(nil))
	}
	x.same(begin("b").Request, "request of b")
	x.same(begin("a"), (*access.Answer)(nil))
}
