package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/pdpp-host/pdpp-host/sdk/files"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/trial"
)

func TestManifestIsValid(t *testing.T) {
	t.Parallel()
	trial.Valid(t, connector{}.Manifest())
}

func TestFirstRun(t *testing.T) {
	t.Parallel()
	h := small()
	h.add(project+one+".jsonl", assistantLine(one, "a2", "a1", 2,
		block("thinking", map[string]any{"thinking": "hm", "signature": "x"}),
		block("tool_use", map[string]any{"id": "toolu_1", "name": "Read", "input": map[string]any{"p": "é"}})))
	h.add(project+one+".jsonl", line(map[string]any{
		"type": "user", "uuid": "u2", "sessionId": one, "timestamp": stamp(3), "agentId": nil, "isSidechain": true,
		"message": map[string]any{"role": "user", "content": []any{block("tool_result", map[string]any{
			"content": []any{block("text", map[string]any{"text": "line \"1\"\n\u2028"})}})}},
	}))
	h.add(project+one+".jsonl", line(map[string]any{
		"type": "attachment", "uuid": "h1", "parentUuid": "u2", "sessionId": one, "timestamp": stamp(4),
		"attachment": map[string]any{"type": "hook_success", "hookName": "Stop", "toolUseID": "t", "content": "", "stdout": strings.Repeat("é", 600)},
	}))
	h.add(project+one+".jsonl", `{"type":"permission-mode","permissionMode":"plan","sessionId":"`+one+"\"}\n")
	h.add(project+one+".jsonl", `{"type":"file-history-snapshot","messageId":"m","snapshot":{"messageId":"m","timestamp":"2026-02-14T09:00:00.000Z"}}`+"\n")
	h.add(project+one+".jsonl", `{"type":"system","subtype":"turn_duration","uuid":"s1","sessionId":"`+one+"\"}\n")
	h.put(project+one+"/subagents/agent-a1.jsonl", userLine(two, "sub1", "look around", 30))
	h.put(project+one+"/tool-results/toolu_9.txt", strings.Repeat("x", 9000))
	h.put(project+"memory/notes/loom.md", "---\nname: Loom\ndescription: \"about it\"\ntags: [a, b]\n---\nbody\n")
	h.put("skills/weave/SKILL.md", "---\ndescription: |\n  two\n  lines\n---\n# Weave\n")
	h.put("commands/warp/check.md", "Check the warp.\n")
	h.put("settings.json", "{}")
	h.put(".credentials.json", "{}")
	h.put("file-history/"+one+"/abc@v1", "old")
	h.put("cache/x", "c")
	h.put("mystery/x", "m")
	r := run(t, h)

	want(t, r, "sessions", one, map[string]any{
		"project_path": "-home-ada-code-loom", "project_folder": "/home/ada/code/loom", "cwd": "/home/ada/code/loom/warp", "git_branch": "weave", "version": "2.1.36",
		"started_at": "2026-02-14T09:30:00.000Z", "last_event_at": "2026-02-14T10:00:00.000Z", "message_count": 5,
		"user_type": "external", "entrypoint": "cli",
	})
	want(t, r, "messages", "u1", map[string]any{
		"session_id": one, "parent_uuid": nil, "role": "user", "type": "user", "form": "text", "text": nil, "content": "Why is the warp loose?",
		"timestamp": "2026-02-14T09:30:00.000Z", "is_sidechain": false, "user_type": "external", "agent_id": nil,
	})
	want(t, r, "messages", "a2", map[string]any{"type": "assistant", "form": "tool_use", "content": "[tool_use: Read]", "text": "hm\nRead {\"p\":\"é\"}", "parent_uuid": "a1"})
	want(t, r, "messages", "u2", map[string]any{"type": "user", "form": "tool_result", "content": "[tool_result]", "text": "line \"1\"\n\u2028", "is_sidechain": true})
	want(t, r, "messages", "sub1", map[string]any{"session_id": one})
	want(t, r, "attachments", "h1", map[string]any{
		"session_id": one, "event_type": "attachment", "kind": "hook_success", "hook_name": "Stop", "tool_use_id": "t", "parent_uuid": "u2",
		"content_preview": strings.Repeat("é", 500) + "…", "content_bytes": nil, "content_size": 1200, "timestamp": stamp(4),
	})
	want(t, r, "attachments", "tool_result_file:-home-ada-code-loom/"+one+"/toolu_9.txt", map[string]any{
		"session_id": one, "tool_use_id": nil, "result_of": "toolu_9", "event_type": "tool_result_file", "content_bytes": 9000, "content_size": 9000, "content_preview": strings.Repeat("x", 500) + "…",
		"timestamp": "2026-02-14T09:30:00.000Z",
	})
	if n := len(r.Records("attachments")); n != 4 {
		t.Errorf("%d attachments: %q, want 4", n, r.Keys("attachments"))
	}
	want(t, r, "memory_notes", "memory_notes:-home-ada-code-loom/notes/loom.md", map[string]any{
		"project_path": "-home-ada-code-loom", "note_path": "notes/loom.md", "name": "Loom", "description": "about it",
		"relative_path": project + "memory/notes/loom.md",
		"frontmatter":   map[string]any{"name": "Loom", "description": "about it", "tags": "[a, b]"},
		"metadata":      map[string]any{"name": "Loom", "description": "about it", "tags": []string{"a", "b"}},
		"mtime_epoch":   day.Unix(),
	})
	want(t, r, "skills", "skills:weave", map[string]any{"name": "weave", "description": "two\nlines", "source": "user", "relative_path": "skills/weave/SKILL.md"})
	want(t, r, "slash_commands", "commands:warp/check", map[string]any{"name": "check", "command": "warp:check", "description": nil, "frontmatter": map[string]any{}, "metadata": nil, "content": "Check the warp.\n"})
	want(t, r, "coverage_diagnostics", "coverage:auth", map[string]any{"status": "excluded", "stream": nil})
	want(t, r, "coverage_diagnostics", "coverage:file_history", map[string]any{"status": "inventory_only", "stream": "file_history"})
	want(t, r, "coverage_diagnostics", "coverage:backups", map[string]any{"status": "missing"})
	want(t, r, "coverage_diagnostics", "coverage:entry:mystery", map[string]any{"status": "unaccounted", "store": "mystery"})
	want(t, r, "coverage_diagnostics", "coverage:other_lines", map[string]any{"status": "deferred", "reason": "no stream holds transcript lines of type system"})
	if n := len(r.Records("config_inventory")); n != 1 {
		t.Errorf("%d settings files, want 1", n)
	}
	if n := len(r.Records("file_history")); n != 3 {
		t.Errorf("%d entries of file-history: the folder, the session's, the file, want 3", n)
	}
	emitted(t, again(t, r))
}

