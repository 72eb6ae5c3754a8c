package main

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
)

// AC-04: lines of one uuid that say something else are each a message, within a transcript and among
// those that begin alike; what says the same is counted as a copy.
func TestOneUUIDWithOtherContent(t *testing.T) {
	t.Parallel()
	const other = "22222222-2222-3333-4444-555555555555"
	h := home{}
	h.put(project+one+".jsonl", userLine(one, "u1", "a", 1)+userLine(one, "u1", "b", 2)+userLine(one, "u1", "a", 3)+
		assistantLine(one, "u1", "", 4, block("text", map[string]any{"text": "a"})))
	h.put(project+other+".jsonl", userLine(other, "u1", "third", 1)+userLine(other, "u1", "a", 5))
	first := run(t, h)
	texts := func(res *sdktest.Result) string {
		var list []string
		for _, r := range res.Records("messages") {
			list = append(list, r.Text("role")+" "+r.Text("content"))
		}
		slices.Sort(list)
		return strings.Join(list, ", ")
	}
	if got := texts(first); got != "assistant a, user a, user b, user third" {
		t.Errorf("messages %q, want each text once for each role", got)
	}
	keys := first.Keys("messages")
	slices.Sort(keys)
	if len(slices.Compact(keys)) != 4 || !slices.Contains(keys, "u1") {
		t.Errorf("keys %q, want four, the first of them the uuid", keys)
	}
	if got := first.Items("messages"); got.Met != 6 || got.Emitted != 4 || got.Duplicate != 2 {
		t.Errorf("%+v, want 6 lines: 4 messages and 2 copies", got)
	}
	if next := again(t, first); len(next.Records("messages")) != 0 {
		t.Errorf("the next run: %q, want nothing", texts(next))
	}
	anew := run(t, h)
	if got, want := strings.Join(anew.Keys("messages"), " "), strings.Join(first.Keys("messages"), " "); got != want {
		t.Errorf("read anew: keys %q, want %q", got, want)
	}
}

// AC-02: a transcript in which no line is one of Claude Code's is not understood, whatever else is wrong
// with it, until it has such a line.
func TestForeignTranscript(t *testing.T) {
	t.Parallel()
	const other = "22222222-2222-3333-4444-555555555555"
	for name, text := range map[string]string{
		"other objects": "{\"foo\":1}\n",
		"other types":   "{\"type\":\"mood\",\"sessionId\":\"x\"}\n",
		"no JSON":       "not json\n",
		"all of it":     "{\"foo\":1}\nnot json at all\n{\"type\":\"user\",\"message\":",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := small()
			h.put(project+other+".jsonl", text)
			first := run(t, h)
			for _, res := range []*sdktest.Result{first, again(t, first)} {
				if got := res.File(rootHome, project+other+".jsonl"); got != abi.FileUnknown || len(res.Skips) != 0 {
					t.Errorf("file %q, %d reports, want it not understood, as the host tells, and nothing else", got, len(res.Skips))
				}
				if got := res.File(rootHome, project+one+".jsonl"); got != abi.FileRead {
					t.Errorf("a transcript beside it: %q, want read", got)
				}
			}
			if got := first.Keys("sessions"); len(got) != 1 || got[0] != one {
				t.Errorf("sessions %q, want one", got)
			}
			if got := first.Items("messages").KeptBack; got != 0 {
				t.Errorf("%d items were kept back, want none: what is not understood has no items", got)
			}
			h.add(project+other+".jsonl", "\n"+userLine(other, "u9", "hello", 1))
			whole := home{}
			whole.put(project+other+".jsonl", text+"\n"+userLine(other, "u9", "hello", 1))
			if got, want := run(t, whole).Items("messages").KeptBack, int64(strings.Count(text, "not json")+strings.Count(text, "message")); got != want {
				t.Errorf("with a line of Claude Code's %d items were kept back, want %d", got, want)
			}
			if got := again(t, first); got.File(rootHome, project+other+".jsonl") == abi.FileUnknown {
				t.Errorf("with a line of Claude Code's: file %q, want it understood", got.File(rootHome, project+other+".jsonl"))
			}
		})
	}
	h := home{}
	h.put(project+one+".jsonl", `{"type":"summary","summary":"x"}`+"\n")
	h.put(project+other+".jsonl", "\n\n")
	if res := run(t, h); len(res.Skips) != 0 {
		t.Errorf("a summary, and a transcript without a line: %+v, want no report", res.Skips)
	}
}

