package sqlitefile

// Limits bounds the cost of one database. A zero field takes its default.
type Limits struct {
	// MaxRowBytes is how much of one row's payload is read. Values that lie
	// beyond come out as Oversized. Default 4 MiB.
	MaxRowBytes int
	// MaxWALBytes is the largest write-ahead log that is indexed. Default 1 GiB.
	MaxWALBytes int64
	// MaxSchemaSQL is the longest CREATE TABLE text that is parsed. Default 256 KiB.
	MaxSchemaSQL int
}

const (
	// maxDepth is deeper than any table b-tree of the largest possible file.
	maxDepth = 24
	// maxColumns is SQLite's own hard upper bound.
	maxColumns = 32767
)

func (l Limits) withDefaults() Limits {
	if l.MaxRowBytes <= 0 {
		l.MaxRowBytes = 4 << 20
	}
	if l.MaxWALBytes <= 0 {
		l.MaxWALBytes = 1 << 30
	}
	if l.MaxSchemaSQL <= 0 {
		l.MaxSchemaSQL = 256 << 10
	}
	return l
}
