package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
	"github.com/pdpp-host/pdpp-host/sdk/zstd"
)

// told are the reasons of what a run did not collect, each once.
func told(res *sdktest.Result) string {
	var list []string
	for _, s := range res.Skips {
		list = append(list, s.Reason)
	}
	slices.Sort(list)
	return strings.Join(slices.Compact(list), " ")
}

// AC-02, AC-06: a rollout that ends within a line may be one that Codex is writing to. When the next
// run finds it as it was, it is damaged, whatever time its copy has.
func TestRolloutStillEndsWithinALine(t *testing.T) {
	t.Parallel()
	const id = "019ff351-7f44-75c1-9036-cf6aa5f9a601"
	for name, whole := range map[string]string{"behind a line": metaLine(id), "alone": ""} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t)
			cut := whole + message(1, "user", "hello")[:20]
			put := func(text string, age time.Duration) {
				h.write(rolloutName(id), text)
				h.touch(rolloutName(id), sdktest.Epoch.Add(-age))
			}
			put(cut, 5*time.Minute)
			first := h.collect()
			if got := told(first); got != begun.Reason || first.File(rootHome, rolloutName(id)) != abi.FileRead {
				t.Fatalf("while Codex may write: %q, file %q, want %s, read", got, first.File(rootHome, rolloutName(id)), begun.Reason)
			}
			second := h.again(first)
			for range 2 {
				if got := told(second); got != torn.Reason || second.File(rootHome, rolloutName(id)) != abi.FileDamaged {
					t.Errorf("a run later: %q, file %q, want %s, damaged", got, second.File(rootHome, rolloutName(id)), torn.Reason)
				}
				second = h.again(second)
			}
			put(cut+`{"more`, 3*time.Minute)
			if third := h.again(second); told(third) != begun.Reason {
				t.Errorf("after more was written: %q, want %s", told(third), begun.Reason)
			}
			put(metaLine(id)+message(1, "user", "hello"), time.Minute)
			if last := h.again(second); told(last) != "" || activity(last) == 0 {
				t.Errorf("a whole line: %q and %d records, want no report, and its records", told(last), activity(last))
			}
		})
	}
}

// AC-06: Codex compresses what it does not write to any more.
func TestCompressedRolloutEndsWithinALine(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	name := rolloutName(sessionA) + zstd.Suffix
	h.write(name, packed(metaLine(sessionA)+message(1, "user", "hello")[:20]))
	h.touch(name, sdktest.Epoch)
	first := h.collect()
	for _, res := range []*sdktest.Result{first, h.again(first)} {
		if told(res) != torn.Reason || res.File(rootHome, name) != abi.FileDamaged {
			t.Errorf("%q, file %q, want %s, damaged", told(res), res.File(rootHome, name), torn.Reason)
		}
	}
}

// A rollout without a whole line has no session, wherever it moves.
func TestRolloutWithoutALineMoves(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.write(rolloutName(sessionA), `{"cut`)
	h.touch(rolloutName(sessionA), sdktest.Epoch)
	first := h.collect()
	h.remove(rolloutName(sessionA))
	h.write("archived_sessions/rollout-2026-01-01T10-00-00-"+sessionA+".jsonl", `{"cut`)
	h.touch("archived_sessions/rollout-2026-01-01T10-00-00-"+sessionA+".jsonl", sdktest.Epoch)
	if got := activity(h.again(first)); got != 0 {
		t.Errorf("got %d records, want none", got)
	}
}

// AC-02: a file with a rollout's name in which no line is one of Codex's is not understood, whatever else is wrong
// with it, and it is no session.
func TestForeignRollout(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"other objects": "{\"foo\":1}\n",
		"other types":   "{\"type\":\"mood\",\"at\":\"2026-01-01T00:00:00Z\"}\n{\"type\":\"weather\"}\n",
		"no JSON":       "not json\n",
		"all of it":     "{\"foo\":1}\nnot json at all\n{\"type\":\"response_item\",\"payload\":",
		"a page":        "<!DOCTYPE html>\n<html></html>\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t)
			h.write(rolloutName(sessionA), text)
			h.write(rolloutName(sessionB), metaLine(sessionB)+"{\"foo\":1}\n")
			first := h.collect()
			for _, res := range []*sdktest.Result{first, h.again(first)} {
				if got := told(res); got != "entry_not_known" || res.File(rootHome, rolloutName(sessionA)) != abi.FileUnknown {
					t.Errorf("%q, file %q, want the types reported, and the file unknown, which the host tells", got, res.File(rootHome, rolloutName(sessionA)))
				}
				if got := res.File(rootHome, rolloutName(sessionB)); got != abi.FileKnown {
					t.Errorf("a rollout with an unknown line beside it: %q, want known", got)
				}
			}
			if got := keys(first, streamSessions); got != "B" {
				t.Errorf("sessions %q, want B", got)
			}
			h.write(rolloutName(sessionA), text+"\n"+metaLine(sessionA))
			if got := h.again(first); keys(got, streamSessions) != "A" {
				t.Errorf("with a line of Codex's: %q, want A", keys(got, streamSessions))
			}
		})
	}
}

// A folder of which nothing is collected has its entries told: whether it is the wrong one its owner sees
// by their names.
func TestNothingIsCollected(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.write("history.jsonl", "{}\n")
	h.write("config.toml", "a = 1\n")
	res := h.collect()
	if told(res) != nothing.Reason || string(res.Skips[0].Diagnostics) != `{"count":1,"files":["config.toml","history.jsonl"]}` {
		t.Errorf("%q %+v, want the names of what is there", told(res), res.Skips)
	}
	h.write("AGENTS.md", "- be brief")
	if got := told(h.again(res)); got != "" {
		t.Errorf("with something to collect: %q, want nothing", got)
	}
}

