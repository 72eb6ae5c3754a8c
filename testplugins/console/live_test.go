package console

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/testplugins/rig/bed"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/browser"
)

// scripted returns an owner of the connection slow, whose guest does what the script says.
func scripted(t *testing.T, script string) *bed.Owner {
	t.Helper()
	owner := bed.New(t, "scripted")
	if err := os.MkdirAll(filepath.Join(owner.Home, ".scripted"), 0o700); err != nil {
		t.Fatal(err)
	}
	owner.Says(0, "connections", "add", "slow", "scripted", "--accept", "--set", "script="+script)
	return owner
}

// shows waits until a page says a text: its scripts see to that, or somebody reloads it.
func shows(p *browser.Page, o browser.Options, text string) {
	if o.NoScripts {
		for end := time.Now().Add(browser.Patience); !strings.Contains(p.Text(), text) && time.Now().Before(end); {
			p.Reload()
		}
	}
	p.See(text)
}

// OC-15, OC-17: the eighth story. The host is killed while a page shows a run of it: the page
// says so, goes on when the host is back, and shows what has become of the run.
func TestTheHostIsKilled(t *testing.T) {
	t.Parallel()
	told(t, func(t *testing.T, o browser.Options) {
		owner := scripted(t, "records notes 0 30\nsleep 3000\nrecords notes 30 70\nsleep 600000")
		p := signedIn(t, owner, o)
		p.Open("/connections/slow")
		p.Press("Run now")
		p.At("/runs/")
		shows(p, o, "70 new")
		p.See("Going on for")
		p.Away(true)
		owner.Kill()
		if !o.NoScripts {
			p.See("The connection to the host is lost")
		}
		owner.Serve()
		shows(p, o, "Broke off")
		p.Gone("The connection to the host is lost")
		p.Away(false)
		if text := p.Text(); !strings.Contains(text, "70 new") || strings.Contains(text, "Going on for") {
			t.Errorf("the run's page says %s, want a run that broke off after 70 records", text)
		}
		if kept := strings.Count(owner.Says(0, "records", "list", "slow", "notes", "--limit", "100", "--json"), "\n"); kept != 70 {
			t.Errorf("the store has %d records, want the 70 that the page counts", kept)
		}
	})
}

// OC-15: what changes shows on the pages that are open, without a reload, and leaves the focus
// where it was; what changes while a page asks how things are shows, too.
func TestOpenPagesFollow(t *testing.T) {
	t.Parallel()
	browser.Find(t)
	owner := bed.New(t, "claude_code")
	folder := "claude_code=" + transcripts(t, owner)
	owner.Says(0, "connections", "add", "laptop", "claude_code", "--accept", "--root", folder)
	owner.Says(0, "connections", "schedule", "laptop", "--every", "6h")
	owner.Says(0, "run", "laptop", "--no-input")
	owner.Says(0, "connections", "add", "attic", "claude_code", "--accept", "--root", folder)
	owner.Says(0, "connections", "schedule", "attic", "--manual")
	cookie := owner.Claim()
	v := browser.Visit(t, owner.Origin(), browser.Options{})
	v.Give(cookie)
	p, over := v.Page(), v.Page()
	p.Open("/connections/laptop")
	p.Eval(`window.stays = true; window.seen = 0;
		window.mine = new EventSource("/events");
		mine.addEventListener(document.getElementById("connection").dataset.on, () => { seen++; });
		window.real = fetch;
		window.fetch = async (...a) => { const r = await real(...a); window.held = true; await new Promise((ok) => { window.release = ok; }); return r; };
		0`)
	p.Holds("mine.readyState === 1")
	p.Eval(`[...document.querySelectorAll("button")].find((b) => b.innerText === "Run now").focus()`)
	owner.Says(0, "connections", "schedule", "laptop", "--pause")
	p.Holds("window.held")
	p.Eval("window.before = seen")
	owner.Says(0, "connections", "schedule", "laptop", "--resume")
	p.Holds("seen > before")
	p.Eval("window.fetch = real; release(); 0")
	p.Holds(`[...document.querySelectorAll("#connection button")].some((b) => b.innerText === "Pause") && !document.body.innerText.includes("Resume")`)
	if got := p.Eval("document.activeElement.innerText").Str(); got != "Run now" {
		t.Errorf("the focus is on %q after the repaint, want it on %q", got, "Run now")
	}
	if !p.Eval("window.stays === true").Bool() {
		t.Error("the page was loaded again, want its parts alone")
	}
	over.Open("/")
	over.See("attic", "never")
	over.Eval("window.stays = true")
	owner.Says(0, "run", "attic", "--no-input")
	over.Gone("never")
	if !over.Eval("window.stays === true").Bool() {
		t.Error("the overview was loaded again, want its row alone")
	}
}
