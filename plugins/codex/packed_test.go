package main

import (
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
	"github.com/pdpp-host/pdpp-host/sdk/zstd"
)

// packed makes a frame of a text, in blocks that are not compressed, without a checksum. Package
// sdk/zstd tests what encoders write.
func packed(text string) string {
	b := []byte{0x28, 0xb5, 0x2f, 0xfd, 0, 0x38} // a window of 128 KiB
	for first := true; first || text != ""; first = false {
		n := min(len(text), 100_000)
		head := uint32(n) << 3
		if n == len(text) {
			head |= 1
		}
		b = append(append(b, binary.LittleEndian.AppendUint32(nil, head)[:3]...), text[:n]...)
		text = text[n:]
	}
	return string(b)
}

// reasons lists the reasons of a run's reports, each once.
func reasons(res *sdktest.Result) string {
	var list []string
	for _, s := range res.Skips {
		if !slices.Contains(list, s.Reason) {
			list = append(list, s.Reason)
		}
	}
	return strings.Join(list, ",")
}

// AC-02: K-01. Codex compresses rollouts that are older than a week.
func TestCompressedRollout(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.write(rolloutName(sessionA)+zstd.Suffix, packed(metaLine(sessionA)+message(1, "user", "one")+callLine(2, "c")+outputLine(3, "c", "out")))
	first := h.collect()
	if keys(first, streamSessions) != "A" || keys(first, streamMessages) != "A:2" || keys(first, streamCalls) != "A:3" || len(first.Skips) != 0 {
		t.Fatalf("got %v and %+v, want the session, its message and its call", first.All, first.Skips)
	}
	if got := field(first, streamSessions, sessionA, "cwd"); got != "/home/sam/code/app" {
		t.Errorf("cwd: got %s, want that of the session's first line", got)
	}
	if second := h.again(first); len(second.All) != 0 {
		t.Fatalf("an unchanged file emitted %v, want nothing", second.All)
	}
}

// AC-06: a session that is compressed after it was collected, and unpacked again to go on, is
// neither doubled nor deleted.
func TestRolloutIsCompressedLater(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	name, text := rolloutName(sessionA), metaLine(sessionA)+message(1, "user", "one")
	h.write(name, text)
	first := h.collect()
	h.remove(name)
	h.write(name+zstd.Suffix, packed(text))
	second := h.again(first)
	if len(second.Records(streamMessages)) != 0 || len(second.Deletes(streamSessions)) != 0 || len(second.Skips) != 0 ||
		field(second, streamSessions, sessionA, "rollout_relative_path") != name+zstd.Suffix || field(second, streamSessions, sessionA, "message_count") != "1" {
		t.Fatalf("got %+v, want the session with its new path alone", second.All)
	}
	if third := h.again(second); len(third.All) != 0 {
		t.Fatalf("got %+v, want nothing", third.All)
	}
	// For a moment both are there.
	h.write(name, text+message(2, "user", "two"))
	both := h.again(second)
	if keys(both, streamMessages) != "A:3" || field(both, streamSessions, sessionA, "message_count") != "2" {
		t.Fatalf("got %+v, want the new message alone", both.All)
	}
	h.remove(name + zstd.Suffix)
	if alone := h.again(both); activity(alone) != 0 {
		t.Fatalf("got %+v, want nothing", alone.All)
	}
}

// The time of a file that is compressed stays as it was.
func TestRolloutIsCompressedWithItsTime(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	name, text := rolloutName(sessionA), metaLine(sessionA)+message(1, "user", "one")
	h.write(name, text)
	first, at := h.collect(), h.clock
	h.remove(name)
	h.write(name+zstd.Suffix, packed(text))
	h.touch(name+zstd.Suffix, at)
	second := h.again(first)
	if len(second.Records(streamMessages)) != 0 || keys(second, streamSessions) != "A" {
		t.Fatalf("got %+v, want the session with its new path alone", second.All)
	}
	if third := h.again(second); activity(third) != 0 {
		t.Fatalf("got %+v, want nothing", third.All)
	}
}

