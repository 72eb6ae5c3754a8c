package web

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
)

// Recover is deferred by the answer to a request: where that panics, then says what is answered
// instead. An answer that was cut off on purpose goes on doing so.
//
// Invariant 5: a panic's text may hold anything, so that the log gets its type and the place
// alone.
func Recover(logger *slog.Logger, route, request string, then func()) {
	p := recover()
	if p == nil {
		return
	}
	if cause, ok := p.(error); ok && errors.Is(cause, http.ErrAbortHandler) {
		panic(p)
	}
	logger.Error("a request panicked", "route", route, "request", request, "type", fmt.Sprintf("%T", p), "stack", string(debug.Stack()))
	then()
}
