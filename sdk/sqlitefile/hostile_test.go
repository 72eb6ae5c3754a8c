package sqlitefile

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// readAll reads everything a database offers and returns how many rows and
// bytes came out.
func readAll(file, log []byte, table string) (n, size int) {
	db, err := openBytes(file, log)
	if err != nil {
		return 0, 0
	}
	t, err := db.Table(table)
	if err != nil {
		return 0, 0
	}
	r := t.Reader()
	var ids []int64
	_ = t.Each(func(row *Row) error {
		n++
		for i := range t.Columns {
			size += len(row.Value(i).Bytes())
			_, _ = row.Value(i).Int(), row.Value(i).Float()
		}
		if len(ids) < 8 {
			ids = append(ids, row.Rowid)
		}
		return nil
	})
	for _, id := range ids {
		_, _ = r.Row(id)
	}
	return n, size
}

// seedFiles writes a small database with an uncheckpointed log.
func seedFiles(f *testing.F) (file, log []byte) {
	f.Helper()
	path := filepath.Join(f.TempDir(), "seed.sqlite")
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		f.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	for _, stmt := range []string{
		"PRAGMA page_size=512", "PRAGMA journal_mode=WAL", "PRAGMA wal_autocheckpoint=0", "CREATE TABLE t (id TEXT PRIMARY KEY, n, r REAL)",
		"INSERT INTO t VALUES ('a', 1, 2.5), ('b', zeroblob(900), 3)", "PRAGMA wal_checkpoint(TRUNCATE)", "INSERT INTO t VALUES ('c', x'00ff', NULL)",
	} {
		if _, err := db.Exec(stmt); err != nil {
			f.Fatal(err)
		}
	}
	if file, err = os.ReadFile(path); err != nil {
		f.Fatal(err)
	}
	if log, err = os.ReadFile(path + "-wal"); err != nil {
		f.Fatal(err)
	}
	return file, log
}

func TestPageLoopEnds(t *testing.T) {
	t.Parallel()
	o := newOracle(t, "page_size=512")
	o.exec("CREATE TABLE t (a INTEGER PRIMARY KEY, b)")
	for i := range 300 {
		o.exec("INSERT INTO t VALUES (?, ?)", i, strings.Repeat("z", 40))
	}
	file, _ := o.bytes()
	table, err := o.open().Table("t")
	if err != nil {
		t.Fatal(err)
	}
	root := int(table.root-1) * 512
	if file[root] != pageInterior {
		t.Fatal("the fixture's root is not an interior page")
	}
	// Every child of the root is the root.
	cells := be16(file[root+3:])
	for i := range cells {
		at := root + be16(file[root+12+2*i:])
		copy(file[at:at+4], []byte{0, 0, 0, byte(table.root)})
	}
	db, err := openBytes(file, nil)
	if err != nil {
		t.Fatal(err)
	}
	looped, err := db.Table("t")
	if err != nil {
		t.Fatal(err)
	}
	if err := looped.Each(func(*Row) error { return nil }); err == nil {
		t.Fatal("a loop was not noticed")
	}
	if _, err := looped.Reader().Row(5); err == nil {
		t.Fatal("a loop was not noticed by Row")
	}
}

func TestOverflowLoopEnds(t *testing.T) {
	t.Parallel()
	o := newOracle(t, "page_size=512")
	o.exec("CREATE TABLE t (a)")
	o.exec("INSERT INTO t VALUES (?)", strings.Repeat("o", 20000))
	file, _ := o.bytes()
	for p := 2; p < len(file)/512; p++ { // page 2 is the leaf; every other points at itself
		copy(file[p*512:], []byte{0, 0, 0, byte(p + 1)})
	}
	db, err := Open(strings.NewReader(string(file)), nil, Limits{MaxRowBytes: 1 << 30})
	if err != nil {
		t.Fatal(err)
	}
	table, err := db.Table("t")
	if err != nil {
		t.Fatal(err)
	}
	if err := table.Each(func(*Row) error { return nil }); err != nil {
		t.Log(err) // bounded by the payload's length: either end is fine
	}
}

// Random damage: no panic, no endless loop, and never more output than the
// file's size justifies.
func TestDamagedBytes(t *testing.T) {
	t.Parallel()
	o := newWALOracle(t)
	o.exec("UPDATE t SET s = s || 'wal' WHERE rowid % 2 = 0")
	file, log := o.bytes()
	random := rand.New(rand.NewPCG(1, 2))
	for range 800 {
		f, l := append([]byte{}, file...), append([]byte{}, log...)
		for range 1 + random.IntN(6) {
			f[random.IntN(len(f))] = byte(random.Uint32())
			if random.IntN(4) == 0 {
				l[random.IntN(len(l))] = byte(random.Uint32())
			}
		}
		if random.IntN(5) == 0 {
			f = f[:random.IntN(len(f))]
		}
		if _, size := readAll(f, l, "t"); size > 4*(len(f)+len(l)) {
			t.Fatalf("%d bytes out of a file of %d, want at most 4*(len(f)+len(l))", size, len(f))
		}
	}
}

func FuzzDatabase(f *testing.F) {
	file, log := seedFiles(f)
	f.Add(file, log)
	f.Add(file, []byte{})
	f.Fuzz(func(t *testing.T, file, log []byte) {
		if len(file) > 1<<20 || len(log) > 1<<20 {
			return
		}
		if _, size := readAll(file, log, "t"); size > 64*(len(file)+len(log)+4096) {
			t.Fatalf("%d bytes out of a file of %d, want at most 64*(len(file)+len(log)+4096)", size, len(file))
		}
	})
}

func FuzzCreateTable(f *testing.F) {
	f.Add("CREATE TABLE t (id INTEGER PRIMARY KEY, s TEXT DEFAULT ('x'), v AS (id) STORED)")
	f.Add("CREATE TABLE \"a(b\" ( [x y] TEXT, PRIMARY KEY (`x y` DESC)) WITHOUT ROWID")
	f.Fuzz(func(t *testing.T, sql string) {
		columns, err := parseCreateTable(sql)
		if err == nil && len(columns) == 0 {
			t.Fatal("no columns and no error")
		}
		for _, c := range columns {
			_ = fmt.Sprint(c.Name, c.Type, c.missing.Int())
		}
	})
}
