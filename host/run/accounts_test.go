package run

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/health"
	"github.com/pdpp-host/pdpp-host/health/stored"
	"github.com/pdpp-host/pdpp-host/health/verdict"
	"github.com/pdpp-host/pdpp-host/host/leftover"
	"github.com/pdpp-host/pdpp-host/storage"
)

// filesIn returns a folder with small files, and the roots of it.
func filesIn(t *testing.T, names ...string) (dir string, roots RootResolver) {
	t.Helper()
	dir = t.TempDir()
	for _, name := range names {
		at := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte("text"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir, fixedRoots{roots: []ResolvedRoot{{Name: "scripted", Path: dir, Origin: "--root"}}}
}

func (h *host) verdict() verdict.RenderedVerdict {
	h.t.Helper()
	e, err := h.store.EvidenceOf(h.t.Context(), "scripted")
	if err != nil {
		h.t.Fatal(err)
	}
	return verdict.OfStored(e.Facts, stored.Moment{Now: health.At(time.Now())}, true)
}

func (h *host) unread() []string {
	h.t.Helper()
	conn, err := h.store.Connection(h.t.Context(), "scripted")
	if err != nil {
		h.t.Fatal(err)
	}
	b, _, err := h.store.Books(h.t.Context(), conn.ID)
	if err != nil {
		h.t.Fatal(err)
	}
	var names []string
	for _, u := range b.Unread {
		names = append(names, u.Path)
	}
	return names
}

const (
	note = `emit {"type":"RECORD","stream":"notes","key":"n1","data":{"id":"n1"},"emitted_at":"2026-01-01T00:00:00Z"}` + "\n" +
		`state {"type":"STATE","stream":"notes","cursor":{"at":1}}` + "\n"
	openA = "open /scripted/a.txt\n"
	openB = "open /scripted/b.txt\n"
)

func says(path, as string) string {
	return fmt.Sprintf("account "+`{"type":"ACCOUNT","files":[{"root":"scripted","path":%q,"as":%q}]}`, path, as) + "\n"
}

// AC-02, AC-03: a file that a run passed over in silence keeps the connection from being
// healthy, by its name; one that the connector accounts for, or that was read, does not.
func TestAFileIsPassedOver(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		script string
		unread []string
	}{
		"read":              {openA + "open /scripted/b.txt\n", nil},
		"passed over":       {openA, []string{"b.txt"}},
		"never opened":      {says("a.txt", abi.FileRead) + says("b.txt", abi.FileRead), []string{"a.txt", "b.txt"}},
		"known":             {openA + says("a.txt", abi.FileRead) + says("b.txt", abi.FileKnown), nil},
		"damaged":           {openA + says("a.txt", abi.FileRead) + says("b.txt", abi.FileDamaged), nil},
		"looked at":         {openA + "open /scripted/b.txt\n" + says("a.txt", abi.FileRead) + says("b.txt", abi.FileUnknown), []string{"b.txt"}},
		"an entry of many":  {openA + openB + says("a.txt", abi.FileRead) + `account {"type":"ACCOUNT","files":[{"root":"scripted","path":"b.txt","as":"read","entries":{"count":3,"read":1,"unknown":2,"names":["x.json"]}}]}` + "\n", []string{"b.txt/x.json"}},
		"a later word":      {openA + openB + says("b.txt", abi.FileUnknown) + says("b.txt", abi.FileRead) + says("a.txt", abi.FileRead), nil},
		"only one is named": {openA + says("a.txt", abi.FileRead), []string{"b.txt"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, roots := filesIn(t, "a.txt", "b.txt")
			h := newHost(t, setup{roots: roots, enumerate: true})
			h.succeed(note + tc.script + "finish")
			if got := h.unread(); !slices.Equal(got, tc.unread) {
				t.Errorf("unread: got %v, want %v", got, tc.unread)
			}
			v := h.verdict()
			told := strings.Contains(v.ForwardStatement, "Not understood in its folder: ")
			if told != (tc.unread != nil) || tc.unread != nil && (v.Pill.Tone != verdict.Amber || !strings.Contains(v.ForwardStatement, tc.unread[0])) {
				t.Errorf("got %s, %q, want the unread files %v told", v.Pill.Label, v.ForwardStatement, tc.unread)
			}
			for _, s := range v.Streams {
				if tc.unread != nil && s.Code == "collected" {
					t.Errorf("stream %s is called collected, with %v unread", s.StreamID, tc.unread)
				}
			}
		})
	}
}

// AC-03: a run that read nothing leaves the connection unknown, whatever gaps it named, and no
// stream of it is called collected.
func TestNothingWasRead(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ script, action string }{
		"empty folder":  {"finish", ""},
		"a word of it":  {`skip {"type":"SKIP_RESULT","reason":"something","recovery_hint":"not_retriable"}` + "\nfinish", ""},
		"a heavy word":  {`skip {"type":"SKIP_RESULT","stream":"notes","reason":"something","recovery_hint":"manual_action_required"}` + "\nfinish", ""},
		"a known file":  {says("a.txt", abi.FileKnown) + "finish", ""},
		"a foreign one": {says("a.txt", abi.FileUnknown) + "finish", "cta_not_understood"},
	} {
		script := c.script
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var names []string
			if strings.Contains(script, "a.txt") {
				names = []string{"a.txt"}
			}
			_, roots := filesIn(t, names...)
			h := newHost(t, setup{roots: roots, enumerate: true})
			h.succeed(script)
			v := h.verdict()
			if v.Pill.Tone != verdict.Grey || !strings.HasPrefix(string(v.ForwardCode), "nothing_read") {
				t.Errorf("got %s, %q, want Checking, and that nothing was read", v.Pill.Label, v.ForwardStatement)
			}
			action := ""
			for _, a := range v.RequiredActions {
				action += string(a.CTACode)
			}
			if action != c.action || strings.Contains(v.ForwardStatement, "a.txt") != (c.action != "") {
				t.Errorf("got the action %q, %q, want %q, and the file by its name", action, v.ForwardStatement, c.action)
			}
			for _, s := range v.Streams {
				if s.Code == "collected" {
					t.Errorf("stream %s: got %q, want nothing of the kind", s.StreamID, s.Statement)
				}
			}
		})
	}
}

