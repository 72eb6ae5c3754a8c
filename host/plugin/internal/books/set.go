package books

import "hash/maphash"

const (
	// maxExact is how many files a set knows exactly: half a megabyte of slots.
	maxExact = 57_000
	slots    = 1 << 16
	// bloomBytes is the size of a set that was too large: with a million files one in
	// forty that nothing explains passes for explained. The seed is another one in each
	// run, so the next run finds it.
	bloomBytes = 960_000
	bloomTries = 5
)

// set is a set of hashes of file names. It grows to slots of eight bytes; beyond maxExact
// it becomes a Bloom filter, so that a million files cost less than a megabyte (AC-16).
type set struct {
	table []uint64 // open addressing; 0: free
	n     int
	bloom []byte
}

// hash is a file's place in sets of one run. It is never 0.
func hash(seed maphash.Seed, root, path string) uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	_, _ = h.WriteString(root)
	_ = h.WriteByte(0)
	_, _ = h.WriteString(path)
	return max(h.Sum64(), 1)
}

// add adds a hash, and reports whether it is new as far as the set knows.
func (s *set) add(h uint64) bool {
	if s.bloom != nil {
		return s.mark(h)
	}
	if s.find(h) {
		return false
	}
	if s.n >= maxExact {
		s.widen()
		return s.mark(h)
	}
	if len(s.table) < slots && s.n*4 >= len(s.table)*3 {
		s.grow()
	}
	s.put(h)
	return true
}

// has reports whether the hash was added; of a set that was too large it may say so of
// another one.
func (s *set) has(h uint64) bool {
	if s.bloom == nil {
		return s.find(h)
	}
	for i := range uint64(bloomTries) {
		if at := bit(h, i); s.bloom[at/8]&(1<<(at%8)) == 0 {
			return false
		}
	}
	return true
}

func (s *set) find(h uint64) bool {
	if len(s.table) == 0 {
		return false
	}
	for at := h % uint64(len(s.table)); s.table[at] != 0; at = (at + 1) % uint64(len(s.table)) {
		if s.table[at] == h {
			return true
		}
	}
	return false
}

func (s *set) put(h uint64) {
	at := h % uint64(len(s.table))
	for s.table[at] != 0 {
		at = (at + 1) % uint64(len(s.table))
	}
	s.table[at] = h
	s.n++
}

func (s *set) grow() {
	old := s.table
	s.table, s.n = make([]uint64, min(max(2*len(old), 256), slots)), 0
	for _, h := range old {
		if h != 0 {
			s.put(h)
		}
	}
}

// widen turns the table into a Bloom filter.
func (s *set) widen() {
	s.bloom = make([]byte, bloomBytes)
	for _, h := range s.table {
		if h != 0 {
			s.mark(h)
		}
	}
	s.table = nil
}

func (s *set) mark(h uint64) (fresh bool) {
	for i := range uint64(bloomTries) {
		at := bit(h, i)
		fresh = fresh || s.bloom[at/8]&(1<<(at%8)) == 0
		s.bloom[at/8] |= 1 << (at % 8)
	}
	return fresh
}

// bit is the i-th place of a hash in the filter, by double hashing.
func bit(h, i uint64) uint64 { return (h + i*(h>>17|1)) % (bloomBytes * 8) }