// Every store that the connector knows is accounted for, with a status that the
// host's health understands.
func TestCoverageAccountsForEveryStore(t *testing.T) {
	t.Parallel()
	r := run(t, home{"settings.json": {ModTime: day}})
	for _, s := range stores {
		rec, ok := r.Record("coverage_diagnostics", "coverage:"+s.name)
		if !ok {
			t.Errorf("no row for %s", s.name)
			continue
		}
		switch rec.Text("status") {
		case files.StatusCollected, files.StatusInventory, files.StatusExcluded, files.StatusDeferred, files.StatusMissing, files.StatusUnsupported:
		default:
			t.Errorf("%s is %s, want a status of the table", s.name, rec.Text("status"))
		}
	}
	narrow := checked(t, sdktest.Collect(t, connector{}, sdktest.Options{
		Roots: map[string]fs.FS{rootHome: fstest.MapFS(small())}, Streams: []string{"coverage_diagnostics"},
	}))
	want(t, narrow, "coverage_diagnostics", "coverage:derived_messages", map[string]any{"status": "deferred"})
}

// guarded fails the test when a credentials file is opened.
type guarded struct {
	fstest.MapFS
	t *testing.T
}

func (g guarded) Open(name string) (fs.File, error) {
	if strings.HasSuffix(name, "credentials.json") || strings.HasSuffix(name, "auth.json") {
		g.t.Errorf("%s was opened, want not credentials.json at the end of name and not auth.json at the end of name", name)
	}
	return g.MapFS.Open(name)
}

