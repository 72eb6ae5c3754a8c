package device

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"
)

// ScopeKey is the member of a source's state that is not a stream's cursor: it holds
// the scope to collect, as a ScopeState.
const ScopeKey = "$collection_scope"

// Unscoped is the fingerprint of a whole source.
const Unscoped = "unscoped"

// Scope is a part of a source. A nil Scope means the whole source.
type Scope struct {
	Since       string   `json:"since,omitempty"`        // RFC 3339: older items are left out
	SourceRoots []string `json:"source_roots,omitempty"` // folders: items outside them are left out
}

// ScopeState is the form of a scope inside a state.
type ScopeState struct {
	DeclaredAt  string `json:"declared_at"` // RFC 3339, in ms
	Fingerprint string `json:"fingerprint"`
	Scope       *Scope `json:"scope"`
}

// Limits of a scope that a device declares.
const (
	maxRoots    = 64
	maxRootText = 4096
)

var errScope = errors.New("must be an object with since, a time, and source_roots, a short list of folders")

// ParseScope reads a scope. null and an object without members both mean the whole
// source.
func ParseScope(text []byte) (*Scope, error) {
	var s *Scope
	if len(text) == 0 {
		return nil, nil
	}
	if err := json.Unmarshal(text, &s); err != nil {
		return nil, errScope
	}
	if s == nil || s.Since == "" && len(s.SourceRoots) == 0 {
		return nil, nil
	}
	if s.Since != "" {
		if _, err := time.Parse(time.RFC3339, s.Since); err != nil {
			return nil, errScope
		}
	}
	if len(s.SourceRoots) > maxRoots || slices.ContainsFunc(s.SourceRoots, func(r string) bool { return r == "" || len(r) > maxRootText }) {
		return nil, errScope
	}
	return s, nil
}

// Fingerprint returns the text that identifies a scope. Equal scopes have equal texts.
func (s *Scope) Fingerprint() string {
	if s == nil {
		return Unscoped
	}
	var parts []string
	if s.Since != "" {
		parts = append(parts, "since="+s.Since)
	}
	if len(s.SourceRoots) > 0 {
		parts = append(parts, "roots="+strings.Join(slices.Sorted(slices.Values(s.SourceRoots)), ","))
	}
	return strings.Join(parts, ";")
}

// DeclaredScope returns the value of a state's member ScopeKey. scope has the form
// that ParseScope reads.
func DeclaredScope(scope []byte, declared time.Time) (json.RawMessage, error) {
	s, err := ParseScope(scope)
	if err != nil {
		return nil, err
	}
	return json.Marshal(ScopeState{DeclaredAt: declared.UTC().Format("2006-01-02T15:04:05.000Z"), Fingerprint: s.Fingerprint(), Scope: s})
}

// ScopeOf reads the scope from a state's member ScopeKey; nil if the host declares
// none.
func ScopeOf(member json.RawMessage) (*Scope, error) {
	if len(member) == 0 {
		return nil, nil
	}
	var s struct {
		Scope json.RawMessage `json:"scope"`
	}
	if err := json.Unmarshal(member, &s); err != nil {
		return nil, errScope
	}
	return ParseScope(s.Scope)
}
