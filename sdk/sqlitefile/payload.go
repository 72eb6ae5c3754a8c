package sqlitefile

// leafCell is one cell of a table leaf page (section 1.6).
type leafCell struct {
	rowid    int64
	total    uint64 // length of the whole payload
	local    []byte // the payload's part on this page
	overflow uint32 // first overflow page, 0 when local is all
	at, size int    // the bytes of the page that the cell takes
}

func (n node) leafCell(i, usable int) (leafCell, error) {
	b, err := n.cell(i)
	if err != nil {
		return leafCell{}, err
	}
	total, used := varint(b)
	if used == 0 || total > 1<<31-1 {
		return leafCell{}, corrupt("payload length")
	}
	id, used2 := varint(b[used:])
	if used2 == 0 {
		return leafCell{}, corrupt("rowid")
	}
	c := leafCell{rowid: int64(id), total: total, at: len(n.page) - len(b)}
	b = b[used+used2:]
	local := localBytes(int(total), usable)
	if local > len(b) {
		return leafCell{}, corrupt("cell length")
	}
	c.local = b[:local]
	c.size = used + used2 + local
	if uint64(local) < total {
		if local+4 > len(b) {
			return leafCell{}, corrupt("overflow pointer")
		}
		c.overflow = be32(b[local:])
		c.size += 4
	}
	return c, nil
}

// localBytes is how much of a payload of total bytes lies on a table leaf page
// whose usable size is usable (section 1.6, "U", "X", "M", "K").
func localBytes(total, usable int) int {
	most := usable - 35
	if total <= most {
		return total
	}
	least := (usable-12)*32/255 - 23
	if k := least + (total-least)%(usable-4); k <= most {
		return k
	}
	return least
}

// fill reads the cell's payload, up to Limits.MaxRowBytes, and decodes it.
func (w *walk) fill(c leafCell, row *Row) error {
	row.Rowid = c.rowid
	row.payload = append(row.payload[:0], c.local...)
	want := min(c.total, uint64(max(w.db.limits.MaxRowBytes, len(c.local))))
	next := c.overflow
	for uint64(len(row.payload)) < want {
		if w.overflow--; w.overflow < 0 {
			return corrupt("overflow page loop")
		}
		if w.over == nil {
			w.over = make([]byte, w.db.pageSize)
		}
		if err := w.db.readPage(next, w.over); err != nil {
			return err
		}
		next = be32(w.over)
		part := w.over[4:w.db.usable]
		if left := want - uint64(len(row.payload)); uint64(len(part)) > left {
			part = part[:left]
		}
		row.payload = append(row.payload, part...)
	}
	return row.decode(c.total, w.db.encoding)
}
