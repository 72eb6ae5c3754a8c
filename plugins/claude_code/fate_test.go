package main

import (
	"archive/zip"
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/files"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/trial"
)

// AC-02: every entry of the projects folder is read, passed over by a rule, or named.
func TestEveryEntryHasAFate(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		path string
		kind files.Kind
		want fate
	}{
		{"p", files.Folder, fateFolder},
		{"stray.jsonl", files.File, fateUnknown},
		{"p/" + one + ".jsonl", files.File, fateTranscript},
		{"p/" + one + ".jsonl.gz", files.File, fateUnknown},
		{"p/.jsonl", files.File, fateUnknown},
		{"p/sessions-index.json", files.File, fateRule},
		{"p/.DS_Store", files.File, fateRule},
		{"p/memory", files.Folder, fateFolder},
		{"p/memory/a/b.md", files.File, fateNote},
		{"p/memory/a.txt", files.File, fateUnknown},
		{"p/s/subagents", files.Folder, fateFolder},
		{"p/s/subagents/agent-1.jsonl", files.File, fateTranscript},
		{"p/s/subagents/agent-1.meta.json", files.File, fateRule},
		{"p/s/subagents/agent-1.bin", files.File, fateUnknown},
		{"p/s/tool-results/toolu_1.txt", files.File, fateToolResult},
		{"p/s/session-memory", files.Folder, fateLater},
		{"p/s/novelty", files.Folder, fateUnknown},
	} {
		if got := fateOf(c.path, c.kind); got != c.want {
			t.Errorf("%s: got %d, want %d", c.path, got, c.want)
		}
	}
	h := small()
	h.put(project+one+"/novelty/x.bin", "x")
	h.put(project+one+"/session-memory/summary.md", "x")
	h.put(project+two+".jsonl.zst", "x")
	r := run(t, h)
	if len(r.Skips) != 0 {
		t.Errorf("got %+v, want what is not understood left to the host", r.Skips)
	}
	if got := r.File(rootHome, project+two+".jsonl.zst"); got != abi.FileUnknown {
		t.Errorf("got %q, want %q", got, abi.FileUnknown)
	}
	want(t, r, "coverage_diagnostics", "coverage:project_files", map[string]any{"status": "unaccounted"})
	want(t, r, "coverage_diagnostics", "coverage:session_memory", map[string]any{"status": "deferred"})
	emitted(t, again(t, r))
}

// An archive that has a transcript as it is, without compression, is no transcript.
func TestAnArchiveIsNoTranscript(t *testing.T) {
	t.Parallel()
	h := small()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.CreateHeader(&zip.FileHeader{Name: "a.jsonl"})
	if err == nil {
		_, err = w.Write([]byte("\n" + userLine(two, "33333333-3333-4333-8333-333333333333", "in an archive", 1) + "\n"))
	}
	if err = errors.Join(err, z.Close()); err != nil {
		t.Fatal(err)
	}
	h.put(project+"old.zip", b.String())
	r := run(t, h)
	if got := r.File(rootHome, project+"old.zip"); got != abi.FileUnknown || len(r.Skips) != 0 {
		t.Errorf("got %q and %+v, want %q and no trouble with its lines", got, r.Skips, abi.FileUnknown)
	}
}

// AC-02: a file of which only the beginning is collected is not said to be read, in any run.
func TestFilesThatAreBegun(t *testing.T) {
	t.Parallel()
	h := small()
	h.put(project+one+"/tool-results/short.txt", "x")
	h.put(project+one+"/tool-results/long.txt", strings.Repeat("x", previewRead+1))
	h.put("skills/long/SKILL.md", strings.Repeat("x", maxDocument+1))
	h.put("skills/short/SKILL.md", "x")
	r := run(t, h)
	for range 2 {
		for path, want := range map[string]string{
			project + one + "/tool-results/short.txt": abi.FileRead, project + one + "/tool-results/long.txt": abi.FileBeginning,
			"skills/long/SKILL.md": abi.FileBeginning, "skills/short/SKILL.md": abi.FileRead,
		} {
			if got := r.File(rootHome, path); got != want {
				t.Errorf("%s: got %q, want %q", path, got, want)
			}
		}
		r = again(t, r)
	}
}

// what was typed while Claude worked is a message where nothing else has it, and a line of the
// queue where it waited.
func TestQueuedPrompts(t *testing.T) {
	t.Parallel()
	queued := func(id string, prompt any, mode string) string {
		return line(map[string]any{"type": "attachment", "uuid": id, "sessionId": one, "timestamp": stamp(3),
			"attachment": map[string]any{"type": "queued_command", "prompt": prompt, "commandMode": mode}})
	}
	h := small()
	h.add(project+one+".jsonl", queued("q1", "QUEUED "+strings.Repeat("long ", 300), "prompt")+
		queued("q2", []any{map[string]any{"type": "text", "text": "with a picture"}, map[string]any{"type": "image"}}, "prompt")+
		queued("q3", "<task-notification>done</task-notification>", "task-notification")+
		line(map[string]any{"type": "queue-operation", "operation": "enqueue", "sessionId": one, "timestamp": stamp(4), "content": "WAITING"})+
		line(map[string]any{"type": "queue-operation", "operation": "dequeue", "sessionId": one, "timestamp": stamp(5)})+
		line(map[string]any{"type": "attachment", "uuid": "h1", "sessionId": one, "timestamp": stamp(6), "attachment": map[string]any{"type": "hook_success", "content": "ok"}}))
	r := run(t, h)
	want(t, r, "messages", "q1", map[string]any{"role": "user", "type": "user", "form": "text", "content": "QUEUED " + strings.Repeat("long ", 300), "origin": "person", "session_id": one})
	want(t, r, "messages", "q2", map[string]any{"role": "user", "content": "with a picture", "text": "with a picture\n[image]", "origin": "person"})
	want(t, r, "messages", "q3", map[string]any{"origin": "program"})
	want(t, r, "sessions", one, map[string]any{"message_count": 5})
	waiting := ""
	for _, rec := range r.Records("attachments") {
		waiting += jsonText(t, rec.Fields["kind"]) + jsonText(t, rec.Fields["content_preview"])
	}
	if waiting != `"queue-operation""WAITING""hook_success""ok"` {
		t.Errorf("got %s, want the prompt that waited and the hook", waiting)
	}
	want(t, r, "coverage_diagnostics", "coverage:other_lines", map[string]any{"reason": "no stream holds transcript lines of type queue-operation"})
}

