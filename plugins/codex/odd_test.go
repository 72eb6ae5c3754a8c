package main

import (
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
			if got := told(first); got != "" || first.File(rootHome, rolloutName(id)) != abi.FileRead {
				t.Fatalf("while Codex may write: %q, file %q, want nothing, read", got, first.File(rootHome, rolloutName(id)))
			}
			second := h.again(first)
			for range 2 {
				if got := told(second); got != torn.Reason || second.File(rootHome, rolloutName(id)) != abi.FileDamaged {
					t.Errorf("a run later: %q, file %q, want %s, damaged", got, second.File(rootHome, rolloutName(id)), torn.Reason)
				}
				second = h.again(second)
			}
			put(cut+`{"more`, 3*time.Minute)
			if third := h.again(second); told(third) != "" {
				t.Errorf("after more was written: %q, want nothing", told(third))
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
				if got := told(res); got != "" || res.File(rootHome, rolloutName(sessionA)) != abi.FileUnknown {
					t.Errorf("%q, file %q, want no report, as the host tells, and unknown", got, res.File(rootHome, rolloutName(sessionA)))
				}
				if got := res.File(rootHome, rolloutName(sessionB)); got != abi.FileRead {
					t.Errorf("a rollout beside it: %q, want read", got)
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
