package connection

import (
	"context"

	"github.com/uptrace/bun"

	"github.com/pdpp-host/pdpp-host/abi"
)

// Key is what a connection is found by.
type Key struct {
	ID        string
	Name      string
	Connector string
}

// KeyQuery chooses connections. The zero value means all of them, by name.
type KeyQuery struct {
	IDs         []string // nil: any
	Connector   string   // "": any
	ByConnector bool     // by connector, and then by name
	After       Key      // the last one of the page before; zero: from the first one on
	Limit       int      // at most so many; 0: no limit
}

// ConnectionKeys returns what the connections are found by that q chooses. It reads no manifest,
// as Connections does.
func (s *Store) ConnectionKeys(ctx context.Context, q KeyQuery) (keys []Key, err error) {
	if q.IDs != nil && len(q.IDs) == 0 {
		return nil, nil
	}
	query := s.db.Read.NewSelect().Table("connections").Column("id", "name", "connector").Limit(int64(q.Limit))
	if q.IDs != nil {
		query.Where("id IN (?)", bun.List(q.IDs))
	}
	if q.Connector != "" {
		query.Where("replace(lower(connector), '-', '_') = ?", abi.CanonicalKey(abi.KeyNamed(q.Connector)))
	}
	switch after := q.After; {
	case q.ByConnector:
		query.Order("connector", "name").Where("(connector, name) > (?, ?)", after.Connector, after.Name)
	default:
		query.Order("name").Where("name > ?", after.Name)
	}
	err = query.Scan(ctx, &keys)
	return keys, s.db.Fail("read the connections", err)
}