// Invariant 5: no secret enters guest memory.
func TestCredentialsAreNeverOpened(t *testing.T) {
	t.Parallel()
	h := small()
	h.put(".credentials.json", `{"token":"never"}`)
	h.put("auth.json", `{"token":"never"}`)
	r := checked(t, sdktest.Collect(t, connector{}, sdktest.Options{Roots: map[string]fs.FS{rootHome: guarded{fstest.MapFS(h), t}}}))
	for _, c := range r.Calls {
		if strings.Contains(c.Payload, "never\"") || c.Name == "emit" && strings.Contains(c.Payload, "credentials.json") {
			t.Errorf("%s mentions the credentials: %.200s", c.Name, c.Payload)
		}
	}
}

func TestProjectsRootOverridesTheFolder(t *testing.T) {
	t.Parallel()
	elsewhere := fstest.MapFS{"-p/" + one + ".jsonl": {Data: []byte(userLine(one, "u1", "hi", 0)), ModTime: day}}
	r := checked(t, sdktest.Collect(t, connector{}, sdktest.Options{
		Roots: map[string]fs.FS{rootHome: fstest.MapFS{}, rootProjects: elsewhere},
	}))
	if len(r.Records("messages")) != 1 {
		t.Fatal("the projects root was not read")
	}
	want(t, r, "sessions", one, map[string]any{"project_path": "-p"})
	want(t, r, "coverage_diagnostics", "coverage:derived_messages", map[string]any{"status": "collected"})
}

func TestMissingRootFails(t *testing.T) {
	t.Parallel()
	r := sdktest.Collect(t, connector{}, sdktest.Options{})
	if r.Done.Error == nil || r.Done.Error.Code != "claude_code_home_missing" {
		t.Fatalf("%+v, want Done.Error not nil and Done.Error.Code = claude_code_home_missing", r.Done)
	}
}

// The bundled example, as a first run shows it, has some of everything and nothing
// wrong with it.
func TestExampleFolder(t *testing.T) {
	t.Parallel()
	dir := filepath.Join("..", "..", "examples", "claude_code")
	r := checked(t, sdktest.Collect(t, connector{}, sdktest.Options{Roots: map[string]fs.FS{rootHome: os.DirFS(dir)}}))
	if len(r.Skips) > 0 {
		t.Errorf("something was skipped: %+v, want len(r.Skips) = 0", r.Skips)
	}
	for stream, n := range map[string]int{
		"sessions": 3, "messages": 29, "attachments": 14, "memory_notes": 3, "skills": 2, "slash_commands": 2,
		"file_history": 3, "cache_inventory": 2, "backup_inventory": 2, "config_inventory": 1,
	} {
		if got := len(r.Records(stream)); got != n {
			t.Errorf("%d records of %s, want %d", got, stream, n)
		}
	}
	emitted(t, again(t, r))
}

func TestTimes(t *testing.T) {
	t.Parallel()
	for in, ok := range map[string]bool{
		"2026-02-14T09:30:00.000Z": true, "2026-02-14T09:30:00Z": true, "2026-02-14T09:30:00.123456789+01:30": true,
		"2026-02-14T09:30:00,5Z": false, "2026-02-30T09:30:00Z": false, "2026-02-14": false, "": false, "1770142000000": false,
		"2026-02-14t09:30:00Z": false, "2026-02-14T24:00:00Z": false,
	} {
		if got := parseTime(in) != noTime; got != ok {
			t.Errorf("%q: %v, want %v", in, got, ok)
		}
	}
	if got := formatTime(parseTime("2026-02-14T10:30:00.5+01:00")); got != "2026-02-14T09:30:00.500Z" {
		t.Errorf("%v, want 2026-02-14T09:30:00.500Z", got)
	}
	if formatTime(noTime) != "" || time.UnixMilli(0).IsZero() {
		t.Error("noTime is written as a text, or the epoch counts as no time")
	}
}
