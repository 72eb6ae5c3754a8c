package sqlitefile

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
)

// orchard is a database with a table of many pages, and what belongs to each of them.
type orchard struct {
	file []byte
	rows map[int64]string
	of   map[uint32][]int64 // the rows of a page: of a leaf, below an interior page, or that overflow into it
	kind map[uint32]byte    // its type, 0 for an overflow page
	root uint32
	most int // rows of a leaf
}

const orchardPage = 512

func plant(t *testing.T, rows int) *orchard {
	t.Helper()
	o := newOracle(t, "page_size=512")
	o.exec("CREATE TABLE before (a)")
	o.exec("CREATE TABLE t (id INTEGER PRIMARY KEY, s, n)")
	o.exec("BEGIN")
	for i := range rows {
		o.exec("INSERT INTO t VALUES (?, ?, ?)", i*3+1, fmt.Sprint(i, strings.Repeat("x", i*7%40+i%97/96*900)), i)
	}
	o.exec("COMMIT")
	o.exec("DELETE FROM t WHERE n % 11 = 3")
	file, _ := o.bytes()
	table, err := o.open().Table("t")
	if err != nil {
		t.Fatal(err)
	}
	or := &orchard{file: file, rows: map[int64]string{}, of: map[uint32][]int64{}, kind: map[uint32]byte{}, root: table.root}
	or.rows, err = readRows(file)
	if err != nil {
		t.Fatal(err)
	}
	or.grow(t, table.root)
	kinds := map[byte]int{}
	for p, kind := range or.kind {
		if p != or.root {
			kinds[kind]++
		}
	}
	if kinds[0] < 5 || kinds[pageLeaf] < 20 || kinds[pageInterior] < 2 {
		t.Fatalf("got pages %v, want some of each kind", kinds)
	}
	return or
}

// grow follows the pages below one.
func (o *orchard) grow(t testing.TB, pgno uint32) []int64 {
	t.Helper()
	n, err := parseNode(o.file[int(pgno-1)*orchardPage:][:orchardPage], pgno, orchardPage)
	if err != nil {
		t.Fatal(err)
	}
	o.kind[pgno] = n.page[0]
	var all []int64
	if n.leaf {
		o.most = max(o.most, n.cells)
		for i := range n.cells {
			c, err := n.leafCell(i, orchardPage)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, c.rowid)
			for next := c.overflow; next != 0; next = be32(o.file[int(next-1)*orchardPage:]) {
				o.of[next], o.kind[next] = []int64{c.rowid}, 0
			}
		}
	} else {
		for i := range n.cells {
			child, _, err := n.child(i)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, o.grow(t, child)...)
		}
		all = append(all, o.grow(t, n.right)...)
	}
	o.of[pgno] = all
	return all
}

// readRows reads the table t as text by rowid.
func readRows(file []byte) (map[int64]string, error) {
	db, err := openBytes(file, nil)
	if err != nil {
		return nil, err
	}
	table, err := db.Table("t")
	if err != nil {
		return nil, err
	}
	rows := map[int64]string{}
	err = table.Each(func(r *Row) error {
		rows[r.Rowid] = fmt.Sprint(string(r.Value(1).Bytes()), r.Value(1).Kind, r.Value(2).Int())
		return nil
	})
	return rows, err
}

// missing returns the rows that are not there as they were.
func (o *orchard) missing(rows map[int64]string) (lost []int64) {
	for id, s := range o.rows {
		if rows[id] != s {
			lost = append(lost, id)
		}
	}
	return lost
}

// AC-06: damage to a page costs at most the rows of that page, one in a cell that row, and rows are
// lost without an error only where their own bytes changed.
func TestDamageHidesNoNeighbour(t *testing.T) {
	t.Parallel()
	o := plant(t, 1200)
	r := rand.New(rand.NewPCG(3, 9)) //nolint:gosec // a number of the test's
	var pages []uint32
	by := map[byte][]uint32{}
	for p := range uint32(len(o.file) / orchardPage) {
		if kind, ok := o.kind[p+1]; ok && p+1 != o.root {
			pages, by[kind] = append(pages, p+1), append(by[kind], p+1)
		}
	}
	for i := range 2500 {
		of := by[[]byte{0, pageLeaf, pageInterior}[i%3]]
		p := of[r.IntN(len(of))]
		at := int(p-1)*orchardPage + r.IntN(orchardPage)
		if o.kind[p] != 0 && r.IntN(4) == 0 {
			at = int(p-1)*orchardPage + r.IntN(12) // its header
		}
		damaged := bytes.Clone(o.file)
		damaged[at] ^= byte(1 + r.IntN(255))
		o.compare(t, damaged, p, at)
	}
	for _, p := range pages {
		for name, fill := range map[string]byte{"zeros": 0, "ones": 0xff} {
			damaged := bytes.Clone(o.file)
			page := damaged[int(p-1)*orchardPage:][:orchardPage]
			for i := range page {
				page[i] = fill
			}
			if o.compare(t, damaged, p, 0) == nil && o.kind[p] != 0 {
				t.Errorf("page %d of %s: got no error", p, name)
			}
		}
	}
}

