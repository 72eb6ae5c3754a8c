package notifications

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/console/site"
	"github.com/pdpp-host/pdpp-host/host/console/ui"
	"github.com/pdpp-host/pdpp-host/host/console/words"
	"github.com/pdpp-host/pdpp-host/host/owner/notifications"
)

const path = "/notifications"

// Register adds the pages of this room.
func Register(s *site.Site, mux *http.ServeMux) {
	mux.Handle("GET "+path, s.Signed(list))
	mux.Handle("POST "+path+"/key", s.Signed(key))
	mux.Handle("POST "+path+"/browser", s.Signed(addBrowser))
	mux.Handle("POST "+path+"/email", s.Signed(addEmail))
	mux.Handle("POST "+path+"/service", s.Signed(addService))
	mux.Handle("POST "+path+"/settings", s.Signed(change))
	mux.Handle("POST "+path+"/of/{channel}/test", s.Signed(test))
	mux.Handle("POST "+path+"/of/{channel}/remove", s.Signed(remove))
}

// channelPath is the address of what is done with a channel.
func channelPath(id, what string) string { return path + "/of/" + url.PathEscape(id) + "/" + what }

func list(v *site.Visit) error { return (&shown{}).show(v, nil) }

// key answers with the key that a browser subscribes with, to the script that does.
func key(v *site.Visit) error {
	public, err := notifications.PushKey(v.Context(), v.Owner)
	if err != nil {
		return err
	}
	v.W.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = v.W.Write([]byte(public)) // the browser went away
	return nil
}

func field(v *site.Visit, name string) string { return strings.TrimSpace(v.R.PostFormValue(name)) }

func addBrowser(v *site.Visit) error {
	n := notifications.NewChannel{Name: ui.Or(field(v, "name"), words.ABrowser)}
	n.Address.Push = &notifications.Push{Endpoint: field(v, "endpoint"), P256DH: field(v, "p256dh"), Auth: field(v, "auth")}
	return add(v, &shown{}, n)
}

// addEmail shows what was typed again where it is refused, but for the password.
func addEmail(v *site.Visit) error {
	mail := notifications.Email{
		To: field(v, "to"), From: ui.Or(field(v, "from"), field(v, "to")), Server: field(v, "server"), User: field(v, "user"),
		Password: v.R.PostFormValue("password"), Plain: field(v, "plain") == "yes",
	}
	p := shown{email: mail, emailName: field(v, "name")}
	p.email.Password = ""
	n := notifications.NewChannel{Name: p.emailName}
	n.Address.Email = &mail
	return add(v, &p, n)
}

func addService(v *site.Visit) error {
	n := notifications.NewChannel{Name: field(v, "name")}
	if n.Address.Service = field(v, "url"); n.Address.Service == "" {
		return (&shown{}).show(v, abi.NewError(notifications.CodeAddressInvalid, words.NoServiceURL, words.NoServiceHint))
	}
	return add(v, &shown{}, n)
}

func add(v *site.Visit, p *shown, n notifications.NewChannel) error {
	if _, err := notifications.Add(v.Context(), v.Owner, n); err != nil {
		return p.show(v, err)
	}
	return v.Done(path, words.ChannelAdded)
}

func test(v *site.Visit) error {
	if _, err := notifications.Test(v.Context(), v.Owner, v.R.PathValue("channel")); err != nil {
		return (&shown{}).show(v, err)
	}
	return v.Done(path, words.ChannelTested)
}

func remove(v *site.Visit) error {
	if _, err := notifications.Remove(v.Context(), v.Owner, v.R.PathValue("channel")); err != nil {
		return err
	}
	return v.Done(path, words.ChannelRemoved)
}

func change(v *site.Visit) error {
	typed := notifications.Settings{QuietFrom: field(v, "from"), QuietUntil: field(v, "until"), Zone: field(v, "zone"), TellsOver: field(v, "over") == "yes"}
	_, err := notifications.ChangeSettings(v.Context(), v.Owner, notifications.Change{
		QuietFrom: &typed.QuietFrom, QuietUntil: &typed.QuietUntil, Zone: &typed.Zone, TellsOver: &typed.TellsOver,
	})
	if err != nil {
		return (&shown{typed: &typed}).show(v, err)
	}
	return v.Done(path, words.NoticesKept)
}
