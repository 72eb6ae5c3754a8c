package access

import (
	"context"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/owner"
)

// Session is a browser in which the owner is signed in.
type Session struct {
	ID        string    `json:"id"`
	CreatedAt time.Time `json:"created_at"`
	UsedAt    time.Time `json:"used_at"`              // to the hour
	Address   string    `json:"address,omitempty"`    // from which it was opened
	Agent     string    `json:"user_agent,omitempty"` // the browser's name for itself
	Current   bool      `json:"current"`              // the caller's own
}

// Sessions returns the sessions that are open, the last used first.
func Sessions(ctx context.Context, o *owner.Owner) ([]Session, error) {
	s, err := o.Store(ctx)
	if err != nil {
		return nil, err
	}
	all, err := s.Sessions(ctx)
	if err != nil {
		return nil, err
	}
	now, out := o.Now(), []Session{}
	for i := range all {
		if x := &all[i]; !ended(x, now) {
			out = append(out, Session{x.ID, x.Created, x.Used, x.Address, x.Agent, x.ID == o.Actor.ID})
		}
	}
	return out, nil
}

// EndSession ends a session. It returns owner.session_unknown where there is none.
func EndSession(ctx context.Context, o *owner.Owner, id string) error {
	all, err := Sessions(ctx, o)
	if err != nil {
		return err
	}
	for _, x := range all {
		if x.ID != id {
			continue
		}
		s, err := o.Store(ctx)
		if err != nil {
			return err
		}
		return o.Audited(ctx, s, "owner.end_session", id, func(ctx context.Context) error {
			_, err := s.EndSession(ctx, id)
			return err
		})
	}
	return abi.NewError(CodeSessionUnknown, "there is no session of that id", "it has ended already, or `pdpp-host owner sessions` lists it otherwise")
}
