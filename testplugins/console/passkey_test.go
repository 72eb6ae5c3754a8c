package console

import (
	"net/http"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/testplugins/rig/bed"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/browser"
)

// OC-03, OC-04, OC-17: an owner claims a new host with a passkey at the name that the link's
// page leads to, signs out, signs in with it, may not remove the only way in, sets a password,
// removes the passkey, and is refused with it.
func TestAnOwnerSignsInByPasskey(t *testing.T) {
	t.Parallel()
	browser.Find(t)
	owner := bed.New(t)
	link := owner.Serve()
	named := browser.Named(owner.Origin())
	p := browser.Visit(t, owner.Origin(), browser.Options{Also: []string{named}}).Page()
	p.Device()
	p.Open(link)
	p.See("A passkey belongs to a name")
	p.PressOne("link", named)
	p.See("Your device keeps it")
	p.Press("Use a passkey instead")
	p.See("Your passkey is set, and you are signed in", "Nothing is collected yet")
	p.Open(named + "/settings")
	p.See("Passkeys", "localhost", "Set the password")
	p.Press("Sign out")
	p.See("You are signed out")
	p.Open(named + "/audit?by=session")
	p.At("/sign-in?next=")
	if p.Has("field", "Password") {
		t.Error("the page asks for a password, want none where there is none")
	}
	p.Press("Sign in with a passkey")
	p.At("/audit?by=session")
	p.See("owner.set_passkey", "owner.sign_in")
	p.Open(named + "/settings")
	p.Refused(http.StatusConflict)
	p.Press("Remove: Chrome, Linux")
	p.See("your only way to sign in")
	p.Fill("New password", bed.Password)
	p.Fill("The same again", bed.Password)
	p.Press("Set the password")
	p.See("Your password is changed")
	p.Fill("Name of the passkey", "the same device")
	p.Press("Add a passkey")
	p.See("The device gave no passkey") // it has one
	p.Press("Remove: Chrome, Linux")
	p.See("The passkey is removed", "There are no passkeys")
	p.Fill("Name of the passkey", "laptop <b>of mine</b>")
	p.Press("Add a passkey")
	p.See("The passkey is added", "laptop <b>of mine</b>")
	owner.Says(0, "owner", "reset")
	p.Open(named + "/")
	p.See("This host has no owner yet")
	if text := p.Trouble(); len(text) > 0 {
		t.Errorf("the pages say %s, want nothing", strings.Join(text, "; "))
	}
}

// OC-03: without scripts there is no passkey to press, and the password works.
func TestPasskeysNeedScripts(t *testing.T) {
	t.Parallel()
	browser.Find(t)
	owner := bed.New(t)
	link := owner.Serve()
	named := browser.Named(owner.Origin())
	p := browser.Visit(t, named, browser.Options{NoScripts: true}).Page()
	p.Open(browser.Named(link))
	p.See("A passkey needs scripts")
	if p.Has("button", "Use a passkey instead") {
		t.Error("the page has a button for a passkey, want none without scripts")
	}
	p.Fill("New password", bed.Password)
	p.Fill("The same again", bed.Password)
	p.Press("Set the password")
	p.See("you are signed in")
}
