package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/sdk/files"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
)

// keysOf are the keys of a home that has a file at each of these paths, each with one rule or one text.
func keysOf(t *testing.T, stream string, paths ...string) string {
	t.Helper()
	h := newHome(t)
	for _, p := range paths {
		h.write(p, "Text of "+p)
	}
	first := h.collect()
	for _, res := range []string{told(first), told(h.again(first))} {
		if res != "" {
			t.Errorf("got the reports %q, want none", res)
		}
	}
	for _, rec := range first.Records(stream) {
		if got := rec.Text("rule_text") + rec.Text("content"); got != "Text of "+rec.Text("relative_path") {
			t.Errorf("%s: got %q, want the text of %s", rec.Key, got, rec.Text("relative_path"))
		}
	}
	if second := h.again(first); len(second.Records(stream)) != 0 || len(second.Gone(stream)) != 0 {
		t.Errorf("the next run emitted %v, want nothing", second.Keys(stream))
	}
	return strings.Join(first.Keys(stream), " ")
}

// AC-04: two files are two records, whatever their names are.
func TestTwoFilesAreTwoRecords(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		stream, paths, want string
	}{
		{
			streamRules, "AGENTS.md AGENTS.override.md rules/AGENTS.md rules/AGENTS.override.md rules/rules/AGENTS.md rules/rules/x.md rules/x.md",
			"rules:rules/AGENTS.md:0 rules:rules/AGENTS.override.md:0 rules:rules/rules/AGENTS.md:0 rules:rules/rules/x.md:0 rules:x.md:0 rules:AGENTS.md:0 rules:AGENTS.override.md:0",
		},
		{streamSkills, "skills/SKILL.md skills/skills/SKILL.md skills/a/SKILL.md", "skills:. skills:a skills:skills"},
		{streamPrompts, "prompts/a.md prompts/a.MD", "prompts:a.MD prompts:a.md"},
	} {
		if got := keysOf(t, c.stream, strings.Fields(c.paths)...); got != c.want {
			t.Errorf("%s: got %q, want %q", c.stream, got, c.want)
		}
	}
}

// AC-04: a record that an earlier version kept under the key of another file goes, and each file has its own.
func TestRecordsOfJoinedKeys(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.write("AGENTS.md", "Be brief.")
	h.write("rules/AGENTS.md", "Be brief.")
	h.write("skills/SKILL.md", "A")
	before := h.collect()
	// The cursor and the records as the earlier version left them: the file in the folder had the key.
	store := before.Stored()
	rule, skill := store[streamRules]["rules:rules/AGENTS.md:0"], store[streamSkills]["skills:."]
	delete(store[streamRules], "rules:rules/AGENTS.md:0")
	delete(store[streamSkills], "skills:.")
	store[streamRules]["rules:AGENTS.md:0"], store[streamSkills]["skills:skills"] = rule, skill
	res := h.again(before, func(o *sdktest.Options) {
		o.Stored = store
		o.State[streamRules] = fmt.Sprintf(`{"v":1,"items":{"rules:AGENTS.md:0":%d}}`, files.Sum("AGENTS.md", "Be brief."))
		o.State[streamSkills] = fmt.Sprintf(`{"v":1,"items":{"skills:skills":%d}}`, files.Sum("skills/SKILL.md", "A"))
	})
	if got := strings.Join(res.Keys(streamRules), " "); got != "rules:rules/AGENTS.md:0 rules:AGENTS.md:0" {
		t.Errorf("rules: got %q, want both", got)
	}
	if got := field(res, streamRules, "rules:AGENTS.md:0", "relative_path"); got != "AGENTS.md" {
		t.Errorf("got the path %q, want AGENTS.md", got)
	}
	if got := strings.Join(res.Gone(streamSkills), " "); got != "skills:skills" || len(res.Keys(streamSkills)) != 1 {
		t.Errorf("skills: got %q gone and %q, want skills:skills, and the new key", got, res.Keys(streamSkills))
	}
}

