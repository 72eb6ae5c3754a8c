package main

import (
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/cursor"
	"github.com/pdpp-host/pdpp-host/sdk/files"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
)

// condensed returns the sessions cursor as it would be if it had been too large.
func condensed(t *testing.T, state string) string {
	t.Helper()
	v, err := jsonvalue.Parse([]byte(state))
	if err != nil {
		t.Fatal(err)
	}
	c := newCollection(nil)
	c.readCursor(v)
	c.files.sort()
	c.condense(len(state), 0)
	b := string(cursor.Encode(cursorVersion, sdk.Account{}, c))
	if strings.Contains(b, "committed_prefix_sha256") || len(b) >= len(state) {
		t.Fatalf("not condensed: %s, want no committed_prefix_sha256 in b and len(b) less than %v", b, len(state))
	}
	return b
}

func TestCondensedCursor(t *testing.T) {
	t.Parallel()
	h := small()
	h.add(project+one+".jsonl", "not JSON\n")
	h.put(project+one+"/subagents/agent-x.jsonl", userLine(one, "x1", "go", 12))
	h.put(project+two+".jsonl", userLine(two, "v1", "Other", 0))
	first := run(t, h)
	small := func(o *sdktest.Options) { o.State["sessions"] = condensed(t, o.State["sessions"]) }
	second := checked(t, first.SecondRun(t, small))
	emitted(t, second)

	// When one transcript of a session changes, all of them are read again, because the
	// session's record needs the shares of all.
	h.add(project+one+"/subagents/agent-x.jsonl", userLine(one, "x2", "on", 13))
	third := checked(t, first.SecondRun(t, small))
	emitted(t, third, "messages u1", "messages a1", "messages x1", "messages x2", "sessions "+one)
	want(t, third, "sessions", one, map[string]any{"message_count": 4, "started_at": stamp(0), "last_event_at": stamp(13)})
	if !strings.Contains(third.Committed()["sessions"], `"invalid":1`) {
		t.Error("the count of bad lines was lost")
	}
	emitted(t, again(t, third))
}

// A transcript that is still to be read must never be taken for a known one.
func TestCondenseLeavesWhatIsUnread(t *testing.T) {
	t.Parallel()
	c := &collection{notes: &files.Set{}}
	c.files.get("p/" + one + ".jsonl").news = true
	c.files.get("p/" + two + ".jsonl")
	c.condense(1000, 0)
	for _, f := range c.files.list {
		if f.condensed {
			t.Errorf("%s is condensed", f.key)
		}
	}
}
