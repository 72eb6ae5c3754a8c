package access_test

import (
	"fmt"
	"net/http"
	"testing"
)

// OC-04.2: strangers who slow sign-in down keep nobody who is signed in from changing the
// password, for which wrong ones are counted by themselves.
func TestStrangersDoNotKeepTheOwnerFromAnotherPassword(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	v := b.owned()
	stranger := b.visitor()
	for i := range 50 {
		b.from = fmt.Sprintf("198.51.100.%d:1", i)
		stranger.says(stranger.post("/sign-in", "password", "wrong"), http.StatusForbidden, "")
	}
	b.from = "203.0.113.5:1"
	stranger.says(stranger.post("/sign-in", "password", password), http.StatusTooManyRequests, "")
	const next = "five other plain words"
	change := func(was string) answer {
		return v.post("/settings/password", "was", was, "password", next, "again", next)
	}
	for range 10 {
		v.says(change("wrong"), http.StatusForbidden, "")
	}
	v.says(change(password), http.StatusTooManyRequests, "")
	b.from = "192.0.2.7:4444"
	v.leads(change(password), "/settings?done=password_changed")
}
