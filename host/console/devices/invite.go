package devices

import (
	"cmp"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/console/site"
	"github.com/pdpp-host/pdpp-host/host/console/ui"
	"github.com/pdpp-host/pdpp-host/host/console/words"
	"github.com/pdpp-host/pdpp-host/host/owner/connectors"
	"github.com/pdpp-host/pdpp-host/host/owner/devices"
	"github.com/pdpp-host/pdpp-host/host/web"
)

// lives are how long a code may be good, as the form offers them.
var lives = []struct{ text, label string }{{"15m", words.FifteenMinutes}, {"1h", words.OneHour}, {"24h", words.OneDay}}

// form is the invitation as it was typed.
type form struct {
	Connector, Name, BaseURL, Expires string
	Manifest                          string                 // of a connector that this host lacks, as JSON
	Meant, AskMeant                   bool                   // AskMeant: this host does not know the connector
	Known                             []connectors.Connector // that a device can run
	Listed                            bool                   // Connector is one of those, or not said
	Err                               error
}

func showInvite(v *site.Visit) error {
	f := form{Expires: lives[0].text, BaseURL: v.Guard.Origin}
	return f.show(v, http.StatusOK)
}

func (f *form) show(v *site.Visit, status int) error {
	installed, err := connectors.List(v.Context(), v.Owner)
	if err != nil {
		installed = nil // the list only helps; its own page says what is wrong
	}
	for i := range installed {
		if c := &installed[i]; c.OnDevice && c.Problem == nil {
			f.Known = append(f.Known, *c)
		}
	}
	f.Listed = f.Connector == "" || slices.ContainsFunc(f.Known, func(c connectors.Connector) bool { return c.Connector == f.Connector })
	return v.Show(status, words.Invite, ui.Devices, invitePage(f, v.Proof()))
}

func invite(v *site.Visit) error {
	get := func(name string) string { return strings.TrimSpace(v.R.PostFormValue(name)) }
	f := form{Connector: cmp.Or(get("other"), get("connector")), Name: get("name"), BaseURL: get("base_url"), Expires: get("expires"), Manifest: get("manifest"), Meant: get("meant") == "yes"}
	life, err := time.ParseDuration(f.Expires)
	if err != nil {
		life = 0 // which is refused
	}
	made, err := devices.Invite(v.Context(), v.Owner, devices.Invitation{Connector: f.Connector, Binding: f.Name, BaseURL: f.BaseURL, Expires: life, Meant: f.Meant, Manifest: []byte(f.Manifest)})
	code := abi.CodeOf(err)
	if f.Err = err; err != nil && (code == abi.CodeUsage || code == abi.CodePluginUnknown || code == abi.CodeManifestInvalid) {
		if f.AskMeant = code == abi.CodePluginUnknown; f.AskMeant {
			f.Err = abi.NewError(code, words.UnknownHere, words.UnknownHint)
		}
		return f.show(v, web.Status(code))
	}
	if err != nil {
		return err
	}
	picture, err := ui.QROf(made.Code)
	if err != nil {
		return err
	}
	return v.Show(http.StatusOK, words.InvitedTitle, ui.Devices, invitedPage(made, picture))
}
