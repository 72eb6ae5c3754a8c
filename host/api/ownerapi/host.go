package ownerapi

import (
	"strconv"
	"strings"

	"github.com/pdpp-host/pdpp-host/health/view"
	"github.com/pdpp-host/pdpp-host/host/api/wire"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/doctor"
	"github.com/pdpp-host/pdpp-host/host/owner/settings"
)

// status is how all connections are: a page of them, and all of them counted.
type status struct {
	wire.List[owner.ConnectionStatus]

	Fleet   view.Fleet   `json:"fleet"`
	Runtime view.Runtime `json:"runtime"`
}

func (c *call) showStatus() (*status, error) {
	after, err := wire.After("status", c.query["cursor"])
	if err != nil {
		return nil, err
	}
	f, err := c.owner.Fleet(c.Context(), after, c.rows)
	if err != nil {
		return nil, err
	}
	next := ""
	if f.Next != "" {
		next = wire.NewCursor("status", f.Next)
	}
	return &status{*wire.NewList(f.Connections, next, c.r.URL), f.Fleet, f.Runtime}, nil
}

func (c *call) listAudit() (*wire.List[owner.AuditEvent], error) {
	q := owner.AuditQuery{
		Connection: c.query["connection"], Operation: c.query["operation"], Outcome: c.query["outcome"], ActorID: c.query["actor_id"],
		Face: owner.Face(c.query["actor"]), Since: c.when("since"), Until: c.when("until"), Limit: c.rows,
	}
	asked := []string{"audit"}
	for _, name := range []string{"connection", "operation", "outcome", "actor_id", "actor", "since", "until"} {
		asked = append(asked, c.query[name])
	}
	list := strings.Join(asked, " ")
	after, err := wire.After(list, c.query["cursor"])
	if err != nil {
		return nil, err
	}
	if after != "" {
		if q.Before, err = strconv.ParseInt(after, 10, 64); err != nil {
			return nil, wire.Invalid("cursor", "is not one of this list")
		}
	}
	page, err := c.owner.AuditEvents(c.Context(), q)
	if err != nil {
		return nil, err
	}
	next := ""
	if page.Next != 0 {
		next = wire.NewCursor(list, strconv.FormatInt(page.Next, 10))
	}
	return wire.NewList(page.Events, next, c.r.URL), nil
}

func (c *call) showSettings() (*settings.Settings, error) {
	return settings.Read(c.owner.Config), nil
}

// findings are what an examination of the host found.
type findings struct {
	Object   string           `json:"object"` // owner_findings
	Findings []doctor.Finding `json:"findings"`
}

func (c *call) examine() (*findings, error) {
	all, err := doctor.Examine(c.Context(), c.owner, doctor.Options{Deep: c.query["deep"] != ""})
	return &findings{"owner_findings", all}, err
}
