package api

import (
	"strings"

	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
	"github.com/pdpp-host/pdpp-host/sdk/said"
)

// Table is what a run collects.
type Table struct {
	// First comes before every stream, and its error ends the run; nil: nothing.
	First func(c *Client) error
	// The path Who answers whose credentials they are; "" asks nobody.
	Who string
	// IDs returns the ids by which that answer names the account, see sdk.Host.Account;
	// none when the answer is not one.
	IDs func(v jsonvalue.Value) []string
	// Hint is sdk.FailedStreams.Hint.
	Hint func(code string) string
	// Ends is sdk.FailedStreams.Ends; nil is EndsRun.
	Ends func(err error) bool
	// Streams are collected in this order, those outside the scope left out.
	Streams []Stream
}

// Stream is a stream, or several that are collected together, and how.
type Stream struct {
	Name    string
	Also    []string // further streams that fail with it
	Collect func(c *Client) error
	// Lane makes what collects a stream with details, instead of Collect.
	Lane func(c *Client) Lane
}

// EndsRun reports whether an error ends the run, not only one stream: no other request would
// fare better.
func EndsRun(err error) bool { return sdk.EndsRun(err) || sdk.Refused(err) }

// Consent is the Hint of a provider that answers 403 where the credentials do not cover a list.
func Consent(code string) string {
	if strings.HasSuffix(code, "_http_403") {
		return "refresh_credentials"
	}
	return ""
}

// Collect does a run. A stream that fails is reported, and the others go on; an error that
// ends them all is returned at once.
func Collect(h *sdk.Host, p Provider, t Table) error { return New(h, p).Run(t) }

// Run is Collect with a client that the table's functions may hold.
func (c *Client) Run(t Table) error {
	if err := c.RequireCredentials(); err != nil {
		return err
	}
	for _, name := range c.Streams() { // those that First collects, too
		c.Items(name)
	}
	err := sdk.AuthFailed(c.ConnectorKey(), c.run(t))
	c.places.tell(c.Host)
	return err
}

func (c *Client) run(t Table) error {
	lanes := make(map[string]Lane)
	for _, s := range t.Streams {
		if s.Lane != nil && c.Wants(s.Name) {
			lanes[s.Name] = nil // made when the account is known
		}
	}
	if c.RecoveryOnly() && len(lanes) == 0 {
		return nil
	}
	if t.Who != "" {
		if err := c.identify(t); err != nil {
			return err
		}
	}
	if t.First != nil {
		if err := t.First(c); err != nil {
			return err
		}
	}
	failed := sdk.FailedStreams{Ends: t.Ends, Hint: t.Hint}
	if failed.Ends == nil {
		failed.Ends = EndsRun
	}
	broken := make(map[string]bool) // streams with a lane that failed
	note := func(s Stream, err error) error {
		broken[s.Name] = broken[s.Name] || err != nil
		return failed.Note(c.Host, err, s.wanted(c.Host)...)
	}
	for _, s := range t.Streams {
		if _, wanted := lanes[s.Name]; !wanted {
			continue
		}
		lanes[s.Name] = s.Lane(c)
		if err := note(s, lanes[s.Name].Recover()); err != nil {
			return err
		}
	}
	for _, s := range t.Streams {
		collect := s.by(lanes[s.Name])
		if collect == nil || broken[s.Name] || c.RecoveryOnly() || len(s.wanted(c.Host)) == 0 {
			continue
		}
		if c.Stopping() {
			return sdk.ErrStopped
		}
		if err := note(s, collect(c)); err != nil {
			return err
		}
	}
	if err := t.end(lanes, broken); err != nil {
		return err
	}
	return failed.Err()
}

// end closes the lanes that are not broken.
func (t Table) end(lanes map[string]Lane, broken map[string]bool) error {
	for _, s := range t.Streams {
		lane := lanes[s.Name]
		if lane == nil || broken[s.Name] {
			continue
		}
		if err := lane.Close(); err != nil {
			return err
		}
	}
	return nil
}

// by returns what collects the stream in its turn: its lane, if there is one. It is nil for a
// stream that has only a lane, which is outside the scope.
func (s Stream) by(lane Lane) func(c *Client) error {
	if lane == nil {
		return s.Collect
	}
	return func(*Client) error { return lane.Collect() }
}

// wanted lists the stream's names that are in scope.
func (s Stream) wanted(h *sdk.Host) (names []string) {
	for _, name := range append([]string{s.Name}, s.Also...) {
		if h.Wants(name) {
			names = append(names, name)
		}
	}
	return names
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
	v, err := c.JSON(resp)
	if f, ok := sdk.AsFailure(err); ok && f.Hint == "" {
		f.Hint = sdk.Remedy(resp.Status) // who may not even ask who they are gets nothing else
	}
	if err != nil {
		return err
	}
	ids := t.IDs(v)
	if len(ids) == 0 {
		return c.Malformed("the answer about the account has no id" + said.Quoted(resp.Said()))
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