func (o *orchard) compare(t *testing.T, damaged []byte, page uint32, at int) error {
	t.Helper()
	rows, err := readRows(damaged)
	if err != nil && abi.CodeOf(err) != CodeCorrupt && abi.CodeOf(err) != CodeTooLarge {
		t.Fatalf("page %d, byte %d: got %v, want %s", page, at, err, CodeCorrupt)
	}
	lost, own := o.missing(rows), map[int64]bool{}
	for _, id := range o.of[page] {
		own[id] = true
	}
	for _, id := range lost {
		if !own[id] {
			t.Fatalf("page %d of type %d, byte %d: row %d of another page is not there as it was; %v", page, o.kind[page], at%orchardPage, id, err)
		}
	}
	n, parsed := parseNode(o.file[int(page-1)*orchardPage:][:orchardPage], page, orchardPage)
	if o.kind[page] == pageInterior && parsed == nil && at%orchardPage >= n.pointers && len(lost) > o.most {
		t.Fatalf("page %d, byte %d: %d rows are lost by one cell; %v", page, at%orchardPage, len(lost), err)
	}
	if o.kind[page] == pageLeaf && parsed == nil && at%orchardPage >= n.pointers+2*n.cells && len(lost) > 2 {
		t.Fatalf("page %d, byte %d: %d rows are lost by one cell; %v", page, at%orchardPage, len(lost), err)
	}
	if err == nil && len(rows) < len(o.rows) {
		t.Fatalf("page %d of type %d, byte %d: %d rows are lost, and nothing tells of it", page, o.kind[page], at%orchardPage, len(o.rows)-len(rows))
	}
	return err
}

// Cells that reach into others would give a small file endless rows. AC-06: of cells out of order the fewest
// are left out.
func TestCellsAreLeftOut(t *testing.T) {
	t.Parallel()
	of := func(rowids ...int64) (cells []leafCell) {
		for _, id := range rowids {
			cells = append(cells, leafCell{rowid: id})
		}
		return cells
	}
	ids := func(cells []leafCell) string {
		var list []int64
		for _, c := range cells {
			list = append(list, c.rowid)
		}
		return fmt.Sprint(list)
	}
	for _, c := range []struct {
		rowids []int64
		least  int64
		want   string
	}{
		{[]int64{1, 2, 3}, 0, "[1 2 3]"}, {[]int64{1, 90, 3, 4}, 0, "[1 3 4]"}, {[]int64{5, 1, 6, 7}, 0, "[1 6 7]"}, {[]int64{1, 1, 2}, 0, "[1 2]"},
		{[]int64{1, 2, 3}, 2, "[2 3]"}, {[]int64{3, 4, 1, 2}, 3, "[3 4]"}, {[]int64{1}, 2, "[]"}, {nil, 0, "[]"},
	} {
		if got := ids(ordered(of(c.rowids...), c.least)); got != c.want {
			t.Errorf("%v from %d: got %s, want %s", c.rowids, c.least, got, c.want)
		}
	}
	for _, c := range []struct {
		rowids []int64
		want   string
	}{{[]int64{1, 2, 90}, "[1 2]"}, {[]int64{1, 80, 90}, "[1 80 90]"}, {[]int64{90}, "[90]"}, {[]int64{1, 2, 10}, "[1 2 10]"}} {
		if got := ids(within(of(c.rowids...), 10)); got != c.want {
			t.Errorf("%v up to 10: got %s, want %s", c.rowids, got, c.want)
		}
	}
	cells := []leafCell{{rowid: 1, at: 100, size: 50}, {rowid: 2, at: 120, size: 10}, {rowid: 3, at: 130, size: 10}, {rowid: 4, at: 60, size: 40}, {rowid: 5, at: 200, size: 9}, {rowid: 6, at: 200, size: 9}}
	if got := ids(apart(cells)); got != "[2 3 4]" {
		t.Errorf("apart: got %s, want [2 3 4]", got)
	}
}

