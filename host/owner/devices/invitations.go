package devices

import (
	"context"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/storage"
)

// CodeInvitationUnknown says that no code of that id waits for a device: it was used, it ended, or there was none.
const CodeInvitationUnknown abi.Code = "connection.invitation_unknown"

// Waiting is an invitation whose code a device can still enrol with.
type Waiting struct {
	ID        string
	Connector string
	Binding   string
	CreatedAt time.Time
	ExpiresAt time.Time
}

// invitationID names a code by its hash, which says nothing of a code of 256 random bits.
func invitationID(hash string) string { return "inv_" + hash[:16] }

// Invitations returns those whose codes a device can still enrol with, the newest first.
func Invitations(ctx context.Context, o *owner.Owner) ([]Waiting, error) {
	_, all, err := waiting(ctx, o)
	out := make([]Waiting, len(all))
	for i := range all {
		out[i] = Waiting{invitationID(all[i].CodeHash), all[i].ConnectorID, all[i].Binding, all[i].CreatedAt, all[i].ExpiresAt}
	}
	return out, err
}

// Withdraw ends the code of an invitation, so that no device enrols with it. It returns connection.invitation_unknown
// where none waits.
func Withdraw(ctx context.Context, o *owner.Owner, id string) error {
	store, all, err := waiting(ctx, o)
	if err != nil {
		return err
	}
	for i := range all {
		if invitationID(all[i].CodeHash) != id {
			continue
		}
		return o.Audited(ctx, store, "devices.withdraw", id, func(ctx context.Context) error {
			had, err := store.ForgetEnrollmentCode(ctx, all[i].CodeHash)
			if err == nil && !had {
				err = noInvitation()
			}
			return err
		})
	}
	return noInvitation()
}

func waiting(ctx context.Context, o *owner.Owner) (*storage.Store, []storage.EnrollmentCode, error) {
	store, err := o.Store(ctx)
	if err != nil {
		return nil, nil, err
	}
	all, err := store.EnrollmentCodes(ctx)
	return store, all, err
}

func noInvitation() error {
	return abi.NewError(CodeInvitationUnknown, "no invitation of that id waits for a device", "`pdpp-host devices list` shows whether a device has enrolled with it")
}
