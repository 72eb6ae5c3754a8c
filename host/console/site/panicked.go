package site

import (
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/console/words"
)

// answer has a page answer. A panic becomes an error, and cuts off an answer that has begun.
//
// Invariant 5: a panic's text may hold anything, so that the log gets its type and the place
// alone.
func (v *Visit) answer(page func(*Visit) error) (err error) {
	defer func() {
		p := recover()
		if p == nil {
			return
		}
		if cause, ok := p.(error); ok && errors.Is(cause, http.ErrAbortHandler) {
			panic(p)
		}
		v.Logger.Error("a page panicked", "route", v.R.Pattern, "type", fmt.Sprintf("%T", p), "stack", string(debug.Stack()))
		if v.W.Header().Get("Content-Type") != "" { // whoever answers names what it is first
			panic(http.ErrAbortHandler)
		}
		err = abi.NewError(abi.CodeInternal, words.Broken, words.BrokenHint)
	}()
	return page(v)
}
