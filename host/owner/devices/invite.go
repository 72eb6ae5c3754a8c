package devices

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/abi/manifest"
	"github.com/pdpp-host/pdpp-host/host/config"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/modules"
	"github.com/pdpp-host/pdpp-host/host/owner/words"
	"github.com/pdpp-host/pdpp-host/host/public"
	"github.com/pdpp-host/pdpp-host/storage"
)

// How long a code may last.
const (
	leastInvitation = time.Minute
	mostInvitation  = 24 * time.Hour
)

// longestBinding is the longest name that a connection of a device is given.
const longestBinding = 100

// Invitation asks for a code with which one device enrols.
type Invitation struct {
	Connector string
	Binding   string // what is collected there, and the connection's name; "": the connector's name
	BaseURL   string // at which the device reaches this host; "": where it listens, if that is one
	Expires   time.Duration
	Meant     bool // although this host does not know the connector
	// Manifest is the connector's own. It names and describes what a device delivers that sends none, as the public
	// collector does; empty: this host learns it from the records.
	Manifest []byte
}

// Invited is the result of an invitation. Nothing but this has the code.
type Invited struct {
	Code      string    `json:"enrollment_code"`
	Connector string    `json:"connector_id"`
	Binding   string    `json:"local_binding_name"`
	ExpiresAt time.Time `json:"expires_at"`
	Command   string    `json:"command"`          // to be typed on the device, which asks for the code
	Replaces  []string  `json:"replaces_devices"` // that are revoked once it is used

	Connection string `json:"connection"`          // that it will feed, as things stand
	Installed  bool   `json:"connector_installed"` // here; the device needs it in any case

	Notes   []string `json:"-"` // what an owner should know before the code is used
	BaseURL string   `json:"-"` // "": it is not known
}

// Invite makes a code with which one device enrols, to collect a connector and
// deliver here. It is good once, until it expires. A device that enrols with a name
// that another device has takes its place: that one is revoked.
func Invite(ctx context.Context, o *owner.Owner, i Invitation) (*Invited, error) {
	// A collector's connectors are written with an underscore, whatever is typed.
	i.Connector = abi.CanonicalKey(abi.KeyNamed(i.Connector))
	i.Binding = cmp.Or(i.Binding, i.Connector)
	if err := checkInvitation(&i); err != nil {
		return nil, err
	}
	described, err := i.described()
	if err != nil {
		return nil, err
	}
	code, err := device.NewCode(o.Random)
	if err != nil {
		return nil, abi.NewError(abi.CodeInternal, "no code could be made: the system gives no random numbers", "try again").Wrap(err)
	}
	store, err := o.Store(ctx)
	if err != nil {
		return nil, err
	}
	known, note, err := collectable(ctx, o, i.Connector)
	if err != nil {
		return nil, err
	}
	all, err := store.SourceInstances(ctx, "")
	if err != nil {
		return nil, err
	}
	if !known && !i.Meant && described == nil {
		if err := heardOf(ctx, o, store, i.Connector, all); err != nil {
			return nil, err
		}
	}
	v := &Invited{
		Code: code, Connector: i.Connector, Binding: i.Binding, ExpiresAt: o.Now().Add(i.Expires).UTC().Truncate(time.Second), Replaces: []string{},
		Installed: known, BaseURL: cmp.Or(i.BaseURL, listenURL(o.Config)),
	}
	v.Command = "pdpp-local-collector setup --base-url " + words.Quoted(cmp.Or(v.BaseURL, "URL"))
	if err := v.place(ctx, store, note, all); err != nil {
		return nil, err
	}
	err = o.Audited(ctx, store, "devices.invite", invitationID(device.SecretHash(code))+" "+v.Connector+" "+v.Binding, func(ctx context.Context) error {
		return store.NewEnrollmentCode(ctx, storage.EnrollmentCode{
			CodeHash: device.SecretHash(code), ConnectorID: v.Connector, Binding: v.Binding, ExpiresAt: v.ExpiresAt, Manifest: described,
		})
	})
	if err != nil {
		return nil, err
	}
	return v, nil
}

