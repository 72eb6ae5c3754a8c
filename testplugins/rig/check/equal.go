package check

import (
	"fmt"
	"testing"
)

// Equal fails the test unless got equals want. what names the value in the message.
func Equal[T comparable](t testing.TB, got, want T, what string) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %s, want %s", what, text(got), text(want))
	}
}

// text quotes a string, so that an empty one and a trailing space show.
func text(v any) string {
	if s, ok := v.(string); ok {
		return fmt.Sprintf("%q", s)
	}
	return fmt.Sprintf("%+v", v)
}