// AC-07: half of a surrogate pair, as JavaScript writes it where it cuts a text, is told as a name that is not known.
func TestHalvesAreTold(t *testing.T) {
	t.Parallel()
	h := home{}
	h.put(project+one+".jsonl", strings.Replace(userLine(one, "u1", "cut HERE", 1), "HERE", `\ud83d`, 1)+strings.Replace(userLine(one, "u2", "whole HERE", 2), "HERE", `\ud83d\ude00`, 1))
	res := run(t, h)
	if got := res.Items("messages").Unknown; len(got) != 1 || got[0].Name != halfCharacter || got[0].Count != 1 {
		t.Errorf("got the unknown names %v, want %s, once", got, halfCharacter)
	}
}

// AC-07: a transcript under another name is one by its lines, and in the next run. Nothing else is.
func TestTranscriptsUnderOtherNames(t *testing.T) {
	t.Parallel()
	const third, fourth = "33333333-2222-3333-4444-555555555555", "44444444-2222-3333-4444-555555555555"
	h := small()
	for name, text := range map[string]string{
		project + "Sitzung.txt":                  line(map[string]any{"type": "summary", "summary": "x"}) + userLine(third, "v1", "renamed", 1),
		project + one + ".jsonl.bak":             userLine(one, "w1", "of a copy", 1),
		project + one + "/subagents/Agent":       userLine(fourth, "v2", "of a subagent", 1),
		project + "notes.txt":                    "type user, sessionId\n",
		project + "other.json":                   "{\"type\":\"user\",\"sessionId\":\"x\"}\n",
		project + one + "/tool-results/u/x.json": userLine(third, "v3", "a result", 1),
	} {
		h.put(name, text)
	}
	first := run(t, h)
	for _, res := range []*sdktest.Result{first, again(t, first)} {
		for name, want := range map[string]string{
			project + "Sitzung.txt": abi.FileRead, project + one + ".jsonl.bak": abi.FileRead, project + one + "/subagents/Agent": abi.FileRead,
			project + "notes.txt": abi.FileUnknown, project + "other.json": abi.FileUnknown,
		} {
			if got := res.File(rootHome, name); got != want {
				t.Errorf("%s: got %q, want %q", name, got, want)
			}
		}
	}
	texts := map[string]string{}
	for _, r := range first.Records("messages") {
		texts[r.Text("content")] = r.Text("session_id")
	}
	if texts["renamed"] != third || texts["of a copy"] != one || texts["of a subagent"] == "" || texts["a result"] != "" {
		t.Errorf("got the messages %v, want those of the three transcripts", texts)
	}
	if _, there := first.Record("sessions", third); !there {
		t.Errorf("got the sessions %v, want %s", first.Keys("sessions"), third)
	}
	h.put(project+"y", userLine(third, "v8", "one before", 1))
	before := run(t, h)
	for i := range maxLooked {
		h.put(project+"a"+strconv.Itoa(i), "x")
	}
	if got := again(t, before).File(rootHome, project+"y"); got != abi.FileRead {
		t.Errorf("one that was read before: got %q, want %q", got, abi.FileRead)
	}
	h.put(project+"z", userLine(third, "v9", "beyond", 1))
	if got := run(t, h).File(rootHome, project+"z"); got != abi.FileUnknown {
		t.Errorf("the one beyond: got %q, want %q", got, abi.FileUnknown)
	}
}
