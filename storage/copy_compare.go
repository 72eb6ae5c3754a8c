package storage

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"

	"github.com/uptrace/bun"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
)

// compare holds a table of the target to the source's: as many rows, and the same sum over
// them by their key.
func (c *copying) compare(t copyTable) error {
	columns, err := columnsOf(c.ctx, c.from.DB, t.name)
	if err != nil {
		return err
	}
	query := t.query(columns, nil)
	want, sum, err := fingerprint(c.ctx, c.from.DB, query, len(columns))
	if err != nil {
		return err
	}
	got, other, err := fingerprint(c.ctx, c.to.Read, query, len(columns))
	if err != nil {
		return err
	}
	if got != want || sum != other {
		return c.differs(fmt.Sprintf("the copy's %s differ from the source's: %d rows, want %d", t.name, got, want))
	}
	c.rows[t.name] = got
	c.done.Rows += got
	if t.name == "records" {
		c.done.Records = got
	}
	return nil
}

func (c *copying) differs(message string) *abi.Error {
	return abi.NewError(CodeCopyDiffers, message,
		"an earlier copy was of another store, or one of the two has changed since: remove the target and copy again").WithDetail(c.to.Path)
}

// fingerprint counts and sums the rows of a query.
func fingerprint(ctx context.Context, q bun.IDB, query string, columns int) (n int64, sum [sha256.Size]byte, err error) {
	rows, err := q.QueryContext(ctx, query)
	if err != nil {
		return 0, sum, err
	}
	defer func() { _ = rows.Close() }()
	h := sha256.New()
	for ; rows.Next(); n++ {
		values, err := db.Scan(rows, columns)
		if err != nil {
			return 0, sum, err
		}
		for _, v := range values {
			if err := add(h, v); err != nil {
				return 0, sum, err
			}
		}
	}
	return n, [sha256.Size]byte(h.Sum(nil)), rows.Err()
}

// add adds a value to a sum, the same for both databases.
func add(h hash.Hash, v any) error {
	head := make([]byte, 9)
	body := ""
	switch v := v.(type) {
	case nil:
	case int64:
		head[0] = 'i'
		binary.BigEndian.PutUint64(head[1:], uint64(v)) //nolint:gosec // its bits
	case bool:
		head[0], head[8] = 'i', db.Bit(v)
	case string:
		head[0], body = 't', v
	case []byte:
		head[0], body = 'b', string(v)
	default:
		return fmt.Errorf("a value is a %T", v)
	}
	if head[0] == 't' || head[0] == 'b' {
		binary.BigEndian.PutUint64(head[1:], uint64(len(body)))
	}
	_, _ = h.Write(head)
	_, _ = h.Write([]byte(body))
	return nil
}
