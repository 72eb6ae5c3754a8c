package api

import (
	"slices"

	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

// Table is what a run collects.
type Table struct {
	// The path Who answers whose credentials they are; "" asks nobody.
	Who string
	// IDs returns the ids by which that answer names the account, see sdk.Host.Account;
	// none when the answer is not one.
	IDs func(v jsonvalue.Value) []string
	// Hint is sdk.FailedStreams.Hint.
	Hint func(code string) string
	// Streams are collected in this order, those outside the scope left out.
	Streams []Stream
}

// Stream is a stream, or several that are collected together, and how.
type Stream struct {
	Name    string
	Also    []string // further streams that fail with it
	Collect func(c *Client) error
	// Details says that Collect has a detail lane: it is called in a run that only recovers
	// what earlier runs have left, too (sdk.Host.RecoveryOnly).
	Details bool
}

// EndsRun reports whether an error ends the run, not only one stream: no other request would
// fare better.
func EndsRun(err error) bool { return sdk.EndsRun(err) || sdk.Refused(err) }

// Collect does a run. A stream that fails is reported, and the others go on; an error that
// ends them all is returned at once.
func Collect(h *sdk.Host, p Provider, t Table) error {
	if err := h.RequireCredentials(); err != nil {
		return err
	}
	if h.RecoveryOnly() {
		t.Streams = slices.DeleteFunc(slices.Clone(t.Streams), func(s Stream) bool { return !s.Details })
		if len(t.Streams) == 0 {
			return nil // without a detail lane there is nothing to recover
		}
	}
	return sdk.AuthFailed(h.ConnectorKey(), collect(New(h, p), t))
}

func collect(c *Client, t Table) error {
	if t.Who != "" {
		if err := c.identify(t); err != nil {
			return err
		}
	}
	failed := sdk.FailedStreams{Ends: EndsRun, Hint: t.Hint}
	for _, s := range t.Streams {
		names := append([]string{s.Name}, s.Also...)
		if !wantsOne(c.Host, names) {
			continue
		}
		if err := failed.Note(c.Host, s.Collect(c), names...); err != nil {
			return err
		}
	}
	return failed.Err()
}

func wantsOne(h *sdk.Host, streams []string) bool {
	for _, name := range streams {
		if h.Wants(name) {
			return true
		}
	}
	return false
}

// identify asks whose credentials they are.
func (c *Client) identify(t Table) error {
	if err := c.Step("asking whose account it is", -1); err != nil {
		return err
	}
	resp, err := c.Fetch(c.Get(t.Who))
	if err != nil {
		return err
	}
	if err := c.CheckStatus(resp); err != nil {
		return err
	}
	v, err := resp.JSON()
	ids := t.IDs(v)
	if err != nil || len(ids) == 0 {
		return c.Malformed("the answer about the account has no id")
	}
	c.Account, err = c.Host.Account(ids...)
	return err
}

// Step shows the owner how far the run is, and is sdk.ErrStopped when the host asks it to
// stop. Call it between pages, when what came before is saved.
func (c *Client) Step(doing string, count int64) error {
	if err := c.Progress(doing, count, -1, ""); err != nil {
		return err
	}
	if c.Stopping() {
		return sdk.ErrStopped
	}
	return nil
}
