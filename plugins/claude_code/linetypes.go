package main

import (
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/sdk/cursor"
	"github.com/pdpp-host/pdpp-host/sdk/files"
)

// withoutStream are the types of lines that are known, and of which no stream has a record: they repeat the
// conversation, or are the program's own notes. Those of a title give their session its title.
var withoutStream = []string{
	"agent-color", "agent-name", "agent-setting", typeAITitle, "artifact-autoreact-ledger", "artifact-comment-monitor", "atis-latch",
	"attribution-snapshot", "bridge-session", "content-replacement", "context-collapse-commit", "context-collapse-snapshot", "continued-in",
	"cost-state", typeTitle, "ended-by-model", "file-history-delta", "fork-context-ref", "frame-link", "history-suppression", "isolation-latch",
	"marble-origami-commit", "marble-origami-reset", "marble-origami-snapshot", "mode", "observer-ref", "pr-link", "progress", "queue-operation",
	"relocated", "saved_hook_context", "speculation-accept", "summary", "system", "tag", "task-summary", "worktree-state",
}

// The types of lines that have a session's title: the one that a person gave it, and Claude Code's own.
const (
	typeTitle   = "custom-title"
	typeAITitle = "ai-title"
)

// Bounds on the remembered line types.
const (
	maxTypeName   = 40
	maxOtherTypes = 64
)

// maxUnknownOfOne bounds the unknown types that are kept of one transcript.
const maxUnknownOfOne = 8

// sawUnknown keeps the type of a line of the transcript, if this version does not know it.
func (t *transcript) sawUnknown(kind string) {
	if len(t.unknown) < maxUnknownOfOne && !slices.Contains(withoutStream, kind) && !slices.Contains(t.unknown, kind) {
		t.unknown = append(t.unknown, strings.Clone(kind))
	}
}

// sawOther counts a line that belongs to no stream by its type, and returns the name under which it is counted.
func (c *collection) sawOther(e *event) string {
	kind := text(e.typ)
	_, seen := c.otherTypes[kind]
	if !isTypeName(kind) || !seen && len(c.otherTypes) >= maxOtherTypes {
		kind = "(other)"
		_, seen = c.otherTypes[kind]
	}
	if !seen {
		c.changed = true
		c.otherTypes[strings.Clone(kind)] = new(int64)
	}
	*c.otherTypes[kind]++ // not an assignment to the map, which would keep the text of the line at hand for its key
	return kind
}

// isTypeName reports whether a text looks like the name of a type, which says nothing about the owner.
func isTypeName(s string) bool {
	if s == "" || len(s) > maxTypeName {
		return false
	}
	for _, r := range s {
		if r != '-' && r != '_' && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') {
			return false
		}
	}
	return true
}

// lineRows account for the types of lines that belong to no stream, of this run and of earlier ones.
func (c *collection) lineRows() (rows []files.Row) {
	var known, unknown []string
	for _, kind := range cursor.Keys(c.otherTypes) {
		if slices.Contains(withoutStream, kind) {
			known = append(known, kind)
		} else {
			unknown = append(unknown, kind)
		}
	}
	if len(known) > 0 {
		rows = append(rows, files.Row{Store: "other_lines", Status: files.StatusDeferred,
			Reason: "no stream holds transcript lines of type " + strings.Join(known, ", ")})
	}
	if len(unknown) > 0 {
		rows = append(rows, files.Row{Store: "unknown_lines", Status: files.StatusUnaccounted,
			Reason: "transcripts have lines of types that this version does not know: " + strings.Join(unknown, ", ")})
	}
	return rows
}

// countTypes counts the lines of this run that have unknown types.
func (c *collection) countTypes() {
	for _, kind := range cursor.Keys(c.otherTypes) {
		if n := *c.otherTypes[kind]; n > 0 && !slices.Contains(withoutStream, kind) {
			c.books.Items("messages").UnknownTimes(kind, n)
		}
	}
}