// AC-03: the owner's word on a file holds at once and for later runs, and ends with them.
func TestTheOwnerIgnoresAFile(t *testing.T) {
	t.Parallel()
	_, roots := filesIn(t, "a.txt", "b.txt")
	h := newHost(t, setup{roots: roots, enumerate: true})
	h.succeed(note + openA + "finish")
	conn, err := h.store.Connection(t.Context(), "scripted")
	if err != nil {
		t.Fatal(err)
	}
	set := func(patterns ...string) {
		t.Helper()
		change := leftover.Change{Ignore: patterns}
		if len(patterns) == 0 {
			change.Heed = []string{"b.*"}
		}
		if err := leftover.Decide(t.Context(), h.store, conn, change); err != nil {
			t.Fatal(err)
		}
	}
	set("b.*")
	if v := h.verdict(); strings.Contains(v.ForwardStatement, "b.txt") || len(h.unread()) != 0 {
		t.Errorf("at once: got %q and %v, want neither to name b.txt", v.ForwardStatement, h.unread())
	}
	h.succeed(note + openA + "finish")
	if got := h.unread(); len(got) != 0 {
		t.Errorf("in the next run: got %v, want no file", got)
	}
	set()
	h.succeed(note+openA+"finish", func(r *Request) { r.Mode = abi.ModeFullRefresh })
	if got := h.unread(); !slices.Equal(got, []string{"b.txt"}) {
		t.Errorf("heeded again: got %v, want b.txt", got)
	}
}

// A run of some streams, one that was narrowed, and one that failed say nothing of the files.
func TestOnlyAWholeRunKeepsBooks(t *testing.T) {
	t.Parallel()
	_, roots := filesIn(t, "a.txt", "b.txt")
	h := newHost(t, setup{roots: roots, enumerate: true})
	h.succeed(note + openA + "finish")
	h.succeed(note+"finish", func(r *Request) { r.Streams = []string{"notes"} })
	h.succeed(note+"finish", func(r *Request) { r.Resources = map[string][]string{"notes": {"n1"}} })
	h.mustPlay(openA + "open /scripted/b.txt\n" + `done {"type":"DONE","status":"failed","records_emitted":0,"error":{"message":"m","retryable":true}}`)
	if got := h.unread(); !slices.Equal(got, []string{"b.txt"}) {
		t.Errorf("got %v, want b.txt as before", got)
	}
	h.succeed(openA + "open /scripted/b.txt\nfinish")
	if got := h.unread(); len(got) != 0 {
		t.Errorf("after a run that read it: got %v, want no file", got)
	}
}

