package run

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/run/internal/ledger"
)

// resolveScope turns a request into START's scope: the named streams, or every
// stream that the manifest means to collect; each with the resources and the
// time range that apply to it. The scope is never empty and names no stream
// that the manifest lacks. narrowed reports whether it leaves out records of a
// stream it names, in which case no cursor of the run may be committed: the
// cursor would claim records that the run was told not to collect.
func resolveScope(m *abi.Manifest, req Request) (scope abi.Scope, narrowed bool, err error) {
	for _, name := range req.Streams {
		if m.Stream(name) == nil {
			return abi.Scope{}, false, unknownStream(m, name)
		}
	}
	for name := range req.Resources {
		s := m.Stream(name)
		switch {
		case s == nil:
			return abi.Scope{}, false, unknownStream(m, name)
		case len(req.Streams) > 0 && !slices.Contains(req.Streams, name):
			return abi.Scope{}, false, abi.NewError(abi.CodeUsage,
				fmt.Sprintf("resources are given for stream %q, which the run does not collect", name),
				"add --stream "+name+", or leave its --resource out")
		case !s.Selection.Resources:
			return abi.Scope{}, false, abi.NewError(abi.CodeUsage,
				fmt.Sprintf("the connector cannot collect single records of stream %q", name), selectable(m))
		}
	}
	for i := range m.Streams {
		s := &m.Streams[i]
		if !wanted(s, req) {
			continue
		}
		ss := abi.StreamScope{Name: s.Name, Resources: slices.Sorted(slices.Values(req.Resources[s.Name]))}
		if !req.Since.IsZero() && s.ConsentTimeField != "" {
			ss.TimeRange = &abi.TimeRange{Since: req.Since.UTC().Format(time.RFC3339Nano)}
		}
		narrowed = narrowed || len(ss.Resources) > 0 || ss.TimeRange != nil && !req.Boundary
		scope.Streams = append(scope.Streams, ss)
	}
	if len(scope.Streams) == 0 {
		return abi.Scope{}, false, abi.NewError(abi.CodeManifestInvalid,
			"the connector declares no stream that can be collected",
			"name streams with --stream, or ask the connector's author")
	}
	return scope, narrowed, nil
}

// selectable returns the hint that lists the streams whose single records can be
// collected.
func selectable(m *abi.Manifest) string {
	var names []string
	for i := range m.Streams {
		if m.Streams[i].Selection.Resources {
			names = append(names, m.Streams[i].Name)
		}
	}
	if len(names) == 0 {
		return "leave --resource out: it can for no stream"
	}
	return "leave its --resource out; it can for " + strings.Join(names, ", ")
}

// wanted reports whether the request collects s: the request names s or resources of
// s, or it names nothing and the author means to collect s.
func wanted(s *abi.Stream, req Request) bool {
	switch {
	case len(req.Streams) > 0:
		return slices.Contains(req.Streams, s.Name)
	case len(req.Resources) > 0:
		return len(req.Resources[s.Name]) > 0
	default:
		return ledger.CollectedByDefault(s)
	}
}

func unknownStream(m *abi.Manifest, name string) error {
	names := make([]string, len(m.Streams))
	for i := range m.Streams {
		names[i] = m.Streams[i].Name
	}
	return abi.NewError(abi.CodeStreamUnknown,
		fmt.Sprintf("the connector has no stream %q", name),
		"its streams are "+strings.Join(names, ", "))
}

// streamNames lists the scope's streams in its order.
func streamNames(scope abi.Scope) []string {
	names := make([]string, len(scope.Streams))
	for i := range scope.Streams {
		names[i] = scope.Streams[i].Name
	}
	return names
}

// startMessage encodes START. State is null without committed cursors and for a
// full refresh, which has them as PreviousState.
func startMessage(start abi.Start, state map[string][]byte) ([]byte, error) {
	start.Type = abi.TypeStart
	cursors := make(map[string]abi.Raw, len(state))
	for stream, cursor := range state {
		cursors[stream] = cursor
	}
	switch {
	case len(cursors) == 0:
	case start.CollectionMode == abi.ModeFullRefresh:
		start.PreviousState = cursors
	default:
		start.State = cursors
	}
	return json.Marshal(start)
}

// The kind and the reason of the known gap for what the time range of a run's scope leaves out.
// It is told and is no lack: the run was not to collect it.
const (
	KindScope        = "scope"
	ReasonOutOfScope = "out_of_scope"
)

// leftOut adds a known gap for each stream of which the connector says that items were outside
// the time range of the scope.
func (a *accounts) leftOut(scope abi.Scope) {
	for i := range scope.Streams {
		st := &scope.Streams[i]
		of := a.streams[st.Name]
		if of == nil || of.Outside == 0 || st.TimeRange == nil {
			continue
		}
		items := "1 item is"
		if of.Outside > 1 {
			items = fmt.Sprintf("%d items are", of.Outside)
		}
		a.known.add(KnownGap{
			Kind: KindScope, Reason: ReasonOutOfScope, Severity: severityInformational, RecoveryHint: "not_retriable", Stream: st.Name, Count: of.Outside,
			Message: items + " left out: this run collects only what is dated from " + st.TimeRange.Since + " on",
		})
	}
}