// AC-06: a pointer that leads into another cell costs that cell, and the rows of the leaf are found by their rowids.
func TestPointerIntoACell(t *testing.T) {
	t.Parallel()
	o := newOracle(t, "page_size=512")
	o.exec("CREATE TABLE t (id INTEGER PRIMARY KEY, s, n)")
	const inner = "\x08\x02\x04\x00\x13\x01ABC\x07" // a cell of row 2
	for i, s := range []string{"one " + inner, "two", "three", "four"} {
		o.exec("INSERT INTO t VALUES (?, ?, ?)", i+1, s, i)
	}
	file, _ := o.bytes()
	table, err := o.open().Table("t")
	if err != nil {
		t.Fatal(err)
	}
	page := file[int(table.root-1)*512:][:512]
	at := bytes.Index(page, []byte(inner))
	page[10], page[11] = byte(at>>8), byte(at) // the pointer of the second cell
	rows, err := readRows(file)
	if _, there := rows[1]; there || len(rows) != 3 || rows[2] == "two31" || abi.CodeOf(err) != CodeCorrupt {
		t.Errorf("got %v, %v, want what is in the first row in its place, the two others, and %s", rows, err, CodeCorrupt)
	}
	page[10], page[11] = 0xff, 0xff
	db, err := openBytes(file, nil)
	if err != nil {
		t.Fatal(err)
	}
	if table, err = db.Table("t"); err != nil {
		t.Fatal(err)
	}
	for id, there := range map[int64]bool{1: true, 2: false, 3: true, 4: true} {
		row, err := table.Reader().Row(id)
		if (row != nil) != there || !there && abi.CodeOf(err) != CodeCorrupt {
			t.Errorf("row %d: got %v, %v, want it: %v", id, row, err, there)
		}
	}
}

// AC-06: a row that is out of order hides none, and pointers that lead to another place of the tree give no row twice.
func TestPagesInTheWrongPlace(t *testing.T) {
	t.Parallel()
	o := plant(t, 1200)
	var leaves []uint32
	for p := range uint32(len(o.file) / orchardPage) {
		if o.kind[p+1] == pageLeaf {
			leaves = append(leaves, p+1)
		}
	}
	for i := 0; i+7 < len(leaves); i += 5 {
		damaged := bytes.Clone(o.file)
		copy(damaged[int(leaves[i]-1)*orchardPage:][:orchardPage], o.file[int(leaves[i+7]-1)*orchardPage:])
		if o.compare(t, damaged, leaves[i], 0) == nil {
			t.Errorf("page %d in the place of %d: got no error", leaves[i+7], leaves[i])
		}
	}
}

// AC-06: of a damaged schema the tables that can be read are read, and named.
func TestDamagedSchema(t *testing.T) {
	t.Parallel()
	o := newOracle(t)
	for _, name := range []string{"a", "b", "c"} {
		o.exec("CREATE TABLE " + name + " (id INTEGER PRIMARY KEY AUTOINCREMENT, s)")
		o.exec("INSERT INTO " + name + " (s) VALUES ('row of " + name + "')")
	}
	if names, err := o.open().Tables(); fmt.Sprint(names, err) != "[a b c] <nil>" {
		t.Errorf("got %v, %v, want a, b and c", names, err)
	}
	file, _ := o.bytes()
	at := bytes.Index(file, []byte("tablebb"))
	copy(file[at-6:], bytes.Repeat([]byte{0xff}, 6)) // the record's header
	db, err := openBytes(file, nil)
	if err != nil {
		t.Fatal(err)
	}
	if names, err := db.Tables(); fmt.Sprint(names) != "[a c]" || abi.CodeOf(err) != CodeCorrupt {
		t.Errorf("got %v, %v, want a, c and %s", names, err, CodeCorrupt)
	}
	if _, err := db.Table("c"); err != nil {
		t.Errorf("got %v, want the table behind the damage", err)
	}
	if _, err := db.Table("b"); abi.CodeOf(err) != CodeCorrupt {
		t.Errorf("got %v, want that the schema is damaged", err)
	}
}
