package console

import (
	"net/http"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/testplugins/rig/bed"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/browser"
)

// OC-04, OC-06, OC-17: an owner changes the password, which signs the other browser out, and
// makes a token that is shown once, works, and is revoked.
func TestAnOwnerLooksAfterTheirAccess(t *testing.T) {
	t.Parallel()
	told(t, func(t *testing.T, o browser.Options) {
		owner := bed.New(t)
		p := signedIn(t, owner, o)
		v := browser.Visit(t, owner.Origin(), o)
		v.Give(owner.SignIn())
		other := v.Page()
		other.Open("/")
		other.See("Nothing is collected yet")
		p.Open("/settings")
		p.Fill("Password until now", "not the password")
		p.Fill("New password", "six quiet orchards")
		p.Fill("The same again", "six quiet orchards")
		p.Refused(http.StatusForbidden)
		p.Press("Change the password")
		p.See("The password is not the owner's")
		p.Fill("Password until now", bed.Password)
		p.Fill("New password", "six quiet orchards")
		p.Fill("The same again", "six quiet orchards")
		p.Press("Change the password")
		p.See("Every other browser is signed out")
		other.Takes("/events") // which its session may not ask any more
		if o.NoScripts {
			other.Open("/")
		}
		other.At("/sign-in") // the page goes there by itself
		p.Fill("What will use it", "a script <b>of mine</b>")
		p.Choose("What it may do", "Look at everything")
		p.Press("Make a token")
		p.See("Copy your token now")
		secret := strings.TrimSpace(p.Eval("document.getElementById('secret').value").Str())
		if len(secret) < 20 {
			t.Fatalf("the token %q, want one of at least 20 characters", secret)
		}
		p.Press("Back to the settings")
		p.Holds("location.pathname === '/settings' && document.readyState === 'complete'")
		p.See("a script <b>of mine</b>")
		if strings.Contains(p.Eval("document.documentElement.outerHTML").Str(), secret) {
			t.Error("the page shows the token again, want it once")
		}
		p.Press("Revoke: a script")
		p.See("The token is revoked")
		p.Press("Dark")
		p.Press("Keep it")
		p.See("The look is kept")
		if got := p.Eval("document.documentElement.dataset.theme").Str(); got != "dark" {
			t.Errorf("the look is %q, want dark", got)
		}
	})
}

// OC-02.1, OC-17: what was changed shows in the audit log, and is chosen by who and how.
func TestTheAuditLogShowsWhatWasDone(t *testing.T) {
	t.Parallel()
	told(t, func(t *testing.T, o browser.Options) {
		owner := collected(t)
		p := signedIn(t, owner, o)
		p.Open("/audit")
		p.See("The command line", "run", "github")
		p.Choose("Who", "A browser")
		p.Press("Show")
		p.At("/audit?by=")
		p.See("A browser")
		if text := p.Text(); strings.Contains(text, token) {
			t.Error("the audit log holds a token")
		}
	})
}

// OC-17: a connector is installed by upload, which shows what it asks for, and is accepted.
func TestAConnectorIsInstalled(t *testing.T) {
	t.Parallel()
	told(t, func(t *testing.T, o browser.Options) {
		owner := bed.New(t)
		module := bed.Module(t, "github")
		p := signedIn(t, owner, o)
		p.Open("/connectors")
		p.See("No connector is installed")
		p.Upload("File", module)
		p.Press("Install")
		p.See("The connector is installed", "GitHub", "api.github.com")
		p.See("Let this connector run?", "api.github.com", "SHA-256")
		p.Press("Accept it")
		p.See("The connector is accepted")
		p.Open("/connectors")
		p.See("GitHub", "Accepted")
	})
}

// OC-17: an invitation of a device shows its code once, with the command and as a picture.
func TestADeviceIsInvited(t *testing.T) {
	t.Parallel()
	told(t, func(t *testing.T, o browser.Options) {
		owner := bed.New(t, "claude_code", "github")
		p := signedIn(t, owner, o)
		p.Open("/devices")
		p.Press("Invite a device")
		p.See("What it collects")
		if got := p.Eval(`[...document.querySelectorAll("#connector option")].map((e) => e.value).join()`).Str(); got != "claude_code" {
			t.Errorf("got the connectors %q offered, want claude_code alone: a device cannot run github", got)
		}
		p.Choose("What it collects", "Claude Code")
		p.Fill("What it is called here", "laptop")
		p.Fill("The address at which the device reaches this host", owner.Origin())
		p.Press("Make a code")
		p.See("Enrol the device now", "On the device, type:")
		if p.Eval("document.querySelector('main svg') === null || document.getElementById('code').value.length < 20").Bool() {
			t.Errorf("no code or no picture: %s", p.Text())
		}
	})
}
