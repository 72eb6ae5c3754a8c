package ownerapi

import (
	"cmp"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/api/wire"
	"github.com/pdpp-host/pdpp-host/host/owner"
)

// ownRun is a run with the name of its connection.
type ownRun struct {
	Object string  `json:"object"` // owner_run
	Name   string  `json:"connection"`
	Failed *string `json:"failure_reason"` // null: it did not fail

	owner.Run
}

func runOf(r *owner.Run) ownRun {
	out := ownRun{"owner_run", r.Connection, nil, *r}
	if r.Status == "failed" {
		out.Failed = &r.Reason
	}
	return out
}

// runList is a page of runs, with the refusals that connections wait behind.
type runList struct {
	wire.List[ownRun]

	Refused []owner.Refusal `json:"refused"`
}

func (c *call) listRuns() (*runList, error) {
	list := "runs " + c.query["connection"]
	before, err := wire.After(list, c.query["cursor"])
	if err != nil {
		return nil, err
	}
	found, err := c.owner.RunsBefore(c.Context(), c.query["connection"], before, c.rows+1)
	if err != nil {
		return nil, err
	}
	next, runs := "", found.Runs
	if len(runs) > c.rows {
		runs = runs[:c.rows]
		next = wire.NewCursor(list, runs[c.rows-1].RunID)
	}
	all := make([]ownRun, len(runs))
	for i, r := range runs {
		all[i] = runOf(r)
	}
	return &runList{*wire.NewList(all, next, c.r.URL), append([]owner.Refusal{}, found.Refused...)}, nil
}

func (c *call) showRun() (*ownRun, error) {
	found, err := c.owner.Run(c.Context(), c.r.PathValue("run"))
	if err != nil {
		return nil, err
	}
	r := runOf(found)
	return &r, nil
}

// order asks for a run.
type order struct {
	Mode         string `json:"mode,omitempty"` // incremental (where it is left out), full_refresh
	Force        bool   `json:"force,omitempty"`
	AcceptFolder bool   `json:"accept_folder,omitempty"`
}

// begun is a run that has begun, and where it is watched.
type begun struct {
	Object string `json:"object"` // owner_run_begun
	RunID  string `json:"run_id"`
	Watch  string `json:"watch_url"`
}

func (c *call) startRun(in *order) (*begun, error) {
	id, err := c.Runs.Start(c.Context(), c.caller.Actor, Order{
		Connection: c.r.PathValue("connection"), Mode: cmp.Or(in.Mode, "incremental"), Force: in.Force, AcceptFolder: in.AcceptFolder,
	})
	if abi.CodeOf(err) == abi.CodeConnectionBusy {
		f := refusalOf(err)
		f.Code = "run_already_active" // by which other hosts' programs know it (RD-55)
		return nil, f
	}
	if err != nil {
		return nil, err
	}
	at := Prefix + "/runs/" + id
	c.w.Header().Set("Location", at)
	return &begun{"owner_run_begun", id, at}, nil
}

func (c *call) stopRun(*struct{}) (*begun, error) {
	id := c.r.PathValue("run")
	if err := c.Runs.Stop(c.Context(), c.caller.Actor, id); err != nil {
		return nil, err
	}
	return &begun{"owner_run_begun", id, Prefix + "/runs/" + id}, nil
}
