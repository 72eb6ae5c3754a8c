package owner

import (
	"context"
	"time"

	"github.com/pdpp-host/pdpp-host/storage"
)

// AuditEvent says what an owner changed, or was refused. It holds no secret.
type AuditEvent = storage.AuditEvent

// AuditQuery chooses audit events. Its zero value chooses all of them.
type AuditQuery struct {
	Connection string    // "": any; it may be gone
	Operation  string    // "": any
	Face       Face      // that it came by; "": any
	ActorID    string    // a session, a token or a device; "": any
	Outcome    string    // done, refused, or an error's code; "": any
	Since      time.Time // zero: from the oldest on
	Until      time.Time // before it; zero: to the newest
	Before     int64     // only events below this Seq; 0: from the newest on
	Limit      int       // 0: all of them
}

// AuditEvents are some of the changes that owners made and were refused, the newest
// first.
type AuditEvents struct {
	Events []AuditEvent `json:"events"`
	Next   int64        `json:"next,omitempty"` // Before of the next page; 0: there is none
}

// AuditEvents returns the changes that owners made and were refused, the newest first.
func (o *Owner) AuditEvents(ctx context.Context, q AuditQuery) (*AuditEvents, error) {
	store, err := o.Store(ctx)
	if err != nil {
		return nil, err
	}
	more := int64(q.Limit)
	if q.Limit > 0 {
		more++
	}
	all, err := store.AuditEvents(ctx, storage.AuditQuery{
		Operation: q.Operation, About: q.Connection, Actor: string(q.Face), ActorID: q.ActorID, Outcome: q.Outcome,
		Since: q.Since, Until: q.Until, Before: q.Before, Limit: more,
	})
	if err != nil {
		return nil, err
	}
	page := &AuditEvents{Events: all}
	if q.Limit > 0 && len(all) > q.Limit {
		page.Events, page.Next = all[:q.Limit], all[q.Limit-1].Seq
	}
	return page, nil
}