// AC-04: items that became one record are told, unless the manifest says why they may.
func TestMergedItemsAreTold(t *testing.T) {
	t.Parallel()
	h := newHost(t, setup{enumerate: true})
	res := h.succeed(note + `account {"type":"ACCOUNT","streams":[{"stream":"notes","met":4,"emitted":1,"merged":3}]}` + "\nfinish")
	at := slices.IndexFunc(res.KnownGaps, func(g KnownGap) bool { return g.Kind == "merged_items" })
	if at < 0 || res.KnownGaps[at].Count != 3 || res.KnownGaps[at].Stream != "notes" {
		t.Errorf("got %+v, want 3 merged items of notes", res.KnownGaps)
	}
	if len(res.Accounts) != 1 || res.Accounts[0].Met != 4 {
		t.Errorf("accounts: got %+v, want 4 items of notes", res.Accounts)
	}
	if v := h.verdict(); v.Pill.Tone != verdict.Amber || v.ForwardCode != "connector_flaw" {
		t.Errorf("got %s, %s; want it told, beside records that come in", v.Pill.Label, v.ForwardStatement)
	}
}

// AC-04: the host holds what a connector says that it emitted against the records that came,
// rejected ones among them and tombstones not.
func TestEmittedIsWhatCame(t *testing.T) {
	t.Parallel()
	const bad = `emit {"type":"RECORD","stream":"notes","key":"n2","data":{"id":"n2","at":"whenever"},"emitted_at":"2026-01-01T00:00:00Z"}` + "\n" +
		`emit {"type":"RECORD","stream":"notes","key":"n3","op":"delete","emitted_at":"2026-01-01T00:00:00Z"}` + "\n"
	for emitted, differs := range map[int]bool{1: true, 2: false, 3: true} {
		t.Run(fmt.Sprint(emitted), func(t *testing.T) {
			t.Parallel()
			h := newHost(t, setup{enumerate: true})
			res := h.succeed(note + bad + fmt.Sprintf(`account {"type":"ACCOUNT","streams":[{"stream":"notes","met":%d,"emitted":%d}]}`, emitted, emitted) + "\nfinish")
			if res.Records["notes"].Rejected != 1 || res.Records["notes"].New != 1 {
				t.Fatalf("records: got %+v, want one new and one rejected", res.Records)
			}
			at := slices.IndexFunc(res.KnownGaps, func(g KnownGap) bool { return g.Kind == "accounts_differ" })
			if at >= 0 != differs || differs && !strings.Contains(res.KnownGaps[at].Message, "2 records came") {
				t.Errorf("got %+v, want a gap about 2 records: %v", res.KnownGaps, differs)
			}
			if v := h.verdict(); v.Pill.Tone != verdict.Amber || v.ForwardCode != "connector_flaw" {
				t.Errorf("got %s, %s; want it told, beside records that come in", v.Pill.Label, v.ForwardStatement)
			}
		})
	}
}

// AC-04, AC-05: what was cut, and names that a connector does not know, are told once by a run, and stay among
// its events.
func TestWhatNoGapTells(t *testing.T) {
	t.Parallel()
	h := newHost(t, setup{enumerate: true})
	res := h.succeed(`account {"type":"ACCOUNT","streams":[{"stream":"notes","met":3,"emitted":1,"not_record":2,"cut":2,"unknown":[{"name":"mood","count":2}]}]}` + "\n" +
		note + done(1))
	want := []string{"2 texts are longer than a record has room for, and their beginning was collected", "names that this version of the connector does not know: mood (2)"}
	if len(res.Accounts) != 1 || !slices.Equal(Told(&res.Accounts[0]), want) {
		t.Errorf("accounts %+v: want them to tell %q", res.Accounts, want)
	}
	events, err := h.store.Events(t.Context(), res.RunID, 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range want {
		if !slices.ContainsFunc(events, func(e storage.Event) bool {
			return e.Type == "run.progress_reported" && e.Stream == "notes" && strings.Contains(string(e.Data), line)
		}) {
			t.Errorf("no event says %q", line)
		}
	}
}

// AC-05: unknown names are bounded, whatever a guest sends.
func TestNamesAreBounded(t *testing.T) {
	t.Parallel()
	var names []abi.UnknownName
	for i := range 1000 {
		names = addName(names, abi.UnknownName{Name: fmt.Sprint(i), Count: 1})
	}
	if len(names) != abi.MaxAccountNames || names[len(names)-1].Name != otherNames || names[len(names)-1].Count != 1000-abi.MaxAccountNames+1 {
		t.Errorf("got %d names, the last %+v, want 64 and the others counted", len(names), names[len(names)-1])
	}
}