// AC-04: rollouts of one session in three folders, under one name, are each collected.
func TestThreeRolloutsOfOneSession(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	name := strings.TrimPrefix(rolloutName(sessionA), "sessions/2026/01/01/")
	for n, folder := range []string{"archived_sessions/", "sessions/2026/01/01/", "sessions/2026/01/02/"} {
		h.write(folder+name, metaLine(sessionA)+message(1, "user", fmt.Sprintf("text %d", n)))
	}
	first := h.collect()
	var texts []string
	for _, rec := range first.Stored()[streamMessages] {
		texts = append(texts, rec.Text("content"))
	}
	slices.Sort(texts)
	if got := strings.Join(texts, ", "); got != "text 0, text 1, text 2" {
		t.Errorf("got the messages %q, want each", got)
	}
	if second := h.again(first); len(second.All) != 0 {
		t.Errorf("the next run emitted %v, want nothing", second.All)
	}
}

// No rule has a key that another one had in an earlier version, so that a run without a cursor knows what moves, and takes nothing
// for something else. The lines of a policy count in its keys now.
func TestNoRuleHasTheEarlierKeyOfAnother(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	paths := strings.Fields(`AGENTS.md rules/AGENTS.md rules/AGENTS.md.rules rules/a.rules rules/a.rules.rules rules/a.rules.rules.rules rules/x.md rules/x.md.rules
		rules/rules/a.rules rules/rules/a.rules.rules rules/rules/x.md rules/rules/x.md.rules rules/rules/AGENTS.md rules/rules/AGENTS.md.rules`)
	for _, p := range paths {
		h.write(p, "one(\n  1,\n)\ntwo(\n  2,\n)\nthree()\n")
		for _, name := range []string{rulesetOf(p), fileOf(p)} { // a file that can't be read keeps its rules
			if !slices.Contains(pathsOf(name), p) {
				t.Errorf("%s: got the paths %q, want %s among them", name, pathsOf(name), p)
			}
		}
	}
	res := h.collect()
	earlier, moved := map[string]string{}, 0
	for _, r := range res.Records(streamRules) {
		if r.MovedFrom != "" {
			moved++
			if other := earlier[r.MovedFrom]; other != "" {
				t.Errorf("%s and %s were %s", r.Key, other, r.MovedFrom)
			}
			earlier[r.MovedFrom] = r.Key
		}
	}
	for _, r := range res.Records(streamRules) {
		if other := earlier[r.Key]; other != "" {
			t.Errorf("%s has the earlier key of %s", r.Key, other)
		}
	}
	if moved != 9*3 || len(res.Stored()[streamRules]) != 9*3+5 {
		t.Errorf("got %d rules, %d of which had other keys, want %d and %d", len(res.Stored()[streamRules]), moved, 9*3+5, 9*3)
	}
	h.write("rules/a.rules.rules", "# none\n") // the records of each file go with it
	h.write("rules/rules/a.rules", "# none\n")
	if got := h.again(res).Gone(streamRules); len(got) != 6 {
		t.Errorf("got %q gone, want the rules of two files", got)
	}
}

