package sdk

import (
	"github.com/pdpp-host/pdpp-host/sdk/fingerprint"
	"github.com/pdpp-host/pdpp-host/sdk/jsonappend"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

// Account identifies the person whose data a run collects, as the cursors remember it.
type Account struct {
	sum uint64 // of the id; 0: not known
	// Changed reports that this run is a full refresh under another account, so the
	// earlier cursors describe the previous owner's data.
	Changed bool
}

// accountMember names the account in a cursor.
const accountMember = "account"

// Account compares the ids by which the provider names the owner of the credentials
// with the account that each cursor in scope remembers. Several ids may name one
// account; the first is the one to remember, and empty ids are ignored. A cursor that
// remembers no account matches every account.
//
// A cursor of another account returns a *Failure <connector_key>_account_changed,
// because the rows of two people would be mixed. Call Account before anything is
// emitted. A full refresh may go on: it emits everything, and sends tombstones for the
// records that Previous names and the run does not find. Changed reports that case.
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
		known := accountOf(h.Cursor(stream))
		if known != 0 && !same[known] {
			return Account{}, h.accountChanged(", or replace the earlier account with a full refresh")
		}
		known = accountOf(h.Previous(stream))
		a.Changed = a.Changed || known != 0 && !same[known]
	}
	return a, nil
}

// OnlyAccount is Account for a connector that cannot bury everything of another account: it
// refuses one in a full refresh, too.
func (h *Host) OnlyAccount(ids ...string) (Account, error) {
	a, err := h.Account(ids...)
	if err == nil && a.Changed {
		err = h.accountChanged("")
	}
	return a, err
}

// accountOf is the account of a cursor. Some connectors have named it by its id.
func accountOf(cursor jsonvalue.Value) uint64 {
	if id := cursor.Get(accountMember); id.Kind() == jsonvalue.String && id.View() != "" {
		return fingerprint.Sum48([]byte(id.Str()))
	}
	return uint64(cursor.Get(accountMember).Int())
}

func (h *Host) accountChanged(or string) error {
	return &Failure{
		Code: h.ConnectorKey() + "_account_changed", Hint: "manual_action_required",
		Message: "the credentials belong to a different account from the one collected so far; add a separate connection for it" + or,
	}
}

// AppendTo names the account in a cursor, a JSON object that is not closed yet.
func (a Account) AppendTo(cursor []byte) []byte {
	if a.sum == 0 {
		return cursor
	}
	return jsonappend.Uint(jsonappend.Name(cursor, accountMember), a.sum)
}