// K-08: what a program wrote in the person's name is told from what the person typed.
func TestOriginOfMessages(t *testing.T) {
	t.Parallel()
	user := func(id, text string, more map[string]any) string {
		m := map[string]any{"type": "user", "uuid": id, "sessionId": one, "timestamp": stamp(3), "message": map[string]any{"role": "user", "content": text}}
		for name, v := range more {
			m[name] = v
		}
		return line(m)
	}
	cases := map[string]string{
		user("o01", "Please look", nil):                                                               "person",
		user("o02", "<b>bold</b>", nil):                                                               "person",
		user("o03", "<command-name>/init</command-name>", nil):                                        "person",
		user("o04", "anything", map[string]any{"isMeta": true}):                                       "program",
		user("o05", "This is long", map[string]any{"isCompactSummary": true}):                         "program",
		user("o06", "<local-command-stdout>x</local-command-stdout>", nil):                            "program",
		user("o07", "[Request interrupted by user for tool use]", nil):                                "program",
		user("o08", "<ide_opened_file>a.go</ide_opened_file>\nWhat is this?", nil):                    "mixed",
		user("o09", "<system-reminder>x</system-reminder><system-reminder>y", nil):                    "program",
		user("o10", "Find it", map[string]any{"isSidechain": true}):                                   "model",
		user("o11", "<system-reminder>"+strings.Repeat("x", maxContent+1)+"</system-reminder>y", nil): "",
	}
	h := small()
	for text := range cases {
		h.add(project+one+".jsonl", text)
	}
	h.add(project+one+".jsonl", line(map[string]any{"type": "user", "uuid": "o12", "sessionId": one, "timestamp": stamp(3),
		"message": map[string]any{"role": "user", "content": []any{map[string]any{"type": "tool_result", "content": "out"}}}}))
	h.put(project+one+"/subagents/agent-x.jsonl", user("o13", "Do that", nil))
	r := run(t, h)
	for text, origin := range cases {
		id := text[strings.Index(text, `"uuid":"`)+8:][:3]
		if origin == "" {
			want(t, r, "messages", id, map[string]any{"origin": nil})
			continue
		}
		want(t, r, "messages", id, map[string]any{"origin": origin})
	}
	want(t, r, "messages", "o12", map[string]any{"origin": "tool"})
	want(t, r, "messages", "o13", map[string]any{"origin": "model"})
	want(t, r, "messages", "a1", map[string]any{"origin": "model"})
}

// AC-05: lines of types that are not known are told by name, and the names are bounded.
func TestUnknownLineTypes(t *testing.T) {
	t.Parallel()
	h := small()
	h.add(project+one+".jsonl", line(map[string]any{"type": "system", "sessionId": one})+
		strings.Repeat(line(map[string]any{"type": "novelty", "sessionId": one}), 3)+line(map[string]any{"type": "no word!", "sessionId": one}))
	r := run(t, h)
	want(t, r, "coverage_diagnostics", "coverage:other_lines", map[string]any{"status": "deferred", "reason": "no stream holds transcript lines of type system"})
	want(t, r, "coverage_diagnostics", "coverage:unknown_lines", map[string]any{"status": "unaccounted",
		"reason": "transcripts have lines of types that this version does not know: (other), novelty"})
	// AC-15: what is left out since it is not known is told in each run, as long as it is there.
	for _, r := range []*sdktest.Result{r, again(t, r)} {
		if got := trial.Reasons(r); got != unknownTypes.Reason || !strings.Contains(string(r.Skips[0].Diagnostics), "novelty") {
			t.Errorf("got %q, %s, want %q with the names of the types", got, r.Skips[0].Diagnostics, unknownTypes.Reason)
		}
	}
	emitted(t, again(t, r))
	c := newCollection(nil)
	for n := range 200 {
		p := parser{}
		e, _ := p.parse([]byte(`{"type":"t` + strings.Repeat("x", n%30) + string(rune('a'+n/30)) + `"}`))
		c.sawOther(e)
	}
	if len(c.otherTypes) != maxOtherTypes+1 || *c.otherTypes["(other)"] != 200-maxOtherTypes {
		t.Errorf("got %d names and %d others, want %d and %d", len(c.otherTypes), *c.otherTypes["(other)"], maxOtherTypes+1, 200-maxOtherTypes)
	}
}
