package check

import (
	"fmt"
	"testing"
)

// recorder is a test that keeps its failures.
type recorder struct {
	testing.TB

	failed []string
}

func (r *recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) {
	r.failed = append(r.failed, fmt.Sprintf(format, args...))
}

func TestEqual(t *testing.T) {
	t.Parallel()
	r := &recorder{}
	Equal(r, 2, 2, "records")
	Equal(r, 1, 2, "records")
	Equal(r, "a ", "a", "key")
	Equal(r, [2]int{1, 2}, [2]int{1, 3}, "pair")
	got, want := fmt.Sprint(r.failed), `[records: got 1, want 2 key: got "a ", want "a" pair: got [1 2], want [1 3]]`
	if got != want {
		t.Errorf("failures: got %s, want %s", got, want)
	}
}
