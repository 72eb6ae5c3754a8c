package view

import (
	"strings"

	"github.com/pdpp-host/pdpp-host/health"
	"github.com/pdpp-host/pdpp-host/health/verdict"
)

// Binding is one device's collector that feeds the connection.
type Binding struct {
	SourceInstanceID string
	Host             string // its name; "" when nobody knows it
}

// RecoveryPanel tells the owner how to get a local collector going again: where,
// with which commands, and what each is for (HL-23.9).
type RecoveryPanel struct {
	Cause    string            `json:"cause"`
	Label    string            `json:"label"`
	Summary  string            `json:"summary"`
	Host     string            `json:"host"`
	Commands []RecoveryCommand `json:"commands"` // in order, to copy
	// Unavailable: which collector is meant cannot be told, so that there is no
	// command to copy: it could look at the wrong queue (HL-23.10).
	Unavailable bool `json:"unavailable"`
}

// RecoveryCommand is one command to copy.
type RecoveryCommand struct {
	Label   string `json:"label"`
	Purpose string `json:"purpose"`
	Command string `json:"command"`
}

// unnamedHost is the host whose name nobody knows.
const unnamedHost = "the host that holds the data"

// RecoveryPanelOf returns the panel of the verdict's recovery, nil when there is
// none to make. The commands name the device's source instance and never the
// connection.
func RecoveryPanelOf(v *verdict.RenderedVerdict, bindings []Binding) *RecoveryPanel {
	r := recoveryOf(v)
	if r == nil {
		return nil
	}
	p := &RecoveryPanel{Cause: r.Cause, Label: r.Label, Summary: r.Summary, Host: unnamedHost, Commands: []RecoveryCommand{}}
	if len(bindings) != 1 || !nameable(bindings[0].SourceInstanceID) {
		p.Unavailable = true
		return p
	}
	if bindings[0].Host != "" {
		p.Host = bindings[0].Host
	}
	for _, c := range r.Commands {
		p.Commands = append(p.Commands, RecoveryCommand{
			Label: c.Label, Purpose: c.Purpose, Command: strings.ReplaceAll(c.CommandTemplate, verdict.SourceInstance, bindings[0].SourceInstanceID),
		})
	}
	return p
}

func recoveryOf(v *verdict.RenderedVerdict) *verdict.Remediation {
	for i := range v.RequiredActions {
		if r := v.RequiredActions[i].Remediation; r != nil && r.Target.Kind == verdict.TargetLocalDevice {
			return r
		}
	}
	return nil
}

// DeviceProgress is what a connection's trusted devices say of their uploads.
type DeviceProgress struct {
	RecordsPending int64
	Host           string
	LastProgressAt health.Instant
}

// BackgroundDrain says that saved work is on its way (HL-31). It is calm: it asks
// for nothing and holds no command.
type BackgroundDrain struct {
	Pending        int64          `json:"pending"`
	Host           string         `json:"host"`
	LastProgressAt health.Instant `json:"last_progress_at"`
	Text           string         `json:"text"`
}

// BackgroundDrainOf returns the summary of uploads that need nobody. Where the
// owner has a recovery to make, that stands in its place. nil: nothing is on its
// way.
func BackgroundDrainOf(v *verdict.RenderedVerdict, p *DeviceProgress) *BackgroundDrain {
	if p == nil || p.RecordsPending <= 0 || recoveryOf(v) != nil {
		return nil
	}
	d := &BackgroundDrain{Pending: p.RecordsPending, Host: p.Host, LastProgressAt: p.LastProgressAt}
	if d.Host == "" {
		d.Host = unnamedHost
	}
	d.Text = "Saved work is uploading from " + d.Host + ": " + atLeast(d.Pending, false) + " to go."
	if !p.LastProgressAt.IsZero() {
		d.Text += " Last progress " + moment(p.LastProgressAt) + "."
	}
	return d
}

// nameable reports whether an identity can stand in a command: it is one, and no
// shell and no flag parser takes it for anything else.
func nameable(id string) bool {
	return health.Identity(health.Word(id)) != "" && !strings.HasPrefix(id, "-")
}
