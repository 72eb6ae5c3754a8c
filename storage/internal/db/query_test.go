package db

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
)

func opened(t *testing.T) *DB {
	t.Helper()
	d, err := Open(t.Context(), Options{Path: filepath.Join(t.TempDir(), "pdpp.sqlite"), Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

func numbers(t *testing.T, d *DB, ask string, args ...any) (all []int64) {
	t.Helper()
	rows, err := d.Query(t.Context(), ask, args...)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := errors.Join(rows.Err(), rows.Close()); err != nil {
			t.Error(err)
		}
	}()
	for rows.Next() {
		var n int64
		if err := rows.Scan(&n); err != nil {
			t.Fatal(err)
		}
		all = append(all, n)
	}
	return all
}

// Lists of any length, 0 and 1, and texts of any kind are asked for as what they are.
func TestQueryTakesEveryValue(t *testing.T) {
	t.Parallel()
	d := opened(t)
	const ask = "SELECT value FROM json_each(?) WHERE value IN (?) AND value >= ? ORDER BY value"
	for _, list := range [][]int64{nil, {}, {0}, {1}, {0, 1}, {5, 1, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9}} {
		for from := range int64(4) {
			got, want := numbers(t, d, ask, "[0,1,2,3,4,5,6,7,8,9]", list, from), []int64(nil)
			for _, n := range slices.Sorted(slices.Values(list)) {
				if n >= from {
					want = append(want, n)
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("%v from %d: got %v, want %v", list, from, got, want)
			}
		}
	}
	var got string
	if err := d.QueryRow(t.Context(), "SELECT ? || (SELECT count(*) FROM json_each(?) WHERE value IN (?))", []any{"? ' ", `["?"]`, []string{"?", "'"}}, &got); err != nil || got != "? ' 1" {
		t.Errorf("got %q and %v, want a question mark that is text", got, err)
	}
	for _, text := range []string{"a\x00b", "\xff"} {
		for _, value := range []any{text, []string{"a", text}} {
			if _, err := d.Query(t.Context(), "SELECT 'x' IN (?)", value); abi.CodeOf(err) != abi.CodeStoreText { //nolint:rowserrcheck,sqlclosecheck // it has none
				t.Errorf("%q: got %v, want %s", value, err, abi.CodeStoreText)
			}
		}
	}
}

// Many at once ask with few connections, for more texts than stay prepared. Each has its own rows,
// and what stays prepared holds no old state of the file: the log can be folded back.
func TestQueriesAtOnce(t *testing.T) {
	t.Parallel()
	d := opened(t)
	ctx := t.Context()
	err := d.Alone(ctx, "fill", func(t *Tx) error {
		for _, q := range []string{"CREATE TABLE some (n INTEGER)", "INSERT INTO some SELECT value FROM json_each('[2,3,4]')"} {
			if _, err := t.DB.ExecContext(t.Ctx, q); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for i := range 2 * mostPrepared {
		all.Go(func() {
			want := int64(2 + i%3)
			for round := range 3 {
				var got int64
				text := fmt.Sprintf("SELECT n %s FROM some WHERE n = ?", strings.Repeat(" ", i))
				if err := d.QueryRow(ctx, text, []any{want}, &got); err != nil || got != want {
					t.Errorf("round %d: got %d and %v, want %d", round, got, err, want)
				}
			}
		})
	}
	all.Wait()
	if n := len(d.prepared.by); n != mostPrepared {
		t.Errorf("got %d prepared statements, want %d", n, mostPrepared)
	}
	var n int64
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if err := d.QueryRow(ended, "SELECT n FROM some WHERE n = ?", []any{int64(2)}, &n); err == nil {
		t.Error("got a row in a context that has ended, want none")
	}
	err = d.Alone(ctx, "change", func(t *Tx) error {
		_, err := t.DB.ExecContext(t.Ctx, "ALTER TABLE some ADD COLUMN more TEXT; UPDATE some SET n = n + 10")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := d.QueryRow(ctx, "SELECT n  FROM some WHERE n = ?", []any{int64(12)}, &n); err != nil || n != 12 {
		t.Errorf("got %d and %v behind a change of the schema, want 12", n, err)
	}
	if err := d.FoldLog(ctx); err != nil {
		t.Error(err)
	}
	if _, log := d.Size(ctx); log != 0 {
		t.Errorf("got a log of %d bytes, want one that nobody reads and so is folded", log)
	}
}

// Of more texts than stay prepared, those that were asked for last do, whenever they came. One
// that is dropped while its rows are read gives all of them, and is closed behind them.
func TestPreparedAreTheLastAsked(t *testing.T) {
	t.Parallel()
	d := opened(t)
	ask := func(i int) string { return "SELECT value FROM json_each(?) --" + strings.Repeat(" ", i) }
	rows, err := d.Query(t.Context(), ask(0), "[5,6,7]")
	if err != nil {
		t.Fatal(err)
	}
	dropped := d.prepared.by[ask(0)]
	for i := range 3 * mostPrepared {
		numbers(t, d, ask(1+i), "[1]")
		numbers(t, d, ask(1), "[1]") // the one in demand
	}
	if d.prepared.by[ask(0)] != nil || d.prepared.by[ask(1)] == nil || d.prepared.by[ask(3*mostPrepared)] == nil || len(d.prepared.by) != mostPrepared {
		t.Errorf("%d are prepared, want the last %d", len(d.prepared.by), mostPrepared)
	}
	var sum, n int64
	for rows.Next() {
		if err := rows.Scan(&n); err != nil {
			t.Error(err)
		}
		sum += n
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil || sum != 18 { //nolint:sqlclosecheck // what is tested comes behind it
		t.Errorf("got a sum of %d and %v, want 18 of a statement that was dropped", sum, err)
	}
	if _, err := dropped.QueryContext(t.Context(), "[]"); err == nil { //nolint:rowserrcheck,sqlclosecheck // it has none
		t.Error("a statement that was dropped is open, want it closed")
	}
}

// A list may be longer than a statement has marks, and a long one is not prepared.
func TestQueryTakesLongLists(t *testing.T) {
	t.Parallel()
	d := opened(t)
	for _, length := range []int{longestPrepared, longestPrepared + 1, longestPadded, longestPadded + 1, 16_385, 32_767} {
		list, words := make([]int64, length), make([]string, min(length, 32_000))
		for i := range list {
			list[i] = int64(i) - 1
		}
		for i := range words {
			words[i] = fmt.Sprint(i)
		}
		before := len(d.prepared.by)
		if got := numbers(t, d, "SELECT ? IN (?) AND ? IN (?)", list[length-1], list, words[len(words)-1], words); !slices.Equal(got, []int64{1}) {
			t.Errorf("%d: got %v, want the last of each list to be in it", length, got)
		}
		if got, want := len(d.prepared.by) > before, length <= longestPrepared; got != want {
			t.Errorf("%d: prepared is %v, want %v", length, got, want)
		}
	}
}
