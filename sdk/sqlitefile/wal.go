package sqlitefile

import "io"

// Sizes and marks of section 4.1.
const (
	walHeaderSize  = 32
	walFrameHeader = 24
	walMagicLE     = 0x377f0682 // checksums over little-endian words
	walMagicBE     = 0x377f0683
	walVersion     = 3007000
)

// wal is an indexed write-ahead log: where the newest committed version of each
// page lies.
type wal struct {
	r        io.ReadSeeker
	header   [walHeaderSize]byte
	bytes    int64
	pageSize int
	pages    uint32           // database size after the last commit
	frames   map[uint32]int64 // page number -> offset of its frame
	head     [walFrameHeader]byte
}

// openWAL walks the log from its start, checking salts and the running
// checksum, up to the last commit before the first frame that fails. Frames
// after the last commit are a transaction that never finished and do not count.
// It returns nil when the log has no usable header.
func openWAL(r io.ReadSeeker, pageSize int, limit int64) (*wal, error) {
	size, err := r.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, readFailed(err)
	}
	if size > limit {
		return nil, tooLarge("write-ahead log")
	}
	w := &wal{r: r, bytes: size, pageSize: pageSize, frames: map[uint32]int64{}}
	if size < walHeaderSize {
		return nil, nil
	}
	if err := readAt(r, 0, w.header[:]); err != nil {
		return nil, err
	}
	h := w.header[:]
	mark := be32(h)
	if mark != walMagicLE && mark != walMagicBE || be32(h[4:]) != walVersion || int64(be32(h[8:])) != int64(pageSize) {
		return nil, nil
	}
	sum := walChecksum{big: mark == walMagicBE}
	sum.add(h[:24])
	if sum.s1 != be32(h[24:]) || sum.s2 != be32(h[28:]) {
		return nil, nil
	}
	return w, w.index(sum)
}

func (w *wal) index(sum walChecksum) error {
	frame := make([]byte, walFrameHeader+w.pageSize)
	pending := map[uint32]int64{}
	if _, err := w.r.Seek(walHeaderSize, io.SeekStart); err != nil {
		return readFailed(err)
	}
	for off := int64(walHeaderSize); off+int64(len(frame)) <= w.bytes; off += int64(len(frame)) {
		if _, err := io.ReadFull(w.r, frame); err != nil {
			if err == io.EOF || err == io.ErrUnexpectedEOF {
				return nil // the log shrank: the committed frames so far are valid
			}
			return readFailed(err)
		}
		if !w.saltsMatch(frame) {
			return nil
		}
		sum.add(frame[:8])
		sum.add(frame[walFrameHeader:])
		if sum.s1 != be32(frame[16:]) || sum.s2 != be32(frame[20:]) {
			return nil
		}
		pgno := be32(frame)
		if pgno == 0 {
			return nil
		}
		pending[pgno] = off
		if commit := be32(frame[4:]); commit != 0 {
			w.pages = commit
			for p, o := range pending {
				w.frames[p] = o
			}
			clear(pending)
		}
	}
	return nil
}

// saltsMatch distinguishes a frame of this log from a leftover of an earlier one.
func (w *wal) saltsMatch(frame []byte) bool {
	return string(frame[8:16]) == string(w.header[16:24])
}

// page fills p with the newest committed version of pgno, if the log has one.
func (w *wal) page(pgno uint32, p []byte) (bool, error) {
	off, ok := w.frames[pgno]
	if !ok {
		return false, nil
	}
	if err := readAt(w.r, off, w.head[:]); err != nil {
		return false, err
	}
	// A writer may have restarted the log since it was indexed.
	if be32(w.head[:]) != pgno || !w.saltsMatch(w.head[:]) {
		return false, corrupt("the write-ahead log was restarted while it was read")
	}
	if _, err := io.ReadFull(w.r, p); err != nil {
		return false, corrupt("the write-ahead log shrank while it was read")
	}
	return true, nil
}

// walChecksum is the running checksum of section 4.2.
type walChecksum struct {
	s1, s2 uint32
	big    bool
}

// add takes b, whose length is a multiple of 8.
func (c *walChecksum) add(b []byte) {
	for ; len(b) >= 8; b = b[8:] {
		if c.big {
			c.s1 += be32(b) + c.s2
			c.s2 += be32(b[4:]) + c.s1
		} else {
			c.s1 += le32(b) + c.s2
			c.s2 += le32(b[4:]) + c.s1
		}
	}
}
