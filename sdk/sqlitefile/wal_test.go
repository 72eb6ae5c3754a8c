package sqlitefile

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
)

// newWALOracle leaves everything after its first rows in the log.
func newWALOracle(t *testing.T) *oracle {
	o := newOracle(t, "page_size=1024", "journal_mode=WAL", "wal_autocheckpoint=0")
	o.exec("CREATE TABLE t (id TEXT PRIMARY KEY, s TEXT)")
	for i := range 200 {
		o.exec("INSERT INTO t VALUES (?, ?)", fmt.Sprint("base", i), strings.Repeat("b", i))
	}
	o.exec("PRAGMA wal_checkpoint(TRUNCATE)")
	return o
}

func TestWALUncheckpointed(t *testing.T) {
	t.Parallel()
	o := newWALOracle(t)
	o.exec("UPDATE t SET s = 'changed' WHERE rowid % 3 = 0")
	o.exec("DELETE FROM t WHERE rowid % 5 = 0")
	o.exec("INSERT INTO t VALUES ('large', ?)", strings.Repeat("L", 50000))
	if _, log := o.bytes(); len(log) == 0 {
		t.Fatal("the fixture has no log")
	}
	o.compare("t")
	o.exec("PRAGMA wal_checkpoint(PASSIVE)")
	o.compare("t")
	o.exec("INSERT INTO t VALUES ('after the restart', 'x')")
	o.compare("t")
	o.exec("DELETE FROM t")
	o.exec("VACUUM")
	o.compare("t")
}

func TestWALOfADatabaseNeverCheckpointed(t *testing.T) {
	t.Parallel()
	o := newOracle(t, "journal_mode=WAL", "wal_autocheckpoint=0")
	o.exec("CREATE TABLE t (id INTEGER PRIMARY KEY, s TEXT)")
	o.exec("INSERT INTO t VALUES (1, 'only in the log')")
	o.compare("t")
}

// A transaction without its commit frame, a torn frame and a flipped bit all
// end the log where SQLite would end it.
func TestWALOnlyCommittedFramesCount(t *testing.T) {
	t.Parallel()
	o := newWALOracle(t)
	o.exec("INSERT INTO t VALUES ('first', '1')")
	file, first := o.bytes()
	o.exec("INSERT INTO t VALUES ('second', ?)", strings.Repeat("2", 5000))
	_, both := o.bytes()
	frame := walFrameHeader + 1024
	last := func(log []byte) string {
		db, err := openBytes(file, log)
		if err != nil {
			t.Fatal(err)
		}
		all := rows(t, db, "t")
		return all[len(all)-1][0].(string)
	}
	flipped := bytes.Clone(both)
	flipped[len(first)+frame+100] ^= 1
	stale := bytes.Clone(both)
	copy(stale[len(first)+8:], "oldsalts")
	for name, c := range map[string]struct {
		log  []byte
		want string
	}{
		"whole":           {both, "second"},
		"without commit":  {both[:len(both)-frame], "first"},
		"torn last frame": {both[:len(both)-1], "first"},
		"flipped bit":     {flipped, "first"},
		"old salts":       {stale, "first"},
		"header only":     {both[:walHeaderSize], "base199"},
		"half a header":   {both[:10], "base199"},
		"bad header":      {append([]byte{9}, both[1:]...), "base199"},
		"none":            {nil, "base199"},
	} {
		if got := last(c.log); got != c.want {
			t.Errorf("%s: last row %q, want %q", name, got, c.want)
		}
	}
}

func TestWALRestartedWhileRead(t *testing.T) {
	t.Parallel()
	o := newWALOracle(t)
	o.exec("UPDATE t SET s = 'new' ")
	file, log := o.bytes()
	shared := bytes.Clone(log)
	db, err := openBytes(file, shared)
	if err != nil {
		t.Fatal(err)
	}
	for off := walHeaderSize; off < len(shared); off += walFrameHeader + 1024 {
		copy(shared[off+8:], "new salt")
	}
	table, err := db.Table("t")
	if err == nil {
		err = table.Each(func(*Row) error { return nil })
	}
	if abi.CodeOf(err) != CodeCorrupt {
		t.Fatalf("frames of another log were read: %v, want abi.CodeOf(err) = %v", err, CodeCorrupt)
	}
}

func TestStampTellsWriters(t *testing.T) {
	t.Parallel()
	o := newWALOracle(t)
	before := o.open().Stamp()
	if before != o.open().Stamp() {
		t.Fatal("the stamp of an unchanged database differs")
	}
	o.exec("INSERT INTO t VALUES ('x', 'y')")
	if before == o.open().Stamp() {
		t.Fatal("a commit did not change the stamp")
	}
}

func TestIgnoresALogWhenTheDatabaseIsNotInWALMode(t *testing.T) {
	t.Parallel()
	o := newOracle(t)
	o.exec("CREATE TABLE t (a)")
	o.exec("INSERT INTO t VALUES (1)")
	if err := os.WriteFile(o.path+"-wal", bytes.Repeat([]byte{1}, 5000), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(rows(t, o.open(), "t")); got != "[[1]]" {
		t.Fatalf("%v, want [[1]]", got)
	}
}