// described returns the text of the manifest by which the records of a device are described; nil without one.
func (i *Invitation) described() ([]byte, error) {
	if len(i.Manifest) == 0 {
		return nil, nil
	}
	m, err := manifest.Parse(i.Manifest)
	if err != nil {
		return nil, err
	}
	if !abi.SameConnector(m.ConnectorKey, i.Connector) {
		return nil, abi.NewError(abi.CodeUsage, fmt.Sprintf("the manifest is that of the connector %q", m.ConnectorKey), "invite a device for that connector, or leave the manifest out")
	}
	return public.Given(m).Text()
}

func checkInvitation(i *Invitation) error {
	switch {
	case !modules.ValidName(i.Connector):
		return abi.NewError(abi.CodeUsage, fmt.Sprintf("%q is no connector's name", i.Connector), "use letters, digits and '_'")
	case !modules.ValidName(i.Binding), len(i.Binding) > longestBinding, i.Binding != strings.Trim(i.Binding, ".-"):
		return abi.NewError(abi.CodeUsage, "the connection's name is none", "use letters, digits, '_', and '.' and '-' within, a hundred at most")
	case i.Expires < leastInvitation || i.Expires > mostInvitation || i.Expires%time.Second != 0:
		return abi.NewError(abi.CodeUsage, "the code's life is not a whole number of seconds between 1m and 24h", "leave it out for 15m")
	}
	return checkBaseURL(i.BaseURL)
}

// place finds the connection that the device will feed, and the devices whose place it
// takes, and notes what its owner should know of that.
func (v *Invited) place(ctx context.Context, store *storage.Store, note string, all []storage.SourceInstance) (err error) {
	var why string
	if v.Connection, why, err = feedsInto(ctx, store, v.Connector, v.Binding, all); err != nil {
		return err
	}
	if note != "" {
		v.Notes = append(v.Notes, note)
	}
	if why != "" {
		v.Notes = append(v.Notes, fmt.Sprintf("it feeds the connection %s: %s", v.Connection, why))
	}
	var hosts []string
	for i := range all {
		if s := &all[i]; s.Active() && s.ConnectorID == v.Connector && s.Binding == v.Binding {
			v.Replaces, hosts = append(v.Replaces, s.DeviceID), append(hosts, owner.HostOf(s))
		}
	}
	if len(hosts) > 0 {
		v.Notes = append(v.Notes, fmt.Sprintf("it takes the place of %s, which may not deliver any more once the code is used", strings.Join(hosts, ", ")))
	}
	return nil
}

// checkBaseURL takes an address that a collector would take, and none with a
// secret in it: it is printed.
func checkBaseURL(text string) error {
	if text == "" {
		return nil
	}
	u, err := url.Parse(text)
	switch {
	case err != nil, u.Scheme != "https" && u.Scheme != "http", u.Host == "":
		return abi.NewError(abi.CodeUsage, "the host's address is none", "write it as in https://host.example")
	case u.Scheme == "http" && !OwnAddress(u.Hostname()):
		return abi.NewError(abi.CodeUsage, "the host's address begins with http://", "a device sends its credential there: use https, or http for this machine itself")
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return abi.NewError(abi.CodeUsage, "the host's address has more than an address", "leave out the user, and what follows '?' or '#'")
	}
	return nil
}

// OwnAddress reports whether a host's name is this machine and cannot be another.
func OwnAddress(host string) bool {
	addr, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && addr.Unmap().IsLoopback()
}

// listenURL is the address that follows from where this host listens, "" where
// none does: from everywhere it can be reached by many names.
func listenURL(c *config.Config) string {
	if c.Origin() != "" {
		return c.Origin()
	}
	if c.Listen() == config.DefaultListen {
		return "" // nobody chose it: it is this machine's alone
	}
	host, port, err := net.SplitHostPort(c.Listen())
	if addr, bad := netip.ParseAddr(host); err != nil || host == "" || port == "0" || bad == nil && addr.IsUnspecified() {
		return ""
	}
	switch {
	case c.TLSCert() != "":
		return "https://" + net.JoinHostPort(host, port)
	case OwnAddress(host):
		return "http://" + net.JoinHostPort(host, port)
	}
	return ""
}
