package sqlitefile

import (
	"slices"

	"github.com/pdpp-host/pdpp-host/abi"
)

// Page types of section 1.6 that a table b-tree has.
const (
	pageInterior = 0x05
	pageLeaf     = 0x0d
)

// walk is one pass over one table's b-tree. Its budgets keep the work proportional to
// the file whatever its pointers say: in a sound file every page, overflow pages
// included, belongs to exactly one place of one tree, and in a damaged one only pages that
// are not where they seem are looked at again.
type walk struct {
	db       *DB
	budget   int64    // tree pages
	overflow int64    // overflow pages
	stack    [][]byte // one page buffer a level, reused
	path     []uint32 // the pages in stack
	over     []byte   // overflow page buffer
	cells    []leafCell
	last     int64 // last rowid seen
	any      bool
	damage   error // the first that the walk went on behind
}

func (db *DB) newWalk() *walk {
	w := &walk{db: db}
	w.renew()
	return w
}

func (w *walk) renew() {
	const times = 4
	there := (w.db.stamp.FileBytes+w.db.stamp.WALBytes)/int64(w.db.pageSize) + 1
	w.budget = times * min(there, int64(w.db.pages)) // a header may lie
	w.overflow = w.budget
}

// spoil notes damage behind which the walk goes on. It returns what ends the walk: a failure to
// read, or a budget that is used up.
func (w *walk) spoil(err error) error {
	if abi.CodeOf(err) == CodeRead || w.budget < 0 || w.overflow < 0 {
		return err
	}
	if w.damage == nil {
		w.damage = err
	}
	return nil
}

// load reads pgno into the buffer of that level.
func (w *walk) load(level int, pgno uint32) (node, error) {
	if level >= maxDepth {
		return node{}, corrupt("b-tree depth")
	}
	if w.budget--; w.budget < 0 {
		return node{}, corrupt("page loop")
	}
	for len(w.stack) <= level {
		w.stack, w.path = append(w.stack, make([]byte, w.db.pageSize)), append(w.path, 0)
	}
	if slices.Contains(w.path[:level], pgno) {
		return node{}, corrupt("page loop")
	}
	w.path[level] = pgno
	p := w.stack[level]
	if err := w.db.readPage(pgno, p); err != nil {
		return node{}, err
	}
	return parseNode(p, pgno, w.db.usable)
}

// node is one page of a table b-tree.
type node struct {
	page     []byte // up to the usable size
	head     int    // offset of the page header
	leaf     bool
	cells    int
	pointers int    // offset of the cell pointer array
	right    uint32 // right-most child of an interior page
}

func parseNode(page []byte, pgno uint32, usable int) (node, error) {
	head := 0
	if pgno == 1 {
		head = 100 // the file header comes first
	}
	n := node{page: page[:usable], head: head, pointers: head + 8}
	switch page[head] {
	case pageLeaf:
		n.leaf = true
	case pageInterior:
		n.pointers = head + 12
		n.right = be32(page[head+8:])
	default:
		return node{}, corrupt("page type")
	}
	n.cells = be16(page[head+3:])
	if n.pointers+2*n.cells > usable {
		return node{}, corrupt("cell count")
	}
	return n, nil
}

// cell returns the page from cell i on.
func (n node) cell(i int) ([]byte, error) {
	off := be16(n.page[n.pointers+2*i:])
	if off < n.pointers+2*n.cells || off >= len(n.page) {
		return nil, corrupt("cell pointer")
	}
	return n.page[off:], nil
}

// smallest is what a cell takes at least.
const smallest = 4

// childSize is how much of an interior page its cell i takes.
func (n node) childSize(i int) int {
	c, err := n.cell(i)
	if err != nil {
		return 0
	}
	_, used := varint(c[4:])
	return 4 + used
}

// unused is what the page's cells should take: its content without free blocks and fragments (section
// 1.6). It is -1 where the free blocks are damaged.
func (n node) unused() int {
	head := n.head
	content := be16(n.page[head+5:])
	if content == 0 {
		content = 65536
	}
	left := len(n.page) - content - int(n.page[head+7])
	for at, last := be16(n.page[head+1:]), 0; at != 0; {
		if at <= last || at+4 > len(n.page) {
			return -1
		}
		left, last = left-be16(n.page[at+2:]), at
		at = be16(n.page[at:])
	}
	return left
}

// child returns the page and the largest rowid of an interior page's cell i.
func (n node) child(i int) (pgno uint32, rowid int64, err error) {
	c, err := n.cell(i)
	if err != nil {
		return 0, 0, err
	}
	if len(c) < 5 {
		return 0, 0, corrupt("interior cell")
	}
	v, used := varint(c[4:])
	if used == 0 {
		return 0, 0, corrupt("interior cell")
	}
	return be32(c), int64(v), nil
}

// seek finds one row.
func (w *walk) seek(pgno uint32, rowid int64, row *Row) (bool, error) {
	for level := 0; ; level++ {
		n, err := w.load(level, pgno)
		if err != nil {
			return false, err
		}
		if n.leaf {
			return w.seekLeaf(n, rowid, row)
		}
		pgno = n.right
		lo, hi := 0, n.cells
		for lo < hi {
			mid := (lo + hi) / 2
			child, largest, err := n.child(mid)
			if err != nil {
				return false, err
			}
			if rowid <= largest {
				hi, pgno = mid, child
			} else {
				lo = mid + 1
			}
		}
	}
}

func (w *walk) seekLeaf(n node, rowid int64, row *Row) (bool, error) {
	lo, hi := 0, n.cells
	for lo < hi {
		mid := (lo + hi) / 2
		c, err := n.leafCell(mid, w.db.usable)
		if err != nil { // no order can be relied on
			return w.seekEach(n, rowid, row)
		}
		switch {
		case c.rowid == rowid:
			return true, w.fill(c, row)
		case c.rowid < rowid:
			lo = mid + 1
		default:
			hi = mid
		}
	}
	return false, nil
}

// seekEach looks at each cell of a leaf that is damaged.
func (w *walk) seekEach(n node, rowid int64, row *Row) (bool, error) {
	for i := range n.cells {
		if c, err := n.leafCell(i, w.db.usable); err == nil && c.rowid == rowid {
			return true, w.fill(c, row)
		}
	}
	return false, corrupt("cell pointer")
}
