package connectors

import (
	"context"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/manifest"
	"github.com/pdpp-host/pdpp-host/host/collector"
	"github.com/pdpp-host/pdpp-host/host/owner"
)

// Plan is how a connector gets connected, in the words by which programs of other hosts know it
// (RD-53.3).
type Plan struct {
	Modality string `json:"-"` // local_collector, browser_bound, api_network, unknown

	Setup     string  `json:"setup_modality"` // local_collector, static_secret, browser_bound, manual_or_upload, unsupported
	Support   string  `json:"support_state"`  // supported, unsupported
	Step      string  `json:"next_step_kind"` // see the steps
	ProofGate *string `json:"proof_gate"`     // null: nothing is kept back
	Runbook   *string `json:"runbook_path"`   // null: the step says it
}

// The steps: what the owner does next.
const (
	StepDevice      = "enroll_local_collector" // or adds it here, with its folder
	StepFile        = "provide_import_file"
	StepSecret      = "capture_static_secret"
	StepByHand      = "manual_runbook" // adds it, and a page or a command asks for what is missing
	StepUnsupported = "unsupported"
)

const unsupported = "unsupported"

// noPlan is that of a module that cannot run.
var noPlan = Plan{Modality: "unknown", Setup: unsupported, Support: unsupported, Step: StepUnsupported}

func planOf(m *abi.Manifest) Plan {
	p := Plan{Modality: "unknown", Setup: "manual_or_upload", Support: "supported", Step: StepByHand}
	needs := m.Requirements.Bindings
	_, browses := needs[abi.BindingBrowser]
	_, reads := needs[abi.BindingFilesystem]
	_, asks := needs[abi.BindingNetwork]
	switch {
	case browses:
		p.Modality, p.Setup = "browser_bound", "browser_bound"
	case reads:
		p.Modality, p.Step = "local_collector", StepFile
		if _, onDevice := collector.Runnable(m); onDevice {
			p.Setup, p.Step = "local_collector", StepDevice
		}
	case asks:
		p.Modality = "api_network"
	}
	if len(manifest.Credentials(m)) > 0 {
		p.Setup, p.Step = "static_secret", StepSecret
	}
	return p
}

// Intent is a connection that a program of the owner's wishes for, and what its owner does about
// it. It is none so far: secrets and consent are given where their owner sees for what.
type Intent struct {
	Plan

	Connector string
	Name      string // that the connection can have
	Problem   string // why the module cannot run; "": it can
}

// Intend says what the owner has to do for a connection of an installed connector. It leaves an
// event, and changes nothing else. name is what it would be called; "": as its connector.
func Intend(ctx context.Context, o *owner.Owner, connector, name string) (*Intent, error) {
	i, err := Inspect(ctx, o, connector)
	if err != nil {
		return nil, err
	}
	out := &Intent{Plan: i.Plan, Connector: i.Connector.Connector}
	if i.Problem != nil {
		out.Plan, out.Problem = noPlan, i.Problem.Message
	}
	if name == "" {
		name = i.Name
	}
	if !ValidName(name) {
		return nil, abi.NewError(abi.CodeConnectionInvalid, "the wished name is no connection's", "use letters, digits, '.', '_' and '-'")
	}
	if out.Name, err = o.FreeName(ctx, name); err != nil {
		return nil, err
	}
	store, err := o.Store(ctx)
	if err != nil {
		return nil, err
	}
	return out, o.Audited(ctx, store, "connections.intend", i.Name, func(context.Context) error { return nil })
}
