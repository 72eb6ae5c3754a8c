package sqlitefile

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"
)

func TestStorageClassesAndSerialTypes(t *testing.T) {
	t.Parallel()
	for _, encoding := range []string{"UTF-8", "UTF-16le", "UTF-16be"} {
		t.Run(encoding, func(t *testing.T) {
			t.Parallel()
			o := newOracle(t, "encoding='"+encoding+"'", "page_size=1024")
			o.exec("CREATE TABLE v (id INTEGER PRIMARY KEY, a, r REAL, s TEXT)")
			values := []any{
				nil, 0, 1, 2, -1, 127, -128, 128, 32767, -32768, 32768, 8388607, -8388608, 1 << 31, -(1 << 31), 1 << 40,
				1<<47 - 1, -(1 << 47), 1 << 47, int64(math.MaxInt64), int64(math.MinInt64), 1.5, -2.25e300, 3.0,
				"", "plain", "naïve – 日本 🙂", []byte{}, []byte{0, 1, 255}, strings.Repeat("x", 900), bytes.Repeat([]byte{7}, 3000),
			}
			for i, v := range values {
				o.exec("INSERT INTO v VALUES (?, ?, ?, ?)", i*i-3, v, float64(i), fmt.Sprint(v)[:min(len(fmt.Sprint(v)), 20)])
			}
			o.compare("v")
		})
	}
}

func TestTreesOverflowAndFreedPages(t *testing.T) {
	t.Parallel()
	for _, pageSize := range []int{512, 4096, 65536} {
		for _, vacuum := range []string{"NONE", "FULL"} {
			t.Run(fmt.Sprint(pageSize, vacuum), func(t *testing.T) {
				t.Parallel()
				o := newOracle(t, fmt.Sprintf("page_size=%d", pageSize), "auto_vacuum="+vacuum)
				o.exec("CREATE TABLE other (k TEXT PRIMARY KEY, v BLOB)")
				o.exec("CREATE TABLE big (id TEXT PRIMARY KEY, body TEXT, n INTEGER)")
				tx, _ := o.db.Begin()
				for i := range 1200 {
					_, err := tx.Exec("INSERT INTO big VALUES (?, ?, ?)", fmt.Sprintf("row-%d", i), strings.Repeat("ab", i%600), i)
					if err != nil {
						t.Fatal(err)
					}
					if i%3 == 0 {
						_, _ = tx.Exec("INSERT INTO other VALUES (?, randomblob(400))", i)
					}
				}
				_ = tx.Commit()
				o.exec("INSERT INTO big VALUES ('blob', randomblob(2000000), -1)")
				o.compare("big")
				o.exec("DELETE FROM big WHERE n % 4 = 1")
				o.exec("DELETE FROM other WHERE k % 2 = 0")
				o.compare("big")
				o.exec("UPDATE big SET body = 'now ' || body WHERE n % 5 = 2")
				o.compare("big")
				o.compare("other")
			})
		}
	}
}

func TestReservedSpaceOfAPage(t *testing.T) {
	t.Parallel()
	o := newOracle(t)
	o.exec("CREATE TABLE t (id INTEGER PRIMARY KEY, s)")
	for i := range 50 {
		o.exec("INSERT INTO t VALUES (?, ?)", i, strings.Repeat("y", 5000))
	}
	file, _ := o.bytes()
	file[20] = 200 // lies: cells now reach into the reserved end
	db, err := openBytes(file, nil)
	if err != nil {
		t.Fatal(err)
	}
	table, err := db.Table("t")
	if err == nil {
		err = table.Each(func(*Row) error { return nil })
	}
	if err == nil {
		t.Fatal("cells in the reserved space were read")
	}
}

func TestColumnsAddedLaterTakeTheirDefault(t *testing.T) {
	t.Parallel()
	o := newOracle(t)
	o.exec("CREATE TABLE threads (id TEXT PRIMARY KEY, n INTEGER NOT NULL DEFAULT 0)")
	o.exec("INSERT INTO threads VALUES ('old', 1)")
	for _, column := range []string{
		"cli_version TEXT NOT NULL DEFAULT ''", "first TEXT NOT NULL DEFAULT 'it''s, (new)'", "flag BOOLEAN DEFAULT TRUE",
		"depth INTEGER DEFAULT -7", "ratio REAL DEFAULT (1.5)", "plain TEXT", "num TEXT DEFAULT 12", `"odd name" INTEGER DEFAULT "5"`,
	} {
		o.exec("ALTER TABLE threads ADD COLUMN " + column)
	}
	o.exec("INSERT INTO threads (id, n) VALUES ('new', 2)")
	got := rows(t, o.open(), "threads")
	want := "[old 1  it's, (new) 1 -7 1.5 <nil> 12 5]"
	if fmt.Sprint(got[0]) != want {
		t.Fatalf("got %v want %v", got[0], want)
	}
	if fmt.Sprint(got[1][2:]) != fmt.Sprint(got[0][2:]) {
		t.Fatalf("written defaults %v differ from read ones %v, want the same", got[1], got[0])
	}
}

func TestReaderFindsEveryRowAndNoOther(t *testing.T) {
	t.Parallel()
	o := newOracle(t, "page_size=512")
	o.exec("CREATE TABLE t (id INTEGER PRIMARY KEY, s)")
	tx, _ := o.db.Begin()
	for i := range 1500 {
		_, _ = tx.Exec("INSERT INTO t VALUES (?, ?)", i*2-1000, fmt.Sprint("s", i))
	}
	_ = tx.Commit()
	table, err := o.open().Table("T")
	if err != nil {
		t.Fatal(err)
	}
	r := table.Reader()
	for i := range 1500 {
		row, err := r.Row(int64(i*2 - 1000))
		if err != nil || row == nil || string(row.Value(1).Bytes()) != fmt.Sprint("s", i) {
			t.Fatalf("row %d: %v %v, want row not nil and row.Value(1).Bytes() = %v", i, row, err, fmt.Sprint("s", i))
		}
		if row, err := r.Row(int64(i*2 - 1001)); err != nil || row != nil {
			t.Fatalf("a row that is not there: %v %v, want nil", row, err)
		}
	}
}

func TestRowsAboveTheLimitKeepTheirOtherColumns(t *testing.T) {
	t.Parallel()
	o := newOracle(t)
	o.exec("CREATE TABLE t (a TEXT, big TEXT, z TEXT)")
	o.exec("INSERT INTO t VALUES ('first', ?, 'last')", strings.Repeat("b", 1<<20))
	file, _ := o.bytes()
	db, err := Open(bytes.NewReader(file), nil, Limits{MaxRowBytes: 64 << 10})
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(rows(t, db, "t")); got != "[[first (oversized) (oversized)]]" {
		t.Fatalf("%v, want [[first (oversized) (oversized)]]", got)
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	o := newOracle(t)
	o.exec("CREATE TABLE w (a TEXT PRIMARY KEY, b) WITHOUT ROWID")
	o.exec("CREATE VIEW v AS SELECT 1")
	db := o.open()
	for _, name := range []string{"w", "v", "absent"} {
		if _, err := db.Table(name); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	for name, b := range map[string][]byte{
		"empty": nil, "short": []byte(magic), "text": []byte(strings.Repeat("not a database ", 40)),
	} {
		if _, err := openBytes(b, nil); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
