package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/trial"
)

func TestRolloutBecomesRecords(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.write(rolloutName(sessionA), metaLine(sessionA)+
		message(1, "developer", "instructions")+
		message(2, "user", "Please list\nthe files")+
		`{"timestamp":"`+at(3)+`","type":"turn_context","payload":{"cwd":"/home/sam/code/app","model":"m"}}`+"\n"+
		`{"timestamp":"`+at(3)+`","type":"event_msg","payload":{"type":"user_message","message":"Please list"}}`+"\n"+
		itemLine(4, `{"type":"reasoning","summary":[{"type":"summary_text","text":"hm"}],"content":null,"encrypted_content":"gAAA"}`)+
		callLine(5, "call_1")+callLine(5, "call_2")+
		outputLine(6, "call_2", "second")+
		itemLine(6, `{"type":"function_call_output","call_id":"call_1","output":{"content":"first","success":true}}`)+
		itemLine(7, `{"type":"custom_tool_call","status":"completed","call_id":"call_3","name":"apply_patch","input":"*** Begin Patch"}`)+
		itemLine(7, `{"type":"custom_tool_call_output","call_id":"call_3","output":"{\"output\":\"Success\"}"}`)+
		itemLine(8, `{"type":"local_shell_call","call_id":"call_4","status":"completed","action":{"type":"exec","command":["ls"]}}`)+
		itemLine(8, `{"type":"function_call_output","call_id":"call_4","output":[{"type":"input_text","text":"a"},{"type":"input_image","image_url":"data:"}]}`)+
		itemLine(9, `{"type":"web_search_call","status":"completed","action":{"type":"search","query":"weather"}}`)+
		itemLine(10, `{"type":"message","role":"user","content":[{"type":"input_text","text":"see"},{"type":"input_image","image_url":"data:image/png;base64,AAAA"}]}`)+
		message(11, "assistant", "Done."))
	res := h.collect()
	if got := keys(res, streamMessages); got != "A:2 A:3 A:6 A:16 A:17" {
		t.Fatalf("%v, want A:2 A:3 A:6 A:16 A:17", got)
	}
	if got := keys(res, streamCalls); got != "A:8 A:7 A:11 A:13 A:15" {
		t.Fatalf("%v, want A:8 A:7 A:11 A:13 A:15", got)
	}
	for _, c := range []struct{ stream, key, field, want string }{
		{streamMessages, "3", "content", "Please list\nthe files"}, {streamMessages, "3", "role", "user"}, {streamMessages, "3", "timestamp", at(2)},
		{streamMessages, "6", "content", "hm"}, {streamMessages, "6", "form", "reasoning"}, {streamMessages, "6", "role", "assistant"}, {streamMessages, "6", "origin", "model"},
		{streamMessages, "16", "content", "see\n[input_image]"}, {streamMessages, "16", "form", "mixed"}, {streamMessages, "17", "form", "text"},
		{streamCalls, "7", "output_preview", "first"}, {streamCalls, "8", "output_preview", "second"}, {streamCalls, "8", "call_id", "call_2"},
		{streamCalls, "7", "arguments", `{"command":["bash","-lc","ls"]}`}, {streamCalls, "7", "name", "shell"},
		{streamCalls, "11", "arguments", "*** Begin Patch"}, {streamCalls, "11", "kind", "custom_tool_call"},
		{streamCalls, "13", "arguments", `{"type":"exec","command":["ls"]}`}, {streamCalls, "13", "output_preview", "a\n[input_image]"},
		{streamCalls, "15", "kind", "web_search_call"}, {streamCalls, "15", "output_preview", "<nil>"},
	} {
		if got := field(res, c.stream, sessionA+":"+c.key, c.field); got != c.want {
			t.Errorf("%s %s %s: %q, want %q", c.stream, c.key, c.field, got, c.want)
		}
	}
	for name, want := range map[string]string{
		"cwd": "/home/sam/code/app", "originator": "codex_cli_rs", "cli_version": "0.61.0", "model_provider": "openai", "git_commit": "a1b2c3d4",
		"git_branch": "main", "repository_url": "https://github.com/sam/app.git", "message_count": "5", "function_call_count": "5",
		"started_at": "2026-01-01T10:00:00.100Z", "last_event_at": "2026-01-01T10:00:11.100Z", "title": "<nil>", "archived": "<nil>",
		"rollout_relative_path": rolloutName(sessionA),
	} {
		if got := field(res, streamSessions, sessionA, name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if second := h.again(res); len(second.All) != 0 {
		t.Fatalf("an unchanged folder emitted %v, want len(second.All) = 0", second.All)
	}
}

// The first session_meta wins: a fork repeats its parent's after its own.
func TestForkKeepsItsOwnMeta(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.write(rolloutName(sessionB), metaLine(sessionB)+metaLine(sessionA)+message(1, "user", "hi"))
	res := h.collect()
	if keys(res, streamSessions) != "B" || keys(res, streamMessages) != "B:3" {
		t.Fatalf("sessions %s, messages %s, want B and B:3", keys(res, streamSessions), keys(res, streamMessages))
	}
}

func TestRolloutWithoutMetaOrEnvelope(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.write(rolloutName(sessionA), message(1, "user", "hi"))
	h.write("sessions/2025/05/01/rollout-2025-05-01-old.jsonl",
		`{"id":"old-1","timestamp":"2025-05-01T08:00:00Z","instructions":"x","git":{"branch":"dev"}}`+"\n"+
			`{"record_type":"state"}`+"\n"+
			`{"type":"message","role":"user","content":[{"type":"input_text","text":"plain"}]}`+"\n"+
			`{"type":"function_call","id":"fc","name":"shell","arguments":{"command":"ls"}}`+"\n")
	h.write("sessions/2026/01/02/rollout-empty.jsonl", "")
	h.write("sessions/2026/01/02/rollout-.jsonl", message(1, "user", "nameless"))
	res := h.collect()
	if got := keys(res, streamMessages); got != "A:1 old-1:3 rollout:1" {
		t.Fatalf("%v, want A:1 old-1:3 rollout:1", got)
	}
	if got := keys(res, streamSessions); got != "A old-1 rollout" {
		t.Fatalf("%v, want A old-1 rollout", got)
	}
	if field(res, streamSessions, "old-1", "git_branch") != "dev" || field(res, streamCalls, "old-1:4", "call_id") != "fc" {
		t.Fatalf("%v, want field(res, streamSessions, \"old-1\", \"git_branch\") = dev and field(res, streamCalls, \"old-1:4\", \"call_id\") = fc", res.All)
	}
}

// Counts are the earlier ones plus those of the new lines, and only new lines are
// emitted.
func TestAppend(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	name := rolloutName(sessionA)
	h.write(name, metaLine(sessionA)+message(1, "user", "one")+callLine(2, "c1")+outputLine(3, "c1", "out"))
	first := h.collect()
	h.add(name, message(10, "assistant", "two")+callLine(11, "c2")+outputLine(12, "c2", "out"))
	second := h.again(first)
	if keys(second, streamMessages) != "A:5" || keys(second, streamCalls) != "A:6" || keys(second, streamSessions) != "A" {
		t.Fatalf("messages %s, calls %s, want A:5 and A:6", keys(second, streamMessages), keys(second, streamCalls))
	}
	for name, want := range map[string]string{
		"message_count": "2", "function_call_count": "2", "cwd": "/home/sam/code/app", "started_at": "2026-01-01T10:00:00.100Z",
		"last_event_at": "2026-01-01T10:00:12.100Z",
	} {
		if got := field(second, streamSessions, sessionA, name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	if third := h.again(second); len(third.All) != 0 {
		t.Fatalf("%v, want len(third.All) = 0", third.All)
	}
}

func TestTornLastLineWaits(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	name, line := rolloutName(sessionA), message(2, "assistant", "whole at last")
	h.write(name, metaLine(sessionA)+message(1, "user", "one")+line[:40])
	first := h.collect()
	if keys(first, streamMessages) != "A:2" {
		t.Fatalf("%v, want A:2", keys(first, streamMessages))
	}
	if again := h.again(first); len(again.All) != 0 {
		t.Fatalf("%v, want len(again.All) = 0", again.All)
	}
	h.add(name, line[40:])
	second := h.again(first)
	if keys(second, streamMessages) != "A:3" || field(second, streamSessions, sessionA, "message_count") != "2" {
		t.Fatalf("%v, want keys(second, streamMessages) = A:3 and field(second, streamSessions, sessionA, \"message_count\") = 2", keys(second, streamMessages))
	}
}

// An output that comes after its call was collected is a separate record.
func TestLateOutput(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	name := rolloutName(sessionA)
	h.write(name, metaLine(sessionA)+callLine(1, "c1"))
	first := h.collect()
	if field(first, streamCalls, sessionA+":2", "output_preview") != "<nil>" {
		t.Fatalf("%v, want field(first, streamCalls, sessionA+\":2\", \"output_preview\") = <nil>", first.All)
	}
	h.add(name, outputLine(9, "c1", "late"))
	second := h.again(first)
	if keys(second, streamCalls) != "A:3:output" || field(second, streamCalls, sessionA+":3:output", "call_id") != "c1" ||
		field(second, streamCalls, sessionA+":3:output", "output_preview") != "late" ||
		field(second, streamSessions, sessionA, "function_call_count") != "1" {
		t.Fatalf("%+v, want the late output as the record A:3:output", second.All)
	}
}

// No more than 1,024 calls wait; the oldest goes first, and its output is late.
func TestPendingCallsAreBounded(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	var b strings.Builder
	b.WriteString(metaLine(sessionA))
	for i := range maxPending + 2 {
		b.WriteString(callLine(1, fmt.Sprint("c", i)))
	}
	b.WriteString(outputLine(2, "c0", "too late") + outputLine(2, "c5", "in time"))
	h.write(rolloutName(sessionA), b.String())
	res := h.collect()
	all := res.Keys(streamCalls)
	if all[0] != sessionA+":2" || all[1] != sessionA+":3" || field(res, streamCalls, sessionA+":2", "output_preview") != "<nil>" {
		t.Fatalf("%v, want all[0] = %v, all[1] = %v and field(res, streamCalls, sessionA+\":2\", \"output_preview\") = <nil>", all[:3], sessionA+":2", sessionA+":3")
	}
	late := fmt.Sprintf("%s:%d:output", sessionA, maxPending+4)
	if field(res, streamCalls, late, "output_preview") != "too late" || field(res, streamCalls, sessionA+":7", "output_preview") != "in time" {
		t.Fatalf("%v, want field(res, streamCalls, late, \"output_preview\") = too late and field(res, streamCalls, sessionA+\":7\", \"output_preview\") = in time", all)
	}
	if len(all) != maxPending+3 {
		t.Fatalf("%v, want %v", len(all), maxPending+3)
	}
}

func TestPendingIsBoundedBehindAnUnansweredCall(t *testing.T) {
	t.Parallel()
	var p pending
	p.reset()
	p.add(&call{callID: "never"})
	for i := range 50000 {
		id := fmt.Sprint(i)
		p.add(&call{callID: id, name: id})
		if c := p.remove(id); c == nil || c.name != id {
			t.Fatalf("call %d: %+v, want the call %s", i, c, id)
		}
	}
	if len(p.byID) != 1 {
		t.Fatalf("%d calls are kept, want 1", len(p.byID))
	}
	if c := p.oldest(); c == nil || c.callID != "never" {
		t.Fatalf("the oldest call is %+v, want never", c)
	}
}

func TestRewrittenAndTruncatedRolloutsAreRebuilt(t *testing.T) {
	t.Parallel()
	long := metaLine(sessionA)
	for i := range 700 {
		long += message(i%60, "user", fmt.Sprint("line ", i, strings.Repeat(" x", 80)))
	}
	for name, c := range map[string]struct {
		text  string
		count string
	}{
		"another beginning": {strings.Replace(long, "line 3 ", "LINE 3 ", 1) + message(1, "user", "more"), "701"},
		"another end":       {strings.Replace(long, "line 699 ", "LINE 699 ", 1) + message(1, "user", "more"), "701"},
		"truncated":         {metaLine(sessionA) + message(1, "user", "only"), "1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t)
			h.write(rolloutName(sessionA), long)
			first := h.collect()
			h.write(rolloutName(sessionA), c.text)
			second := h.again(first)
			if got := fmt.Sprint(len(second.Records(streamMessages))); got != c.count || field(second, streamSessions, sessionA, "message_count") != c.count {
				t.Fatalf("%s messages, count %s, want %s", got, field(second, streamSessions, sessionA, "message_count"), c.count)
			}
		})
	}
}

func TestTouchedRolloutEmitsNothing(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.write(rolloutName(sessionA), metaLine(sessionA)+message(1, "user", "one"))
	first := h.collect()
	h.touch(rolloutName(sessionA), h.clock.Add(time.Minute))
	second := h.again(first)
	if len(second.Records(streamMessages)) != 0 {
		t.Fatalf("%v, want len(second.Records(streamMessages)) = 0", second.All)
	}
	if third := h.again(second); len(third.All) != 0 {
		t.Fatalf("%v, want len(third.All) = 0", third.All)
	}
}

// Words that were changed in the midst of a long rollout, which has as many bytes as before, are collected.
func TestWordsThatWereRewritten(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	text := metaLine(sessionA) + message(1, "user", strings.Repeat("x", 80<<10)) + message(2, "user", "the password is hunter2") + message(3, "user", strings.Repeat("x", 8<<10))
	h.write(rolloutName(sessionA), text)
	first := h.collect()
	h.write(rolloutName(sessionA), strings.Replace(text, "hunter2", "*******", 1))
	h.touch(rolloutName(sessionA), h.clock.Add(time.Minute))
	if got := field(h.again(first), streamMessages, sessionA+":3", "content"); got != "the password is *******" {
		t.Errorf("got %q, want the words that are there now", got)
	}
}

// A session that is being written is collected as far as its lines are complete, and
// lines still to come do not count as missing.
func TestGrowingSession(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	name := rolloutName(sessionA)
	line := message(3, "assistant", "two")
	h.write(name, metaLine(sessionA)+message(1, "user", "one")+callLine(2, "c")+line[:len(line)/2])
	h.touch(name, sdktest.Epoch.Add(-time.Second))
	first := h.collect()
	if keys(first, streamMessages) != "A:2" || keys(first, streamCalls) != "A:3" || field(first, streamSessions, sessionA, "message_count") != "1" {
		t.Fatalf("got messages %q and calls %q, want the complete lines A:2 and A:3", keys(first, streamMessages), keys(first, streamCalls))
	}
	if told(first) != begun.Reason {
		t.Fatalf("got %q of a line still to come, want %s", told(first), begun.Reason)
	}
	if same := h.again(first); activity(same) != 0 || told(same) != torn.Reason {
		t.Fatalf("nothing was added: %d records and %q, want no record and %s", activity(same), told(same), torn.Reason)
	}
	h.add(name, line[len(line)/2:]+outputLine(4, "c", "done"))
	h.touch(name, sdktest.Epoch)
	second := h.again(first)
	if keys(second, streamMessages) != "A:4" || keys(second, streamCalls) != "A:5:output" || len(second.Skips) != 0 ||
		field(second, streamSessions, sessionA, "message_count") != "2" {
		t.Fatalf("got messages %q, calls %q and %+v, want the rest: A:4 and A:5:output", keys(second, streamMessages), keys(second, streamCalls), second.Skips)
	}
}

// A session whose first line is not complete does not exist yet.
func TestSessionBeginsWithItsFirstLine(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	name := "sessions/2026/01/01/rollout-begun.jsonl"
	line := metaLine(sessionA)
	h.write(name, line[:20])
	h.touch(name, sdktest.Epoch) // of one that is old, the line would be called cut
	first := h.collect()
	if activity(first) != 0 || told(first) != begun.Reason {
		t.Fatalf("got sessions %q and %q, want none yet, and %s", keys(first, streamSessions), told(first), begun.Reason)
	}
	h.add(name, line[20:]+message(1, "user", "one"))
	if second := h.again(first); keys(second, streamSessions) != "A" || keys(second, streamMessages) != "A:2" {
		t.Fatalf("got sessions %q and messages %q, want A and A:2", keys(second, streamSessions), keys(second, streamMessages))
	}
}

func TestArchivedRolloutKeepsItsState(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	name := rolloutName(sessionA)
	h.write(name, metaLine(sessionA)+message(1, "user", "one"))
	first := h.collect()
	moved := "archived_sessions/" + filepath.Base(name)
	if err := os.MkdirAll(filepath.Join(h.dir, "archived_sessions"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(h.dir, name), filepath.Join(h.dir, moved)); err != nil {
		t.Fatal(err)
	}
	second := h.again(first)
	if len(second.Records(streamMessages)) != 0 || field(second, streamSessions, sessionA, "rollout_relative_path") != moved ||
		field(second, streamSessions, sessionA, "cwd") != "/home/sam/code/app" || field(second, streamSessions, sessionA, "message_count") != "1" {
		t.Fatalf("%+v, want the session with its new path and no message", second.All)
	}
	if third := h.again(second); activity(third) != 0 {
		t.Fatalf("%v, want activity(third) = 0", third.All)
	}
}

// Two files of one session share its record and none of their own.
func TestTwoRolloutsOfOneSession(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.write(rolloutName(sessionA), metaLine(sessionA)+message(1, "user", "one"))
	h.write("sessions/2026/01/03/rollout-2026-01-03T10-00-00-resumed.jsonl", metaLine(sessionA)+message(9, "user", "two")+message(9, "user", "three"))
	first := h.collect()
	seen := map[string]bool{}
	for _, k := range first.Keys(streamMessages) {
		if seen[k] {
			t.Errorf("%s was emitted twice, want once", k)
		}
		seen[k] = true
	}
	if len(seen) != 3 || field(first, streamSessions, sessionA, "message_count") != "3" {
		t.Fatalf("messages %v, count %s, want 3 of each", seen, field(first, streamSessions, sessionA, "message_count"))
	}
	if second := h.again(first); len(second.All) != 0 {
		t.Fatalf("%v, want len(second.All) = 0", second.All)
	}
	h.add(rolloutName(sessionA), message(20, "user", "four"))
	if second := h.again(first); keys(second, streamMessages) != "A:3" || field(second, streamSessions, sessionA, "message_count") != "4" {
		t.Fatalf("%v, want keys(second, streamMessages) = A:3 and field(second, streamSessions, sessionA, \"message_count\") = 4", second.All)
	}
}

func TestMalformedAndOversizedLines(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.write(rolloutName(sessionA), metaLine(sessionA)+"not json\n[1]\n\n"+strings.Replace(message(1, "user", "BAD bytes"), "BAD", "\xff\xfe", 1)+
		itemLine(2, `{"type":"message","role":"user","content":"`+strings.Repeat("x", maxLineBytes)+`"}`)+
		itemLine(3, `{"type":"message","content":null}`)+`{"type":"response_item","timestamp":"yesterday","payload":{"type":"brand_new","x":1}}`+"\n"+
		`{"type":"Weird Type!","payload":{}}`+"\n"+message(4, "user", strings.Repeat("é", maxContent)))
	res := h.collect()
	if keys(res, streamMessages) != "A:5 A:7 A:10" || trial.Reasons(res) != "malformed_lines,line_too_long,entry_not_known" {
		t.Fatalf("messages %s, skips %+v, want A:5 A:7 A:10 and three reports", keys(res, streamMessages), res.Skips)
	}
	if field(res, streamMessages, sessionA+":7", "role") != "unknown" || field(res, streamMessages, sessionA+":10", "content_truncated") != "true" {
		t.Fatalf("%v, want field(res, streamMessages, sessionA+\":7\", \"role\") = unknown and field(res, streamMessages, sessionA+\":10\", \"content_truncated\") = true", res.All)
	}
	last := string(res.Skips[len(res.Skips)-1].Diagnostics)
	for _, name := range []string{"item brand_new", "line other"} {
		if !strings.Contains(last, name) {
			t.Errorf("the report names %s, want %s", last, name)
		}
		if _, row := res.Record(streamCoverage, "coverage:rollout_"+strings.ReplaceAll(name, " ", ":")); row {
			t.Errorf("a row tells of %s, too", name)
		}
	}
	if field(res, streamCoverage, "coverage:sessions", "reason") != "4 lines are damaged, or too long" {
		t.Errorf("%v, want 4 lines are damaged, or too long", field(res, streamCoverage, "coverage:sessions", "reason"))
	}
	// The lines are not read again, and yet missing in every run.
	second := h.again(res)
	if third := h.again(second); len(second.All)+len(third.All) != 0 ||
		fmt.Sprintf("%+v", second.Skips) != fmt.Sprintf("%+v", res.Skips) || fmt.Sprintf("%+v", third.Skips) != fmt.Sprintf("%+v", res.Skips) {
		t.Fatalf("records %v, reports\n%+v\n%+v\n%+v\nwant no record and the same reports in every run", second.All, res.Skips, second.Skips, third.Skips)
	}
	if !strings.Contains(string(res.Skips[0].Diagnostics), rolloutName(sessionA)) || res.Skips[0].Message != "3 lines of rollouts are damaged; what is whole in them was collected" ||
		res.Skips[1].Message != "1 line of a rollout is longer than 16 MiB" {
		t.Fatalf("%+v, want 3 malformed lines and 1 long line, with the rollout's name", res.Skips)
	}
	h.write(rolloutName(sessionA), metaLine(sessionA)+message(1, "user", "repaired"))
	if repaired := h.again(second); len(repaired.Skips) != 0 {
		t.Fatalf("%+v, want len(repaired.Skips) = 0", repaired.Skips)
	}
}

// A vanished rollout is no statement about its session.
func TestVanishedRolloutDeletesNothing(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.write(rolloutName(sessionA), metaLine(sessionA)+message(1, "user", "one"))
	first := h.collect()
	h.remove("sessions/2026")
	second := h.again(first)
	if activity(second) != 0 || len(second.Deletes(streamSessions)) != 0 {
		t.Fatalf("%v, want activity(second) = 0 and len(second.Deletes(streamSessions)) = 0", second.All)
	}
	if strings.Contains(second.Committed()[streamSessions], "rollout-") {
		t.Fatal("the cursor still has the vanished rollout")
	}
}

// A run over some of the streams neither loses nor hides the records of another run.
func TestRunsOverSomeStreams(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	name := rolloutName(sessionA)
	h.write(name, metaLine(sessionA)+message(1, "user", "one")+callLine(1, "c"))
	res := h.collect(trial.Only(streamSessions))
	if keys(res, streamSessions) != "A" || activity(res) != 1 {
		t.Fatalf("%v, want keys(res, streamSessions) = A and activity(res) = 1", res.All)
	}
	res = h.again(res, trial.Only(streamSessions, streamMessages))
	if keys(res, streamMessages) != "A:2" {
		t.Fatalf("%v, want keys(res, streamMessages) = A:2", res.All)
	}
	res = h.again(res, trial.Only())
	if keys(res, streamCalls) != "A:3" {
		t.Fatalf("%v, want keys(res, streamCalls) = A:3", res.All)
	}
	h.add(name, message(2, "user", "two"))
	less := h.again(res, trial.Only(streamSessions))
	if keys(less, streamSessions) != "A" {
		t.Fatalf("%v, want keys(less, streamSessions) = A", less.All)
	}
	if keys(h.again(less, trial.Only()), streamMessages) != "A:4" {
		t.Fatal("a run over sessions alone moved the cursor past a message")
	}
	if alone := h.again(less, trial.Only(streamMessages)); keys(alone, streamMessages) != "A:2 A:4" || len(alone.States) != 0 {
		t.Fatalf("%v, want keys(alone, streamMessages) = A:2 A:4 and len(alone.States) = 0", keys(alone, streamMessages))
	}
}

func TestSessionsRoot(t *testing.T) {
	t.Parallel()
	h, other := newHome(t), newHome(t)
	h.write("config.toml", "x")
	other.write("2026/01/01/rollout-x-"+sessionA+".jsonl", metaLine(sessionA)+message(1, "user", "one"))
	res := h.collect(func(o *sdktest.Options) { o.Roots["sessions"] = os.DirFS(other.dir) })
	if keys(res, streamMessages) != "A:2" || field(res, streamSessions, sessionA, "rollout_relative_path") != "sessions/2026/01/01/rollout-x-"+sessionA+".jsonl" {
		t.Fatalf("%v, want keys(res, streamMessages) = A:2 and field(res, streamSessions, sessionA, \"rollout_relative_path\") = %v", res.All, "sessions/2026/01/01/rollout-x-"+sessionA+".jsonl")
	}
}

// lacking lists the streams that a run reported as incomplete.
func lacking(res *sdktest.Result) string {
	var streams []string
	for _, s := range res.Skips {
		streams = append(streams, s.Stream)
	}
	return strings.Join(streams, " ")
}

// Anything that cannot be read is a gap of its streams, so that none of them counts as
// complete (HL-05.1).
func TestPlacesNameTheirStreams(t *testing.T) {
	t.Parallel()
	for at, want := range map[string]string{
		"sessions":                          "function_calls messages sessions",
		"archived_sessions/rollout-a.jsonl": "function_calls messages sessions",
		"prompts/a.md":                      "prompts",
		"AGENTS.md":                         "rules",
		stateDB:                             "sessions",
		".":                                 "",
		"mystery":                           "",
	} {
		if got := strings.Join(streamsOf(at), " "); got != want {
			t.Errorf("%s: %q, want %q", at, got, want)
		}
	}
}
