package storage

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"
)

// RD-07: a query that nobody waits for any more ends, while it runs as well.
func TestAQueryEndsWithItsReader(t *testing.T) {
	t.Parallel()
	s := mustOpen(t, Options{Path: filepath.Join(t.TempDir(), "pdpp.sqlite")})
	endless := "WITH RECURSIVE all_of(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM all_of) SELECT count(*) FROM all_of"
	if s.db.IsServer() {
		endless = "SELECT count(*) FROM pg_sleep(1e9)"
	}
	for name, ask := range map[string]func(context.Context) error{
		"prepared": func(ctx context.Context) error {
			var n int64
			return s.db.QueryRow(ctx, endless, nil, &n)
		},
		"plain": func(ctx context.Context) error {
			var n int64
			return s.db.Read.QueryRowContext(ctx, endless).Scan(&n)
		},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond) // so that it runs by then
		if err := s.db.Fail("ask", ask(ctx)); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: got %v, want %v", name, err, context.DeadlineExceeded)
		}
		cancel()
	}
	var n int64
	if err := s.db.QueryRow(t.Context(), "SELECT count(*) FROM connections", nil, &n); err != nil {
		t.Errorf("got %v from the next query, want it answered", err)
	}
}
