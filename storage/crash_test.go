package storage

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	osexec "os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
)

const (
	crashChildEnv = "PDPP_STORAGE_CRASH_CHILD"
	crashRounds   = 24
	// crashRoundsShort is for the race detector: a kill shows it nothing.
	crashRoundsShort = 6
)

// crashChild writes records 1, 2, 3 … from the committed cursor on, until it is
// killed. It says "wrote N" when N is queued and "ack N" when N is durable. Besides, each round
// writes the ten records of another stream, and now and then their owner deletes one, "erased K",
// and lets another one come again, "restoring K".
func crashChild(path string) {
	ctx := context.Background()
	must := func(err error) {
		if err != nil {
			fmt.Println("error", err)
			os.Exit(1)
		}
	}
	// A small checkpoint bound, so that kills also meet the folding of the log.
	s, err := Open(ctx, Options{Path: path, Now: time.Now, checkpoint: 50})
	must(err)
	c, err := s.EnsureConnection(ctx, "c", "c")
	must(err)
	w, err := s.BeginRun(ctx, NewRun{
		RunID: strconv.Itoa(os.Getpid()) + "-" + strconv.FormatInt(time.Now().UnixNano(), 36), ConnectionID: c.ID, Bookmark: BookmarkIncremental,
		Streams: []string{"s", "e"}, LeaseTTL: time.Hour, HolderAlive: func(string) bool { return false },
	})
	must(err)
	n, _ := strconv.Atoi(string(w.State()["s"]))
	for round := 1; ; round++ {
		b := w.NewBatch()
		for range 1 + rand.IntN(40) {
			n++
			b.Add(0, fmt.Appendf(nil, "%08d", n), crashData(n), []byte("t"), false)
			if n%10 == 0 { // and one before it is deleted
				b.Add(0, fmt.Appendf(nil, "%08d", n-5), nil, []byte("t"), true)
			}
		}
		for k := range 10 {
			b.Add(1, []byte(strconv.Itoa(k)), crashData(n), []byte("t"), false)
		}
		must(w.Write(ctx, b))
		must(w.CommitSlice(ctx, "s", []byte(strconv.Itoa(n)), strconv.Itoa(n)))
		fmt.Println("wrote", n)
		if round%4 == 0 {
			must(w.Flush(ctx))
			fmt.Println("ack", n)
			done := func(err error) bool { // else there is no such record now
				if abi.CodeOf(err) != abi.CodeRecordUnknown {
					must(err)
				}
				return err == nil
			}
			k := strconv.Itoa(rand.IntN(10))
			fmt.Println("restoring", k)
			done(s.RestoreRecord(ctx, "c", "e", k))
			if k = strconv.Itoa(rand.IntN(10)); done(s.EraseRecord(ctx, "c", "e", k)) {
				fmt.Println("erased", k)
			}
		}
	}
}

func crashData(n int) []byte {
	return fmt.Appendf(nil, `{"n":%d,"text":"%s"}`, n, strings.Repeat(strconv.Itoa(n%10), 300))
}

// TestCrash kills a writing process at random moments, and looks at what is
// left: every acknowledged record is there, none twice, no checkpoint is ahead
// of its records, and the file is whole; what its owner has deleted is deleted whole, and stays so.
// The next process goes on from there.
//
// PB-D8, PB-A7, Invariant 1, Invariant 13, RD-25.1.
func TestCrash(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "pdpp.sqlite")
	rounds := crashRounds
	if testing.Short() {
		rounds = crashRoundsShort
	}
	moved := 0
	last := 0
	erased := map[string]bool{}
	for round := range rounds {
		acked := crashOnce(t, self, path, erased)
		cursor := crashVerify(t, path, acked, erased)
		if t.Failed() {
			t.Fatalf("round %d: acknowledged %d, cursor %d", round, acked, cursor)
		}
		if cursor > last {
			moved++
		}
		if cursor < last {
			t.Fatalf("round %d: the cursor went back from %d to %d", round, last, cursor)
		}
		last = cursor
	}
	if moved < rounds/3 {
		t.Errorf("only %d of %d rounds wrote anything", moved, rounds)
	}
}

// crashOnce runs a child and kills it after a random number of its lines. It
// returns the last record that the child knew to be durable. erased are the records that are to
// stay deleted.
func crashOnce(t *testing.T, self, path string, erased map[string]bool) (acked int) {
	t.Helper()
	cmd := osexec.CommandContext(t.Context(), self) //nolint:gosec // the test itself
	cmd.Env = append(os.Environ(), crashChildEnv+"="+path)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	take := func() bool {
		if !lines.Scan() {
			return false
		}
		word, rest, _ := strings.Cut(lines.Text(), " ")
		switch word {
		case "error":
			t.Errorf("got the error %q, want none", rest)
		case "ack":
			acked, _ = strconv.Atoi(rest)
		case "restoring":
			delete(erased, rest)
		case "erased":
			erased[rest] = true
		}
		return true
	}
	for left := rand.IntN(120); left > 0 && take(); left-- { //nolint:gosec // any moment will do
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Error(err)
	}
	for take() { // what it said before it died counts
	}
	_, _ = io.Copy(io.Discard, out)
	_ = cmd.Wait()
	return acked
}

func crashVerify(t *testing.T, path string, acked int, erased map[string]bool) (cursor int) {
	t.Helper()
	ctx := t.Context()
	s, err := Open(ctx, Options{Path: path, Now: time.Now})
	if err != nil {
		t.Error(err)
		return 0
	}
	defer func() { _ = s.Close() }()
	if r, err := s.Check(ctx); err != nil || len(r.Problems) > 0 {
		t.Error("not sound:", r, err)
	}
	if differ, err := s.CheckEvidence(ctx); err != nil || len(differ) > 0 {
		t.Error("the evidence is not what the facts make:", differ, err)
	}
	list, err := s.Checkpoints(ctx, "c")
	if err != nil {
		if abi.CodeOf(err) != abi.CodeConnectionUnknown || acked > 0 {
			t.Error(err)
		}
		return 0 // killed before its connection was made
	}
	if len(list) == 1 {
		cursor, _ = strconv.Atoi(string(list[0].Cursor))
	}
	if cursor < acked {
		t.Errorf("got the cursor %d, want %d or more, which was acknowledged", cursor, acked)
	}
	for k := range erased {
		if r, err := s.Record(ctx, "c", "e", k); err != nil || !r.Deleted {
			t.Errorf("record %s, which its owner has deleted: got %+v, %v, want a tombstone", k, r, err)
		}
	}
	seen := 0
	err = s.EachRecord(ctx, "c", "s", func(r Record) error {
		seen++
		n, _ := strconv.Atoi(r.Key)
		if n != seen {
			return fmt.Errorf("record %d where %d belongs", n, seen)
		}
		if gone := n%10 == 5 && n+5 <= cursor; gone != r.Deleted && n+5 <= cursor {
			return fmt.Errorf("record %d: deleted is %v", n, r.Deleted)
		}
		if !r.Deleted && string(r.Data) != string(crashData(n)) {
			return fmt.Errorf("record %d has other data", n)
		}
		return nil
	})
	if err != nil && abi.CodeOf(err) != abi.CodeStreamUnknown {
		t.Error(err)
	}
	if seen < cursor {
		t.Errorf("got %d records, want %d or more, the cursor", seen, cursor)
	}
	return cursor
}
