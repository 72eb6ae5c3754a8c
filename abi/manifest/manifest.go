package manifest

import (
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
)

// maxProblems bounds the number of problems reported for one manifest.
const maxProblems = 100

// Problem is one rule that a manifest breaks. Path is the place, in the form
// "streams[2].coverage_policy"; it is empty for the document itself. Rule says what
// must hold there. Neither holds control characters.
type Problem struct {
	Path string
	Rule string
}

// String returns the problem as "path: rule".
func (p Problem) String() string {
	if p.Path == "" {
		return "manifest: " + p.Rule
	}
	return p.Path + ": " + p.Rule
}

// Parse decodes and validates a manifest. The error, if any, is an *abi.Error with
// abi.CodeManifestInvalid whose Detail lists every problem as "path: rule", separated
// by "; ". Parse keeps no reference to raw and is safe for concurrent use.
func Parse(raw []byte) (*abi.Manifest, error) {
	m, problems := read(raw)
	if len(problems) == 0 {
		return m, nil
	}
	lines := make([]string, len(problems))
	for i, p := range problems {
		lines[i] = p.String()
	}
	return nil, abi.NewError(abi.CodeManifestInvalid, "the connector's manifest is not valid",
		"this is the connector's fault: ask its author for a fixed version, or see abi/ABI.md, section Manifest").
		WithDetail(strings.Join(lines, "; "))
}

// Problems returns every rule that the manifest breaks, in document order
// within each section, and nil for a valid one. A document that is not strict
// JSON has one problem. At most a hundred are listed.
func Problems(raw []byte) []Problem {
	_, problems := read(raw)
	return problems
}

func read(raw []byte) (*abi.Manifest, []Problem) {
	doc, problem := parseDocument(raw)
	if problem != nil {
		return nil, []Problem{*problem}
	}
	c := &checker{raw: raw}
	root := place{c: c, n: doc}
	m := new(abi.Manifest)
	if root.object() {
		readIdentity(root, m)
		readRequirements(root.member("runtime_requirements"), m)
		readCapabilities(root.member("capabilities"), m)
		readSetup(root.member("setup"), m)
		checkVariables(root.member("capabilities").member("auth").member("required"), m)
		readStreams(root.member("streams"), m)
		network := root.member("runtime_requirements").member("network")
		readCredentialSlots(network, m)
		checkPacingStream(network.member("pacing_stream"), m)
		readReasonMessages(root.member("reason_display_messages"), m)
		readOptions(root.member("options"), m)
		checkOwnServer(network.member("hosts"), m)
	}
	return m, c.problems
}
