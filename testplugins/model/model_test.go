package model

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/storage"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/fresh"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/pgtest"
)

// Environment variables: one seed to play alone, how many sequences to play, and the first.
const (
	seedVariable      = "PDPP_TEST_SEED"
	sequencesVariable = "PDPP_TEST_SEQUENCES"
	firstVariable     = "PDPP_TEST_FIRST_SEED"
)

// eachStore is how many sequences share a store. Stores go side by side.
const eachStore = 250

// How many sequences an ordinary test run plays.
const (
	onFiles  = 1000
	onServer = 200
)

// TestModelOnSQLite: whatever a guest does, the store has what the rules of the ABI say.
//
// Invariant 12.
func TestModelOnSQLite(t *testing.T) {
	t.Parallel()
	holds(t, onFiles, func(t *testing.T) string {
		t.Helper()
		return fresh.Store(t, filepath.Join(t.TempDir(), "pdpp.sqlite"))
	})
}

// TestModelOnPostgreSQL is TestModelOnSQLite on a server.
func TestModelOnPostgreSQL(t *testing.T) {
	t.Parallel()
	holds(t, onServer, func(t *testing.T) string {
		t.Helper()
		return pgtest.Database(t, func(dsn string) error {
			s, err := storage.Open(context.Background(), storage.Options{Path: dsn, Now: time.Now})
			if err != nil {
				return err
			}
			return s.Close()
		})
	})
}

// holds plays sequences until one differs.
func holds(t *testing.T, sequences uint64, place func(t *testing.T) string) {
	t.Helper()
	first := number(t, firstVariable, 1)
	if seed := number(t, seedVariable, 0); seed > 0 {
		first, sequences = seed, 1
	} else {
		sequences = number(t, sequencesVariable, sequences)
	}
	for seed := first; seed < first+sequences; seed += eachStore {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			t.Parallel()
			x := newTable(t, place(t))
			for s := seed; s < min(seed+eachStore, first+sequences); s++ {
				whole := made(s)
				if err := x.through(t.Context(), whole); err != nil {
					short, why := x.shortened(t.Context(), whole, err)
					t.Fatalf("%v\n%s\n(%d calls; again: %s=%d go test ./testplugins/model)", why, short, short.size(), seedVariable, s)
				}
			}
		})
	}
}

func number(t *testing.T, variable string, without uint64) uint64 {
	t.Helper()
	text := os.Getenv(variable)
	if text == "" {
		return without
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatal(errors.Join(errors.New(variable), err))
	}
	return n
}

// shortened leaves out of a sequence what it differs without.
func (x *table) shortened(ctx context.Context, s *sequence, why error) (*sequence, error) {
	for shorter := true; shorter; {
		shorter = false
		for _, next := range s.shorter() {
			if err := x.through(ctx, next); err != nil {
				s, why, shorter = next, err, true
				break
			}
		}
	}
	return s, why
}