// AC-07: half of a surrogate pair, which Codex writes where it cuts a text, is told as a name that is not known.
func TestHalvesAreTold(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.write(rolloutName(sessionA), metaLine(sessionA)+strings.Replace(message(1, "user", "cut HERE"), "HERE", `\ud83d`, 1)+
		strings.Replace(message(2, "user", "whole HERE"), "HERE", `\ud83d\ude00`, 1))
	res := h.collect()
	if got := res.Items(streamMessages).Unknown; len(got) != 1 || got[0].Name != halfCharacter || got[0].Count != 1 || told(res) != "" {
		t.Errorf("got the unknown names %v and %q, want %s, once", got, told(res), halfCharacter)
	}
}

// AC-07: a rollout under another name is one by its lines, also compressed, and in the next run. A copy of
// one that is there is not understood, and nor is anything else.
func TestRolloutsUnderOtherNames(t *testing.T) {
	t.Parallel()
	const sessionC, sessionD = "0199a213-0000-7000-8000-00000000000c", "0199a213-0000-7000-8000-00000000000d"
	h := newHome(t)
	long := strings.Replace(metaLine(sessionB), `"instructions":null`, `"instructions":"`+strings.Repeat("x", 60_000)+`"`, 1)
	for name, text := range map[string]string{
		rolloutName(sessionA):                       metaLine(sessionA) + message(1, "user", "one"),
		"archived_sessions/old":                     metaLine(sessionA) + message(1, "user", "one"),
		rolloutName(sessionA) + ".bak":              metaLine(sessionA) + message(1, "user", "one") + message(2, "user", "more"),
		"sessions/2026/Sitzung vom 1. Januar.jsonl": long + message(1, "user", "two"),
		"sessions/Aufzeichnung.txt":                 `{"id":"` + sessionC + `","timestamp":"2025-05-01T10:00:00Z"}` + "\n" + `{"type":"message","role":"user","content":[{"type":"input_text","text":"old"}]}` + "\n",
		"archived_sessions/x.zst":                   packed(metaLine(sessionD) + message(1, "user", "packed")),
		"sessions/other.jsonl":                      `{"type":"message","text":"of another program"}` + "\n",
		"sessions/text.txt":                         "response_item and session_meta\n",
		"sessions/empty":                            "",
	} {
		h.write(name, text)
	}
	unknown := []string{"archived_sessions/old", rolloutName(sessionA) + ".bak", "sessions/other.jsonl", "sessions/text.txt", "sessions/empty"}
	first := h.collect()
	for _, res := range []*sdktest.Result{first, h.again(first)} {
		for _, name := range unknown {
			if got := res.File(rootHome, name); got != abi.FileUnknown {
				t.Errorf("%s: got %q, want %q", name, got, abi.FileUnknown)
			}
		}
		for _, name := range []string{"sessions/2026/Sitzung vom 1. Januar.jsonl", "sessions/Aufzeichnung.txt", "archived_sessions/x.zst"} {
			if got := res.File(rootHome, name); got != abi.FileRead {
				t.Errorf("%s: got %q, want %q", name, got, abi.FileRead)
			}
		}
	}
	if got := len(first.Records(streamMessages)); got != 4 {
		t.Errorf("got %d messages, want one of each rollout: %v", got, first.Records(streamMessages))
	}
	for _, id := range []string{sessionA, sessionB, sessionC, sessionD} {
		if _, there := first.Record(streamSessions, id); !there {
			t.Errorf("session %s is not there", id)
		}
	}
	h.add("sessions/2026/Sitzung vom 1. Januar.jsonl", message(9, "user", "again"))
	if second := h.again(first); len(second.Records(streamMessages)) != 1 {
		t.Errorf("got %v, want the line that was added", second.Records(streamMessages))
	}
}

// A run looks into no more files than a bound says: the others are not understood, which is told.
func TestManyFilesOfOtherNames(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	for i := range maxLooked {
		h.write(fmt.Sprintf("sessions/%04d.txt", i), "x")
	}
	h.write("sessions/z.jsonl", metaLine(sessionA)+message(1, "user", "one"))
	if got := h.collect().File(rootHome, "sessions/z.jsonl"); got != abi.FileUnknown {
		t.Errorf("got %q for the one beyond, want %q", got, abi.FileUnknown)
	}
}

// AC-04: a file that is not understood has no items, so none is kept back; a damaged line of a rollout is one.
func TestNothingIsKeptBackOfAForeignFile(t *testing.T) {
	t.Parallel()
	utf16 := func(text string) string {
		b := []byte("\xff\xfe")
		for _, c := range []byte(text) {
			b = append(b, c, 0)
		}
		return string(b)
	}
	for name, text := range map[string]string{"indented": "{\n  \"type\": \"x\",\n  \"a\": [\n  ]\n}\n", "UTF-16": utf16(metaLine(sessionA) + message(1, "user", "one"))} {
		h := newHome(t)
		h.write(rolloutName(sessionA), text)
		h.write(rolloutName(sessionB), metaLine(sessionB)+message(1, "user", "one")+"damaged\n")
		res := h.collect()
		if got := res.Items(streamMessages).KeptBack; got != 1 || res.File(rootHome, rolloutName(sessionA)) != abi.FileUnknown {
			t.Errorf("%s: %d items were kept back, and the file is %q, want the damaged line alone, and %q", name, got, res.File(rootHome, rolloutName(sessionA)), abi.FileUnknown)
		}
	}
}
