package main

import (
	"path"
	"strings"

	"github.com/pdpp-host/pdpp-host/sdk/clip"
	"github.com/pdpp-host/pdpp-host/sdk/files"
)

// readToolResult emits a preview of a file that Claude Code put a long tool result into. rel is
// its path below the folder of its kind; dir is PROJECT/SESSION.
func (c *collection) readToolResult(dir, session, rel string, e files.Entry) error {
	key := dir + "/" + rel
	return c.document(&c.results, key, c.projects.sub(dir), e, previewRead, func(content []byte) error {
		r := c.h.Record("attachments")
		r.String("id", "tool_result_file:"+key)
		r.String("session_id", session)
		r.Null("parent_uuid")
		r.String("event_type", "tool_result")
		r.Null("hook_name")
		r.StringOrNull("tool_use_id", toolUseID(rel))
		c.preview.Reset(maxPreview)
		c.preview.Plain(clip.Whole(content))
		r.StringOrNull("content_preview", view(c.preview.Buf))
		r.Int("content_bytes", e.Size)
		r.StringOrNull("timestamp", formatTime(e.MTimeMS))
		return r.Emit()
	})
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
