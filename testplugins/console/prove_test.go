package console

import (
	"database/sql"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/testplugins/rig/bed"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/browser"
)

// forgets has the host forget when its sessions were proven, as they are by another day.
func forgets(t *testing.T, owner *bed.Owner) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(owner.Data, "pdpp.sqlite")+"?_pragma=busy_timeout(10000)")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if _, err := db.ExecContext(t.Context(), "UPDATE sessions SET proved_us = 0"); err != nil {
		t.Fatal(err)
	}
}

// A session alone makes no token: the page asks for the password, and then makes it.
func TestAnOwnerProvesASession(t *testing.T) {
	t.Parallel()
	told(t, func(t *testing.T, o browser.Options) {
		owner := bed.New(t)
		p := signedIn(t, owner, o)
		p.Open("/settings")
		forgets(t, owner)
		p.Fill("What will use it", "a script <b>of mine</b>")
		p.Choose("What it may do", "Look at everything")
		p.Refused(http.StatusForbidden)
		p.Press("Make a token")
		p.See("Is it you?")
		p.Fill("Password", "not the password")
		p.Refused(http.StatusForbidden)
		p.Press("Go on")
		p.See("The password is not the owner's")
		p.Fill("Password", bed.Password)
		p.Press("Go on")
		p.See("Copy your token now")
		p.Press("Back to the settings")
		p.See("a script <b>of mine</b>")
		p.Fill("What will use it", "another")
		p.Press("Make a token")
		p.See("Copy your token now")
	})
}

// A passkey proves a session, too, and is asked for before a device makes another one.
func TestAnOwnerProvesASessionByPasskey(t *testing.T) {
	t.Parallel()
	browser.Find(t)
	owner := bed.New(t)
	link := owner.Serve()
	named := browser.Named(owner.Origin())
	p := browser.Visit(t, named, browser.Options{}).Page()
	p.Device()
	p.Open(browser.Named(link))
	p.Press("Use a passkey instead")
	p.See("Your passkey is set")
	p.Open("/settings")
	forgets(t, owner)
	p.Fill("What will use it", "a script")
	p.Refused(http.StatusForbidden)
	p.Press("Make a token")
	p.See("Is it you?")
	p.Press("Go on with a passkey")
	p.See("Copy your token now")
	p.Press("Back to the settings")
	p.See("a script")
	forgets(t, owner)
	p.Fill("Name of the passkey", "another")
	p.Takes("/settings/passkeys/options")
	p.Press("Add a passkey")
	p.At("/prove?next=%2Fsettings")
	p.Press("Go on with a passkey")
	p.At("/settings")
	p.Fill("Name of the passkey", "another")
	p.Press("Add a passkey")
	p.See("The device gave no passkey") // it has one: it was asked
	if text := p.Trouble(); len(text) > 0 {
		t.Errorf("the pages say %s, want nothing", strings.Join(text, "; "))
	}
}
