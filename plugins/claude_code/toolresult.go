package main

import (
	"path"
	"strings"
)

// readToolResults emits a preview of each file that Claude Code put a long tool
// result into. dir is PROJECT/SESSION.
func (c *collection) readToolResults(dir, session string) error {
	f := c.projects.sub(dir + "/tool-results")
	state, err := c.walk(f, func(rel string, e entry) error {
		if e.kind != kindFile {
			return nil
		}
		key := dir + "/" + rel
		did, err := c.document(c.results, key, f, rel, e, previewRead, func(content []byte) error {
			r := c.h.Record("attachments")
			r.String("id", "tool_result_file:"+key)
			r.String("session_id", session)
			r.Null("parent_uuid")
			r.String("event_type", "tool_result")
			r.Null("hook_name")
			r.StringOrNull("tool_use_id", toolUseID(rel))
			c.preview.reset(maxPreview)
			c.preview.plain(wholeRunes(content))
			r.StringOrNull("content_preview", view(c.preview.buf))
			r.Int("content_bytes", e.size)
			r.StringOrNull("timestamp", formatTime(e.mtime))
			return r.Emit()
		})
		c.changed = c.changed || did
		return err
	})
	if state == listedPart {
		c.results.markSeen(dir + "/")
	}
	return err
}

// toolUseID returns the id of the tool call that a file is named after, "" when
// it is named otherwise.
func toolUseID(rel string) string {
	name := strings.TrimSuffix(path.Base(rel), path.Ext(rel))
	if strings.HasPrefix(name, "toolu_") {
		return name
	}
	return ""
}
