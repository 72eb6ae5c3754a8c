package view

import (
	"strings"

	"github.com/pdpp-host/pdpp-host/health"
	"github.com/pdpp-host/pdpp-host/health/verdict"
)

// Binding is one device's collector that feeds the connection.
type Binding struct {
	SourceInstanceID string
	Host             string // its name; "" if unknown
}

// RecoveryPanel tells the owner how to restart a local collector: where, with which
// commands, and the purpose of each (HL-23.9).
type RecoveryPanel struct {
	Cause    string            `json:"cause"`
	Label    string            `json:"label"`
	Summary  string            `json:"summary"`
	Host     string            `json:"host"`
	Commands []RecoveryCommand `json:"commands"` // in order, to copy
	// Unavailable: the collector cannot be identified, so there is no command to copy;
	// a command could inspect the wrong queue (HL-23.10).
	Unavailable bool `json:"unavailable"`
}

// RecoveryCommand is one command to copy.
type RecoveryCommand struct {
	Label   string `json:"label"`
	Purpose string `json:"purpose"`
	Command string `json:"command"`
}

// unnamedHost replaces an unknown host name.
const unnamedHost = "the host that holds the data"

// RecoveryPanelOf returns the panel of the verdict's recovery, nil if there is none.
// The commands name the device's source instance and never the connection.
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

// DeviceProgress is the report of a connection's trusted devices on their uploads.
type DeviceProgress struct {
	RecordsPending int64
	Host           string
	LastProgressAt health.Instant
}

// BackgroundDrain reports that saved work is being uploaded (HL-31). It is calm: it
// asks for nothing and holds no command.
type BackgroundDrain struct {
	Pending        int64          `json:"pending"`
	Host           string         `json:"host"`
	LastProgressAt health.Instant `json:"last_progress_at"`
	Text           string         `json:"text"`
}

// BackgroundDrainOf returns the summary of uploads that need no action. A recovery
// that the owner has to make replaces it. nil: nothing is being uploaded.
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
		d.Text += " Last progress " + formatTime(p.LastProgressAt) + "."
	}
	return d
}

// nameable reports whether an identity may be part of a command: it is valid, and
// neither a shell nor a flag parser gives it another meaning.
func nameable(id string) bool {
	return health.Identity(health.Word(id)) != "" && !strings.HasPrefix(id, "-")
}
