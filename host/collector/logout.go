package collector

import (
	"context"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/host/collector/client"
	"github.com/pdpp-host/pdpp-host/host/collector/profile"
)

// LoggedOut is what logging out did.
type LoggedOut struct {
	Object           string     `json:"object"` // local_collector_logout
	SourceInstanceID string     `json:"source_instance_id"`
	DeviceID         string     `json:"device_id"`
	RevokedAt        *time.Time `json:"revoked_at"`   // nil: only the profile was deleted
	EndedBefore      bool       `json:"ended_before"` // the host had ended the credential already
	ProfileDeleted   bool       `json:"profile_deleted"`
}

// Logout gives the credential back and deletes the profile. The host is asked
// first, and the profile stays unless it confirms: a credential that lives on
// without its owner knowing is worse than one too many. With localOnly the host
// is not asked. The outbox stays in either case.
func (c *Collector) Logout(ctx context.Context, profiles *profile.Folder, localOnly bool) (*LoggedOut, error) {
	p := c.deps.Profile
	out := &LoggedOut{Object: "local_collector_logout", SourceInstanceID: p.SourceInstanceID, DeviceID: p.DeviceID}
	if !localOnly {
		at, err := c.lane.Revoke(ctx)
		switch f, ok := client.FailureOf(err); {
		case ok && f.Code == device.CodeUnauthorized: // what it does not know it need not end
			out.EndedBefore = true
		case err != nil:
			return out, kept(err)
		default:
			out.RevokedAt = moment(at)
		}
	}
	if p.Name == "" { // it is the environment's
		return out, nil
	}
	if err := profiles.Remove(p.Name); err != nil {
		return out, err
	}
	out.ProfileDeleted = true
	return out, nil
}

// kept says of a failed logout what is left.
func kept(err error) error {
	f, ok := client.FailureOf(err)
	if !ok {
		return err
	}
	return abi.NewError(f.Err.Code, "the host did not confirm that the credential is revoked, so the profile stays",
		"try again; or revoke the device on the host, and then: pdpp-local-collector logout --local-only").WithDetail(f.Error()).Wrap(f)
}
