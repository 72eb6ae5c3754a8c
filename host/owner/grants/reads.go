package grants

import (
	"context"
	"fmt"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/storage"
)

// Read is one read of an app's: what it was told, and nothing of what stood in it.
type Read = storage.DisclosureShown

// MostReads bounds how many reads are returned.
const MostReads = 1000

// Reads returns what was read by a grant, the newest first, up to the last second: below the
// number before, where it is not 0. id "" is every grant, and every token of the owner's.
func Reads(ctx context.Context, o *owner.Owner, id string, before, limit int64) ([]Read, error) {
	d, err := deskOf(ctx, o)
	if err != nil {
		return nil, err
	}
	if id != "" {
		if _, err := d.Store.GrantOf(ctx, id); err != nil {
			return nil, err
		}
	}
	return d.Store.Disclosures(ctx, id, before, min(max(limit, 1), MostReads))
}

// The bounds of what an app may read by a grant in an hour, in bytes.
const (
	leastBytes = 1 << 20
	mostBytes  = 1 << 40
)

// Limit says how many bytes an app may read by a grant in an hour.
func Limit(ctx context.Context, o *owner.Owner, id string, hourlyBytes int64) error {
	if hourlyBytes < leastBytes || hourlyBytes > mostBytes {
		return abi.NewError(abi.CodeUsage, "the bytes of an hour are not between 1 MiB and 1 TiB", "the usual is 200MiB")
	}
	d, err := deskOf(ctx, o)
	if err != nil {
		return err
	}
	if _, err := d.Store.GrantOf(ctx, id); err != nil {
		return err
	}
	return o.Audited(ctx, d.Store, "grants.limit", fmt.Sprintf("%s %d", id, hourlyBytes), func(ctx context.Context) error {
		return d.Store.LimitGrant(ctx, id, hourlyBytes)
	})
}
