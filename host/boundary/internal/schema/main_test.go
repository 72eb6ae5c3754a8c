package schema

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/pdpp-host/pdpp-host/host/boundary/internal/tape"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func scan(t testing.TB, text string) *tape.Tape {
	t.Helper()
	var tp tape.Tape
	if err := tp.Scan([]byte(text)); err != nil {
		t.Fatalf("%q: tp.Scan([]byte(text)): got %v, want no error", text, err)
	}
	return &tp
}

func compile(t testing.TB, text string) *Schema {
	t.Helper()
	s, err := Compile([]byte(text), true)
	if err != nil {
		t.Fatalf("%s: got %v, want no error", text, err)
	}
	return s
}
