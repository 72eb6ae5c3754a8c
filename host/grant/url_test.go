package grant

import "testing"

// RD-44.3: a resource is told by what its address means, and not by how it is written.
func TestSameURL(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"http://127.0.0.1:8377", "http://127.0.0.1:8377", true},
		{"http://127.0.0.1:8377", "http://127.0.0.1:8377/", true},
		{"http://127.0.0.1:8377", "HTTP://127.0.0.1:8377", true},
		{"https://host.example", "https://HOST.Example/", true},
		{"https://host.example", "https://host.example:443", true},
		{"http://host.example/mcp", "http://host.example:80/mcp/", true},
		{"http://[::1]:8377/mcp", "HTTP://[::1]:8377/mcp", true},
		{"https://host.example", "http://host.example", false},
		{"https://host.example", "https://host.example:444", false},
		{"https://host.example", "https://host.example.evil.example", false},
		{"https://host.example/mcp", "https://host.example/MCP", false},
		{"https://host.example/mcp", "https://host.example/mcp//", false},
		{"https://host.example/mcp", "https://host.example/mcp?x=1", false},
		{"https://host.example", "https://user@host.example", false},
		{"https://host.example", "https://host.example#here", false},
		{"https://host.example", "https://host.example\\@evil.example", false},
		{"https://host.example", "//host.example", false},
		{"", "", false},
	} {
		if SameURL(c.a, c.b) != c.want || SameURL(c.b, c.a) != c.want {
			t.Errorf("%q and %q: got %v, want %v both ways", c.a, c.b, !c.want, c.want)
		}
	}
}