// AC-06: what is in front of the damage is collected, and every run names file and place.
func TestDamagedCompressedRollout(t *testing.T) {
	t.Parallel()
	long := metaLine(sessionA) + message(1, "user", strings.Repeat("x", 100_000)) + message(2, "user", strings.Repeat("y", 100_000))
	whole := packed(long)
	for what, c := range map[string]struct{ text, messages, why string }{
		"cut in the last block": {whole[:len(whole)-10], "A:2", "cut off"},
		"cut at its beginning":  {whole[:20], "", "cut off"},
		"empty":                 {"", "", "cut off at byte 0"},
		"another file":          {"PK\x03\x04", "", "damaged at byte 0"},
		"with a tail":           {whole + "tail", "A:2 A:3", "damaged at byte "},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			h := newHome(t)
			name := rolloutName(sessionA) + zstd.Suffix
			h.write(name, c.text)
			first := h.collect()
			if keys(first, streamMessages) != c.messages || reasons(first) != "rollout_damaged" {
				t.Fatalf("got messages %q and %+v, want %q and rollout_damaged", keys(first, streamMessages), first.Skips, c.messages)
			}
			if told := string(first.Skips[0].Diagnostics); !strings.Contains(told, name) || !strings.Contains(told, c.why) {
				t.Errorf("got %s, want the file and %q", told, c.why)
			}
			if hint := string(first.Skips[0].RecoveryHint); hint != `"manual_action_required"` { // a new copy mends it
				t.Errorf("mended by %s, want the owner", hint)
			}
			if lacking(first) != "function_calls messages sessions" {
				t.Errorf("got gaps of %q, want those of all three streams", lacking(first))
			}
			if second := h.again(first); len(second.All) != 0 || reasons(second) != "rollout_damaged" {
				t.Errorf("then %v and %+v, want the report alone", second.All, second.Skips)
			}
			h.write(name, whole)
			if mended := h.again(first); len(mended.Skips) != 0 || len(mended.Stored()[streamMessages]) != 2 {
				t.Errorf("mended: %v and %+v, want the rest and no report", mended.Keys(streamMessages), mended.Skips)
			}
		})
	}
}

// AC-02: a plain rollout with the name of a compressed one is read as what it is, and goes on, also where an earlier
// version called it damaged.
func TestPlainRolloutNamedLikeACompressedOne(t *testing.T) {
	t.Parallel()
	for _, name := range []string{rolloutName(sessionA) + zstd.Suffix, "sessions/other" + zstd.Suffix} {
		h := newHome(t)
		h.write(name, metaLine(sessionA)+message(1, "user", "one"))
		first := h.collect()
		if keys(first, streamMessages) != "A:2" || reasons(first) != "" || first.File(rootHome, name) != abi.FileRead {
			t.Errorf("%s: got %q, %q, and the file is %q, want A:2, and the file read", name, keys(first, streamMessages), reasons(first), first.File(rootHome, name))
		}
		if second := h.again(first); len(second.All) != 0 {
			t.Errorf("%s: the next run emitted %v, want nothing", name, second.All)
		}
		h.add(name, message(2, "user", "two"))
		if third := h.again(first); keys(third, streamMessages) != "A:3" || reasons(third) != "" {
			t.Errorf("%s: got %q, %q, want the new message", name, keys(third, streamMessages), reasons(third))
		}
	}
	h := newHome(t)
	name := rolloutName(sessionA) + zstd.Suffix
	h.write(name, "PK\x03\x04")
	damaged := h.collect()
	h.write(name, metaLine(sessionA)+message(1, "user", "one"))
	if mended := h.again(damaged); keys(mended, streamMessages) != "A:2" || reasons(mended) != "" {
		t.Errorf("behind a damaged one: got %q, %q, want A:2", keys(mended, streamMessages), reasons(mended))
	}
}

// AC-02: every file among the rollouts is read, passed over by a rule, or named.
func TestEveryFileHasAFate(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]fate{
		"a/rollout-x.jsonl": fateRollout, "rollout-x.jsonl.zst": fatePacked, "rollout-x.json": fateOld, "rollout-x.jsonl.zst.tmp": fateRule,
		"rollout-compression.lock": fateRule, ".DS_Store": fateRule, "._rollout-x.jsonl": fateRule, ".rollout-x.jsonl": fateUnknown, ".notes.txt": fateUnknown, "rollout-x.jsonl.gz": fateUnknown, "notes.txt": fateUnknown, "session.jsonl": fateUnknown,
	} {
		if got := fateOf(name); got != want {
			t.Errorf("%s: got %d, want %d", name, got, want)
		}
	}
	h := newHome(t)
	h.write(rolloutName(sessionA), metaLine(sessionA)+message(1, "user", "one"))
	whole := h.collect()
	if got := field(whole, streamCoverage, "coverage:other", "reason"); got != "everything in the folder is accounted for" {
		t.Errorf("got %q", got)
	}
	h.write("sessions/2026/rollout-x.jsonl.gz", "\x1f\x8b")
	h.write("sessions/rollout-2025-04-17-a.json", "{}")
	res := h.again(whole)
	if got := res.File(rootHome, "sessions/2026/rollout-x.jsonl.gz"); reasons(res) != "rollout_of_old_version" || got != abi.FileUnknown {
		t.Errorf("got %s and %q, want the old one named, and the other one not understood", reasons(res), got)
	}
	if got := field(res, streamCoverage, "coverage:other", "reason"); got == "everything in the folder is accounted for" {
		t.Errorf("got %q over a file that was not understood", got)
	}
	if got := field(res, streamCoverage, "coverage:rollout_files", "status"); got != "unaccounted" {
		t.Errorf("got %q, want unaccounted", got)
	}
}
