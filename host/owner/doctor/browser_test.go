package doctor

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/modules"
)

// installed is a machine's browser as the port has it.
type installed struct {
	owner.Browser

	missing, fails error
	profiles       []owner.BrowserProfile
	unread         error
	proof          owner.BrowserProof
	started        int
}

func (i *installed) Find() (string, error) { return "/usr/bin/chromium", i.missing }

func (i *installed) Prove(context.Context, string) (*owner.BrowserProof, error) {
	i.started++
	return &i.proof, i.fails
}

func (i *installed) Profiles() (string, []owner.BrowserProfile, error) {
	return "/profiles", i.profiles, i.unread
}

func (i *installed) Slots() int { return 1 }

func needing(required bool) map[string]*modules.Described {
	m := &abi.Manifest{}
	m.Requirements.Bindings = map[string]abi.Binding{abi.BindingBrowserLegacy: {Required: required}}
	return map[string]*modules.Described{"shop": {Manifest: m}}
}

// T15: doctor says which browser there is, what is missing, and who needs it (BR-04.1, BR-05);
// only an owner at the machine has it started.
func TestBrowser(t *testing.T) {
	t.Parallel()
	missing := abi.NewError(abi.CodeBrowserMissing, "no browser was found", "install one").WithDetail("looked for chromium")
	sandbox := abi.NewError(abi.CodeBrowserSandbox, "it is not started", "run it as another user")
	proof := owner.BrowserProof{Product: "Chrome/156.0", Shown: true}
	for name, c := range map[string]struct {
		browser *installed
		needed  bool
		face    owner.Face
		outcome string
		code    abi.Code
		says    string
		started int
	}{
		"proven":             {&installed{proof: proof}, true, owner.CommandLine, Healthy, "", "in its sandbox", 1},
		"over the API":       {&installed{proof: proof}, true, owner.APIToken, Healthy, "", "pdpp-host doctor", 0},
		"sandbox not shown":  {&installed{proof: owner.BrowserProof{Product: "Chrome/156.0"}}, true, owner.CommandLine, Healthy, "", "does not show", 1},
		"unsandboxed":        {&installed{proof: owner.BrowserProof{Unsandboxed: true, Shown: true}}, true, owner.CommandLine, Notice, "", "unsandboxed", 1},
		"none, not needed":   {&installed{missing: missing}, false, owner.CommandLine, Notice, abi.CodeBrowserMissing, "looked for chromium; no installed connector needs one", 0},
		"none, needed":       {&installed{missing: missing}, true, owner.APIToken, Broken, abi.CodeBrowserMissing, "needed by shop", 0},
		"no sandbox, needed": {&installed{fails: sandbox}, true, owner.CommandLine, Broken, abi.CodeBrowserSandbox, "needed by shop", 1},
	} {
		e := &exam{Owner: owner.New(owner.Deps{Browser: c.browser, Actor: owner.Actor{Face: c.face}}), sound: needing(c.needed)}
		if err := e.browser(t.Context()); err != nil || len(e.all) != 1 {
			t.Errorf("%s: got %v, %v, want one finding", name, e.all, err)
			continue
		}
		if f := e.all[0]; f.Outcome != c.outcome || f.Code != string(c.code) || !strings.Contains(f.Message, c.says) || (f.Hint == "") != (f.Outcome == Healthy) || c.browser.started != c.started {
			t.Errorf("%s: got %+v after %d starts, want %s %s that says %q after %d", name, f, c.browser.started, c.outcome, c.code, c.says, c.started)
		}
	}
	old := abi.NewError(abi.CodeBrowserTooOld, "the browser is too old: Chrome/100", "install version 120 or newer")
	e := &exam{Owner: owner.New(owner.Deps{Browser: &installed{fails: old}, Actor: owner.Actor{Face: owner.CommandLine}}), sound: needing(true)}
	if err := e.browser(t.Context()); err != nil || len(e.all) != 1 || e.all[0].Outcome != Broken || e.all[0].Code != string(abi.CodeBrowserTooOld) {
		t.Errorf("too old: got %v, %v, want a problem", e.all, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	e = &exam{Owner: owner.New(owner.Deps{Browser: &installed{fails: sandbox}, Actor: owner.Actor{Face: owner.CommandLine}})}
	if err := e.browser(ctx); !errors.Is(err, context.Canceled) || len(e.all) != 0 {
		t.Errorf("interrupted: got %v, %v, want the interruption", e.all, err)
	}
}

// BR-18.1: doctor says how much the profiles have, and advises on one that is too large.
func TestProfiles(t *testing.T) {
	t.Parallel()
	examine := func(i *installed) []Finding {
		e := &exam{Owner: owner.New(owner.Deps{Browser: i})}
		e.profiles()
		return e.all
	}
	if got := examine(&installed{}); len(got) != 0 {
		t.Errorf("none: got %v, want nothing to say", got)
	}
	if got := examine(&installed{unread: errors.New("no")}); len(got) != 1 || got[0].Outcome != Notice {
		t.Errorf("unreadable: got %v, want that said", got)
	}
	got := examine(&installed{profiles: []owner.BrowserProfile{{Name: "a", Bytes: 100 << 20}, {Name: "b", Bytes: 101 << 20}, {Name: "c", Bytes: 513 << 20}}})
	if len(got) != 3 || got[0].Code != "" || !strings.HasPrefix(got[0].Message, "b in /profiles has 101MiB") || got[1].Code != string(abi.CodeBrowserProfileLarge) ||
		got[1].Hint == "" || got[2].Outcome != Healthy || !strings.Contains(got[2].Message, "3 in /profiles, with 714MiB") {
		t.Errorf("got %+v, want the second and the third named, and the sum", got)
	}
}