// Records that an earlier version has under other keys move to those that the public connector gives them. Nothing is listed for
// that, so that no guard asks, and a file that is gone is weighed as ever.
func TestRecordsMoveToTheirKeys(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.write("rules/a.rules", "one\n# no rule\ntwo(\n  3,\n)\nthree\n")
	h.write("rules/a.md", "- md\n")
	h.write("config.toml", "x")
	h.write("hooks.json", "x")
	h.write("cache/x", "x")
	fresh := h.collect()
	was := map[string][2]string{
		"rules:a.rules:0": {streamRules, "rules:a:0"}, "rules:a.rules:1": {streamRules, "rules:a:1"}, "rules:a.rules:2": {streamRules, "rules:a:4"},
		"config:" + sha256Hex("config.toml"): {streamConfig, "config:" + sha256Hex("codex:config.toml")},
		"config:" + sha256Hex("hooks.json"):  {streamConfig, "config:" + sha256Hex("codex:hooks.json")},
		"cache:" + sha256Hex("cache"):        {streamCache, "cache:" + sha256Hex("codex:cache")},
		"coverage:rollouts":                  {streamCoverage, "coverage:sessions"}, "coverage:threads": {streamCoverage, "coverage:state_db"},
	}
	store, cursors := fresh.Stored(), map[string][]string{}
	for old, now := range was {
		stream := store[now[0]]
		stream[old] = stream[now[1]]
		delete(stream, now[1])
	}
	for stream, records := range store {
		for key := range records {
			cursors[stream] = append(cursors[stream], fmt.Sprintf("%q:%d", key, files.Sum(key)))
		}
	}
	res := h.again(fresh, func(o *sdktest.Options) {
		o.Stored = store
		for stream, items := range cursors {
			if stream != streamSessions {
				o.State[stream] = `{"v":1,"items":{` + strings.Join(items, ",") + `}}`
			}
		}
	})
	for old, now := range was {
		if !slices.ContainsFunc(res.All, func(r sdktest.Record) bool { return r.Key == now[1] && r.MovedFrom == old }) {
			t.Errorf("got no %s that was %s", now[1], old)
		}
	}
	if len(res.Enumerations) != 0 {
		t.Errorf("got the lists %+v, want none", res.Enumerations)
	}
	for stream, records := range fresh.Stored() {
		for key := range records {
			if _, there := res.Stored()[stream][key]; !there {
				t.Errorf("got no %s %s, want what a fresh store has", stream, key)
			}
		}
		if len(res.Stored()[stream]) != len(records) {
			t.Errorf("%s: got %d records, want %d", stream, len(res.Stored()[stream]), len(records))
		}
	}
	if second := h.again(res); len(second.All) != 0 {
		t.Errorf("the next run emitted %v, want nothing", second.All)
	}
}

// A call has its own id as its key, as in the public connector's records, where no other call can have that id; it says which line it
// was. The calls of a fork may be its parent's, and short ids begin anew in each session.
func TestKeysOfCalls(t *testing.T) {
	t.Parallel()
	long := "call_" + strings.Repeat("aB3", randomID)[:randomID]
	const short = "call_" + "0123456789abcdefghi" // 19
	for _, c := range []struct{ name, meta, id, key, was string }{
		{"long", metaLine(sessionA), long, long, sessionA + ":2"},
		{"long, without a prefix", metaLine(sessionA), long[5:], long[5:], sessionA + ":2"},
		{"behind a short part", metaLine(sessionA), "fc-1-" + long[5:], "fc-1-" + long[5:], sessionA + ":2"},
		{"short", metaLine(sessionA), short, sessionA + ":2", ""},
		{"in parts", metaLine(sessionA), "functions.shell_command_of_mine:0", sessionA + ":2", ""},
		{"of a fork", forkMeta(sessionA, sessionB), long, sessionA + ":2", ""},
		{"too long", metaLine(sessionA), strings.Repeat("a", maxID+1), sessionA + ":2", ""},
		{"none", metaLine(sessionA), "", sessionA + ":2", ""},
	} {
		h := newHome(t)
		h.write(rolloutName(sessionA), c.meta+callLine(2, c.id)+outputLine(3, c.id, "out"))
		calls := h.collect().Records(streamCalls)
		if len(calls) == 0 || calls[0].Key != c.key || calls[0].MovedFrom != c.was {
			t.Errorf("%s: got %+v, want the call %s, which was %q", c.name, calls, c.key, c.was)
		}
	}
	twice := newHome(t)
	twice.write(rolloutName(sessionA), metaLine(sessionA)+callLine(2, long)+outputLine(3, long, "a")+callLine(4, long)+outputLine(5, long, "b"))
	twice.write(rolloutName(sessionC), metaLine(sessionC)+callLine(2, long))
	if got := keys(twice.collect(), streamCalls); got != long+" A:4 "+sessionC+":2" {
		t.Errorf("an id three times: got %s, want each call", got)
	}
	h := newHome(t)
	h.write(rolloutName(sessionA), metaLine(sessionA)+callLine(2, long))
	h.write("sessions/2026/01/02/"+strings.TrimPrefix(rolloutName(sessionA), "sessions/2026/01/01/"), metaLine(sessionA)+callLine(2, "x")+callLine(3, long))
	res := h.collect()
	if got := len(res.Stored()[streamCalls]); got != 3 {
		t.Errorf("two rollouts of a session: got %d calls, want 3", got)
	}
	first := h.again(res)
	if len(first.Records(streamCalls)) != 0 {
		t.Errorf("the next run emitted %v, want nothing", first.All)
	}
}
