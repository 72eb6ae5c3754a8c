package records

import (
	"slices"
	"time"

	"github.com/pdpp-host/pdpp-host/health"
	"github.com/pdpp-host/pdpp-host/health/stored"
	"github.com/pdpp-host/pdpp-host/health/verdict"
	"github.com/pdpp-host/pdpp-host/host/api/wire"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/read"
)

// freshness is how young the data of a stream is, from what was kept of runs (RD-30).
type freshness struct {
	Status      string `json:"status"` // current, stale, unknown
	CapturedAt  string `json:"captured_at,omitempty"`
	AttemptedAt string `json:"last_attempted_at,omitempty"` // the owner's: attempts tell of pauses
}

// told has what is known of the connections of a request, by id.
type told map[string]*owner.Told

// tells finds out how connections are; ids nil: each.
func (c *call) tells(ids []string) (told, error) {
	all, err := c.Tell(c.r.Context(), ids)
	by := make(told, len(all))
	for i := range all {
		by[all[i].ID] = &all[i]
	}
	return by, err
}

// tellsOf finds out how the connections of a page are.
func (c *call) tellsOf(page read.Overview) (told, error) {
	ids, err := c.reader.Connections(c.r.Context(), c.caller.Scope, page)
	if err != nil {
		return nil, err
	}
	return c.tells(ids)
}

// fresh is the freshness of a stream of some connections together: of the one that is worst, as
// of the oldest time. A client is told no attempt, and times to the minute (RD-30.2).
func (c *call) fresh(by told, stream string, connections ...string) *freshness {
	var all stored.Fresh
	for i, id := range connections {
		one := stored.Fresh{Status: stored.Unknown}
		if t := by[id]; t != nil {
			one = t.Fresh(stream)
		}
		if i == 0 {
			all = one
			continue
		}
		if worst := []string{stored.Stale, stored.Unknown, stored.Current}; slices.Index(worst, one.Status) < slices.Index(worst, all.Status) {
			all.Status = one.Status
		}
		if one.CapturedAt.IsZero() || !all.CapturedAt.IsZero() && one.CapturedAt.Before(all.CapturedAt.Time) {
			all.CapturedAt = one.CapturedAt
		}
		if one.AttemptedAt.After(all.AttemptedAt.Time) {
			all.AttemptedAt = one.AttemptedAt
		}
	}
	if c.caller.Scope.Owner {
		return &freshness{all.Status, timeOf(all.CapturedAt, time.Millisecond), timeOf(all.AttemptedAt, time.Millisecond)}
	}
	return &freshness{Status: all.Status, CapturedAt: timeOf(all.CapturedAt, time.Minute)}
}

// timeOf writes a time, cut; "": there is none.
func timeOf(at health.Instant, to time.Duration) string {
	if at.IsZero() {
		return ""
	}
	return at.UTC().Truncate(to).Format(time.RFC3339Nano)
}

// connectionState is a connection with as much of its verdict as the token shows (RD-30.3).
type connectionState struct {
	Object       string                  `json:"object"` // connection
	ConnectionID string                  `json:"connection_id"`
	ConnectorKey string                  `json:"connector_key"`
	DisplayName  string                  `json:"display_name"`
	Health       verdict.RenderedVerdict `json:"health"`
}

// connections lists a page of the connections that the scope shows, each with its health.
func (c *call) connections() (any, error) {
	page, next, err := c.connectionsOfPage("connections", false)
	if err != nil {
		return nil, err
	}
	ids, err := c.reader.Connections(c.r.Context(), c.caller.Scope, page)
	if err != nil {
		return nil, err
	}
	all, err := c.Tell(c.r.Context(), ids)
	if err != nil {
		return nil, err
	}
	var rows []connectionState
	for i := range all {
		t := &all[i]
		rows = append(rows, connectionState{"connection", t.ID, t.Connector, t.Name, c.healthOf(t)})
	}
	list := wire.NewList(rows, next, c.r.URL)
	list.Meta.Warnings = c.warnings(nil)
	return list, nil
}

// healthOf is a verdict as the token shows it: a client sees what is said of its own streams.
func (c *call) healthOf(t *owner.Told) verdict.RenderedVerdict {
	if c.caller.Scope.Owner {
		return t.Verdict()
	}
	return verdict.ForStreams(t.Verdict(), func(stream string) bool { return c.caller.Scope.Sees(t.ID, stream) })
}
