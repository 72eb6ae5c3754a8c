package doctor

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/config"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/words"
)

// browser says which browser there is, and starts it to see whether it can be held. It is a
// problem where an installed connector needs one. Only who types commands on this machine has
// it started: a request over HTTP would be a way to keep the machine busy. The error is an
// interruption.
func (e *exam) browser(ctx context.Context) error {
	const check = "browser"
	if e.Browser == nil {
		return nil
	}
	program, err := e.Browser.Find()
	if err == nil && e.Actor.Face != owner.CommandLine {
		e.ok(check, program+"; whether it can be held is seen where it is started: pdpp-host doctor")
		return nil
	}
	var proof *owner.BrowserProof
	if err == nil {
		proof, err = e.Browser.Prove(ctx, program)
	}
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		e.without(check, err)
	case proof.Unsandboxed:
		e.add(check, Notice, proof.Product+" at "+program+" was started unsandboxed: a page that breaks out of it is on this machine",
			"remove browser.allow_no_sandbox, and run pdpp-host as a user of its own")
	case !proof.Shown:
		e.ok(check, proof.Product+" at "+program+" was started: its requests are governed and have one way out; this system does not show its sandbox")
	default:
		e.ok(check, proof.Product+" at "+program+" was started: its requests are governed and have one way out, and its pages are in its sandbox")
	}
	return nil
}

// The sizes of a profile of which its owner is told. Its caches are removed after each run, so
// only its sites make it as large.
const (
	largeProfile = 100 << 20
	hugeProfile  = 512 << 20
)

// profiles says how large the profiles of browsers are (BR-18.1).
func (e *exam) profiles() {
	const check = "browser profiles"
	if e.Browser == nil {
		return
	}
	dir, all, err := e.Browser.Profiles()
	if err != nil {
		e.add(check, Notice, "the sizes of the profiles in "+dir+" cannot be read", "look at the folder's owner and mode")
		return
	}
	sum := int64(0)
	for _, p := range all {
		sum += p.Bytes
		hint := "where its owner can sign in again: pdpp-host connections sign-out NAME, with the name of its connection"
		switch message := p.Name + " in " + dir + " has " + config.FormatSize(p.Bytes&^(1<<20-1)); {
		case p.Bytes > hugeProfile:
			e.all = append(e.all, Finding{Check: check, Outcome: Notice, Message: message, Code: string(abi.CodeBrowserProfileLarge), Hint: hint})
		case p.Bytes > largeProfile:
			e.add(check, Notice, message, hint)
		}
	}
	if len(all) > 0 {
		e.ok(check, fmt.Sprintf("%d in %s, with %s in all", len(all), dir, config.FormatSize(sum)))
	}
}

// without says that there is no browser to use, and who needs one.
func (e *exam) without(check string, err error) {
	var needed []string
	for key, d := range e.sound {
		if _, required := d.Manifest.Declares(abi.BindingBrowser); required {
			needed = append(needed, key)
		}
	}
	p := words.ProblemOf(err)
	f := Finding{Check: check, Outcome: Notice, Message: p.Message + "; no installed connector needs one", Code: p.Code, Hint: p.Hint}
	if len(needed) > 0 {
		slices.Sort(needed)
		f.Outcome, f.Message = Broken, p.Message+"; it is needed by "+strings.Join(needed, ", ")
	}
	e.all = append(e.all, f)
}
