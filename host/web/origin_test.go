package web_test

import (
	"testing"

	"github.com/pdpp-host/pdpp-host/host/web"
)

// A link begins with what the owner's browser reaches, or says that this is not known.
func TestExpectedOrigin(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		origin, listens string
		secure          bool
		want            string
		known           bool
	}{
		{"https://pdpp.example.org", "127.0.0.1:8377", false, "https://pdpp.example.org", true},
		{"", "127.0.0.1:8377", false, "http://127.0.0.1:8377", true},
		{"", ":8377", true, "https://127.0.0.1:8377", true},
		{"", "[::]:8377", false, "http://127.0.0.1:8377", true},
		{"", "[::1]:8377", false, "http://[::1]:8377", true},
		{"", "localhost:0", false, "ORIGIN", false},
		{"", "", false, "ORIGIN", false},
	} {
		if got, known := web.ExpectedOrigin(tt.origin, tt.listens, tt.secure); got != tt.want || known != tt.known {
			t.Errorf("%q listening on %q: got %q, %t, want %q, %t", tt.origin, tt.listens, got, known, tt.want, tt.known)
		}
	}
}
