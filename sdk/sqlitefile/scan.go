package sqlitefile

import (
	"cmp"
	"math"
	"slices"
)

// span is where the rowids of a page lie, as the pages above it say; both ends count.
type span struct{ from, to int64 }

var everywhere = span{math.MinInt64, math.MaxInt64}

// scan visits every row below pgno in rowid order. A damaged page costs its rows, a damaged cell
// its row: the walk goes on behind them, and notes the first fault.
func (w *walk) scan(level int, pgno uint32, in span, row *Row, fn func(*Row) error) error {
	n, err := w.load(level, pgno)
	if err != nil {
		return w.spoil(err)
	}
	if n.leaf {
		return w.leaf(n, in, row, fn)
	}
	children, err := w.children(n, in)
	if err != nil {
		return err
	}
	for _, c := range children {
		if err := w.scan(level+1, c.overflow, span{in.from, c.rowid}, row, fn); err != nil {
			return err
		}
		if c.total == 0 {
			in.from = min(c.rowid, math.MaxInt64-1) + 1
		}
	}
	return w.scan(level+1, n.right, in, row, fn)
}

// children lists the cells of an interior page: the page below, as overflow, and its largest rowid. Where
// that is not in order, total is above 0 and the next one's stands for it.
func (w *walk) children(n node, in span) ([]leafCell, error) {
	cells, taken := make([]leafCell, 0, n.cells), 0
	for i := range n.cells {
		child, largest, err := n.child(i)
		if err != nil {
			if err = w.spoil(err); err != nil {
				return nil, err
			}
			continue
		}
		taken += n.childSize(i)
		cells = append(cells, leafCell{rowid: largest, overflow: child, at: i})
	}
	if len(cells) == n.cells && n.unused() != taken {
		if err := w.spoil(corrupt("cell count")); err != nil {
			return nil, err
		}
	}
	sound := ordered(cells, in.from)
	if len(sound) == len(cells) {
		return cells, nil
	}
	next := in.to
	for i := len(cells) - 1; i >= 0; i-- {
		if n := len(sound); n > 0 && sound[n-1].at == cells[i].at {
			next, sound = cells[i].rowid, sound[:n-1]
		} else {
			cells[i].rowid, cells[i].total = next, 1
		}
	}
	return cells, w.spoil(corrupt("rowids out of order"))
}

// leaf visits the rows of a leaf.
func (w *walk) leaf(n node, in span, row *Row, fn func(*Row) error) error {
	cells, taken := w.cells[:0], 0
	for i := range n.cells {
		c, err := n.leafCell(i, w.db.usable)
		if err != nil {
			if err = w.spoil(err); err != nil {
				return err
			}
			continue
		}
		taken += max(c.size, smallest)
		cells = append(cells, c)
	}
	w.cells = cells
	if err := w.check(n, cells, taken, in); err != nil {
		return w.spoil(err)
	}
	sound := apart(ordered(within(cells, in.to), w.least()))
	if len(sound) < len(cells) {
		if err := w.spoil(corrupt("rowids out of order, or overlapping cells")); err != nil {
			return err
		}
	}
	for _, c := range sound {
		w.any, w.last = true, c.rowid
		if err := w.fill(c, row); err != nil {
			if err = w.spoil(err); err != nil {
				return err
			}
			continue
		}
		if err := fn(row); err != nil {
			return err
		}
	}
	return nil
}

// check compares a leaf with what is said of it elsewhere. An error says that it is not this leaf.
func (w *walk) check(n node, cells []leafCell, taken int, in span) error {
	if len(cells) == n.cells && n.unused() != taken {
		if err := w.spoil(corrupt("cell count")); err != nil {
			return err
		}
	}
	foreign := len(cells) > 0
	for _, c := range cells {
		foreign = foreign && (c.rowid < in.from || c.rowid > in.to)
	}
	if foreign {
		return corrupt("a page of another place")
	}
	return nil
}

// least is the smallest rowid that may follow.
func (w *walk) least() int64 {
	if !w.any {
		return math.MinInt64
	}
	return min(w.last, math.MaxInt64-1) + 1
}

// within leaves out the last cell of a leaf if it alone is larger than the page above says.
func within(cells []leafCell, most int64) []leafCell {
	if n := len(cells); n > 1 && cells[n-1].rowid > most && cells[n-2].rowid <= most {
		return cells[:n-1]
	}
	return cells
}

// ordered returns the longest part of a page's cells whose rowids ascend, from the least on.
func ordered(cells []leafCell, least int64) []leafCell {
	if ascend(cells, least) {
		return cells
	}
	var ends, before []int // the last cell of the best part of each length, and what stands before each cell
	for i, c := range cells {
		at, _ := slices.BinarySearchFunc(ends, c.rowid, func(e int, id int64) int { return cmp.Compare(cells[e].rowid, id) })
		prior := -1
		if at > 0 {
			prior = ends[at-1]
		}
		before = append(before, prior)
		switch {
		case c.rowid < least:
		case at == len(ends):
			ends = append(ends, i)
		default:
			ends[at] = i
		}
	}
	if len(ends) == 0 {
		return nil
	}
	var sound []leafCell
	for i := ends[len(ends)-1]; i >= 0; i = before[i] {
		sound = append(sound, cells[i])
	}
	slices.Reverse(sound)
	return sound
}

func ascend(cells []leafCell, least int64) bool {
	for i, c := range cells {
		if c.rowid < least || i > 0 && c.rowid <= cells[i-1].rowid {
			return false
		}
	}
	return true
}

// apart leaves out cells that reach into the next one: else a small file could have endless rows.
func apart(cells []leafCell) []leafCell {
	at := make([]int, len(cells))
	for i, c := range cells {
		at[i] = c.at
	}
	slices.Sort(at)
	sound := cells[:0:0]
	for _, c := range cells {
		next, _ := slices.BinarySearch(at, c.at+1)
		twice := next > 1 && at[next-2] == c.at
		if !twice && (next == len(at) || c.at+c.size <= at[next]) {
			sound = append(sound, c)
		}
	}
	return sound
}
