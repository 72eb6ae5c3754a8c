package holder

import "testing"

func TestProcess(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"boot:4026531836:17:99": "process 17", "boot:4026531836:17:99:machine": "process 17", "laptop:17": "process 17", "gone": "holder gone",
	} {
		if got := Process(name); got != want {
			t.Errorf("%q is told as %q, want %q", name, got, want)
		}
	}
}
