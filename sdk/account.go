package sdk

import (
	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/fingerprint"
	"github.com/pdpp-host/pdpp-host/sdk/jsonappend"
)

// Account is whose data a run collects, as its cursors remember it.
type Account struct {
	sum uint64 // of the id; 0: not known
	// Changed says that the run, a full refresh, takes the place of another
	// account: what the cursors before it know is that one's.
	Changed bool
}

// accountMember names the account in a cursor.
const accountMember = "account"

// Account holds the ids by which the provider names the owner of the credentials
// against the cursors of all streams in scope. Several ids are names of the same
// account, the one to remember first, and an empty one is none; a cursor that
// names no account is anybody's.
//
// A cursor of another account is a *Failure <connector_key>_account_changed: the
// rows of two people would be mixed. Call it before anything is emitted. A full
// refresh may go on, because it emits everything and buries what it does not
// meet of what Previous names; Changed says so.
func (h *Host) Account(ids ...string) (Account, error) {
	var a Account
	same := make(map[uint64]bool)
	for _, id := range ids {
		if id == "" {
			continue
		}
		sum := fingerprint.Sum48([]byte(id))
		if same[sum] = true; a.sum == 0 {
			a.sum = sum
		}
	}
	for _, stream := range h.Streams() {
		known := uint64(h.Cursor(stream).Get(accountMember).Int())
		if known != 0 && !same[known] {
			return Account{}, &Failure{
				Code: abi.CanonicalKey(h.manifest.Get("connector_key").Str()) + "_account_changed", Hint: "manual_action_required",
				Message: "the credentials belong to another account than the one collected so far; make a connection of its own for it," +
					" or let a full refresh put it in the place of the other",
			}
		}
		known = uint64(h.Previous(stream).Get(accountMember).Int())
		a.Changed = a.Changed || known != 0 && !same[known]
	}
	return a, nil
}

// AppendTo names the account in a cursor, a JSON object that is not closed yet.
func (a Account) AppendTo(cursor []byte) []byte {
	if a.sum == 0 {
		return cursor
	}
	return jsonappend.Uint(jsonappend.Name(cursor, accountMember), a.sum)
}
