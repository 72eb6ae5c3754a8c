package sqlitefile

// Page types of section 1.6 that a table b-tree has.
const (
	pageInterior = 0x05
	pageLeaf     = 0x0d
)

// walk is one pass over one table's b-tree. Its budget keeps the work proportional to
// the file whatever its pointers say: in a sound file every page, overflow pages
// included, belongs to exactly one place of one tree.
type walk struct {
	db     *DB
	budget int64
	stack  [][]byte // one page buffer a level, reused
	over   []byte   // overflow page buffer
	last   int64    // last rowid seen
	any    bool
}

func (db *DB) newWalk() *walk { return &walk{db: db, budget: int64(db.pages)} }

// load reads pgno into the buffer of that level.
func (w *walk) load(level int, pgno uint32) (node, error) {
	if level >= maxDepth {
		return node{}, corrupt("b-tree depth")
	}
	if w.budget--; w.budget < 0 {
		return node{}, corrupt("page loop")
	}
	for len(w.stack) <= level {
		w.stack = append(w.stack, make([]byte, w.db.pageSize))
	}
	p := w.stack[level]
	if err := w.db.readPage(pgno, p); err != nil {
		return node{}, err
	}
	return parseNode(p, pgno, w.db.usable)
}

// node is one page of a table b-tree.
type node struct {
	page     []byte // up to the usable size
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
	n := node{page: page[:usable], pointers: head + 8}
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

// scan visits every row below pgno in rowid order.
func (w *walk) scan(level int, pgno uint32, row *Row, fn func(*Row) error) error {
	n, err := w.load(level, pgno)
	if err != nil {
		return err
	}
	if !n.leaf {
		for i := range n.cells {
			child, _, err := n.child(i)
			if err != nil {
				return err
			}
			if err := w.scan(level+1, child, row, fn); err != nil {
				return err
			}
		}
		return w.scan(level+1, n.right, row, fn)
	}
	room := len(n.page)
	for i := range n.cells {
		c, err := n.leafCell(i, w.db.usable)
		if err != nil {
			return err
		}
		// Cells that overlap would multiply a small file into endless rows.
		if room -= c.size; room < 0 {
			return corrupt("overlapping cells")
		}
		if w.any && c.rowid <= w.last {
			return corrupt("rowids out of order")
		}
		w.any, w.last = true, c.rowid
		if err := w.fill(c, row); err != nil {
			return err
		}
		if err := fn(row); err != nil {
			return err
		}
	}
	return nil
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
		if err != nil {
			return false, err
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
