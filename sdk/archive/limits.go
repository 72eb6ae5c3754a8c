package archive

// Limits bounds the cost of one archive. A zero field takes its default.
type Limits struct {
	Entries    int64 // entries of the directory; default 1,000,000
	NameBytes  int   // length of an entry's name; default 4,096
	EntryBytes int64 // one entry, unpacked; default 128 GiB
	TotalBytes int64 // everything that is unpacked; default 1 TiB
	// Ratio is how many times its packed size an entry may unpack to, beyond the first
	// MiB. Default 250: text that repeats itself reaches 30, a bomb 1,000.
	Ratio int64
}

// ratioFree is what an entry may unpack to whatever its ratio.
const ratioFree = 1 << 20

func (l Limits) withDefaults() Limits {
	if l.Entries <= 0 {
		l.Entries = 1_000_000
	}
	if l.NameBytes <= 0 {
		l.NameBytes = 4096
	}
	if l.EntryBytes <= 0 {
		l.EntryBytes = 128 << 30
	}
	if l.TotalBytes <= 0 {
		l.TotalBytes = 1 << 40
	}
	if l.Ratio <= 0 {
		l.Ratio = 250
	}
	return l
}

// within reports whether packed bytes may unpack to size bytes.
func (l Limits) within(packed, size int64) bool {
	return size <= ratioFree || (size-ratioFree)/l.Ratio <= packed
}
