package credential

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/manifest"
	"github.com/pdpp-host/pdpp-host/health/verdict"
	"github.com/pdpp-host/pdpp-host/host/owner/modules"
	"github.com/pdpp-host/pdpp-host/host/schedule"
	"github.com/pdpp-host/pdpp-host/storage"
)

// Probe looks at the credentials of connections: whether what a run failed for is
// mended since.
type Probe struct {
	Store  *storage.Store
	Getenv func(string) string
	Now    func() time.Time
	// Serves says that this process makes the runs, so that its environment is theirs.
	Serves bool
}

// Look holds against a failure what was stored since, and whether the
// environment has another value than the one that failed: that a process was started
// again is no news. Where nothing was rejected, and a stored one is gone, any that is
// there is worth a try.
func (p *Probe) Look(ctx context.Context, c storage.Connection, o schedule.Obstacle) (verdict.SatisfactionEvidence, string, error) {
	none := verdict.SatisfactionEvidence{}
	stored, err := p.Store.StoredCredentials(ctx, c.ID)
	if err != nil {
		return none, "", err
	}
	var newest time.Time
	for _, f := range stored {
		if f.UpdatedAt.After(newest) {
			newest = f.UpdatedAt
		}
	}
	mark := p.Environment(&c, stored)
	version := strconv.FormatInt(newest.UnixMicro(), 10) + " " + mark
	if o.Code == schedule.CodeSignedOut {
		return verdict.SatisfactionEvidence{Credential: &verdict.CredentialEvidence{Present: p.signedIn(&c, stored)}}, version, nil
	}
	// A failure in the future comes from a clock that was put back: what was stored since
	// cannot be told from what was stored before, and each is tried once.
	fresh := newest.After(o.Since) || o.Since.After(p.Now())
	if mark != "" {
		was, err := p.Store.RejectedEnvironment(ctx, c.ID)
		if err != nil {
			return none, "", err
		}
		fresh = fresh || was != mark
	}
	return verdict.SatisfactionEvidence{Credential: &verdict.CredentialEvidence{Present: len(stored) > 0 || mark != "", Rejected: !fresh}}, version, nil
}

// signedIn tells whether all is there that the connector requires, in the store or
// in the environment. A process that only looks does not know the one of what serves.
func (p *Probe) signedIn(c *storage.Connection, stored []storage.StoredCredential) bool {
	m, getenv := modules.Pinned(c), OwnEnvironment(c, p.Getenv)
	return m == nil || !slices.ContainsFunc(manifest.Credentials(m), func(f abi.CredentialField) bool {
		return f.Required && !isStored(stored, f.Name) && (!p.Serves || VariableOf(f, getenv) == "")
	})
}

func isStored(stored []storage.StoredCredential, field string) bool {
	return slices.ContainsFunc(stored, func(c storage.StoredCredential) bool { return c.Field == field })
}

// Environment is the mark of what a run of the connection takes from the environment;
// "" when it takes nothing from there, or this process makes no runs.
func (p *Probe) Environment(c *storage.Connection, stored []storage.StoredCredential) string {
	m := modules.Pinned(c)
	if m == nil || !p.Serves {
		return ""
	}
	return environmentMark(c, manifest.Credentials(m), stored, OwnEnvironment(c, p.Getenv))
}

// markBytes is how much is kept of a value: enough to see that it is another one, all
// but once in 65,536 times, and too little to find out which it is, unless there are few
// it can be, also for who has the store and so the key.
const markBytes = 2

// environmentMark tells values of the environment apart, of one connection: the key is
// its id, which is random and of this host.
func environmentMark(c *storage.Connection, fields []abi.CredentialField, stored []storage.StoredCredential, getenv func(string) string) string {
	h, used := hmac.New(sha256.New, []byte(c.ID)), false
	for _, f := range fields {
		name := VariableOf(f, getenv)
		if name == "" || isStored(stored, f.Name) { // a stored one wins
			continue
		}
		value := getenv(name)
		fmt.Fprintf(h, "%d %s %d %s ", len(f.Name), f.Name, len(value), value)
		used = true
	}
	if !used {
		return ""
	}
	return hex.EncodeToString(h.Sum(nil)[:markBytes])
}
