package books

import "hash/maphash"

// few is a set of hashes in a quarter of a megabyte: of each it has 32 bits. Beyond maxExact
// it is full, and has everything.
type few struct {
	table []uint32 // open addressing; 0: free
	n     int
}

func (s *few) full() bool { return s.n >= maxExact }

func (s *few) add(h uint64) {
	if s.full() {
		return
	}
	if s.table == nil {
		s.table = make([]uint32, slots)
	}
	if at := s.at(h); s.table[at] == 0 {
		s.table[at] = short(h)
		s.n++
	}
	if s.full() {
		s.table = nil // a large set of what is explained takes its place (AC-16)
	}
}

func (s *few) has(h uint64) bool {
	return s.full() || s.table != nil && s.table[s.at(h)] != 0
}

// at is the place of a hash, or a free one.
func (s *few) at(h uint64) int {
	at := int(h % slots)
	for s.table[at] != 0 && s.table[at] != short(h) {
		at = (at + 1) % slots
	}
	return at
}

// short is the upper half of a hash. The lower one has its place.
func short(h uint64) uint32 { return max(uint32(h>>32), 1) }

// told is the place in few of a file that the guest says is known or damaged, by its name.
func told(h uint64) uint64 { return ^h }

// place is the place in few of a file, whatever its names are.
func place(seed maphash.Seed, dev, ino uint64) uint64 {
	return maphash.Comparable(seed, [2]uint64{dev, ino})
}
