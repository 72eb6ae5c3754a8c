package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/cmd/internal/outcome"
	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/host/config"
	"github.com/pdpp-host/pdpp-host/storage"
)

// How long a code may last, and lasts when nobody says.
const (
	leastInvitation = time.Minute
	mostInvitation  = 24 * time.Hour
	invitation      = 15 * time.Minute
)

// longestBinding is the longest name that a connection of a device is given.
const longestBinding = 100

type inviteFlags struct {
	name, baseURL string
	expires       time.Duration
	meant         bool // although this host does not know the connector
}

func (a *app) inviteCommand() *cobra.Command {
	var f inviteFlags
	cmd := &cobra.Command{
		Use: "invite CONNECTOR", Short: "Make a code with which one device enrols", Args: takes("CONNECTOR"),
		Long: "Makes a code with which one device enrols, to collect CONNECTOR and deliver it here. The code is shown once, and\n" +
			"good once, until it expires. Whoever enrols with a name that another device has takes its place: that one is revoked.",
		Example:           "  pdpp-host devices invite claude_code --name laptop --base-url https://host.example",
		ValidArgsFunction: a.completeConnector,
		RunE:              func(cmd *cobra.Command, args []string) error { return a.devicesInvite(cmd.Context(), args[0], f) },
	}
	p := cmd.Flags()
	p.StringVar(&f.name, "name", "", "`BINDING`: what is collected there, and the connection's name (default: the connector's name)")
	p.StringVar(&f.baseURL, "base-url", "", "`URL` at which the device reaches this host (default: where it listens, if that is one)")
	p.DurationVar(&f.expires, "expires", invitation, "the code is good for `DURATION`, from 1m to 24h")
	p.BoolVar(&f.meant, "yes", false, "yes, for a connector that this host does not know: the device has it")
	return cmd
}

// invited is the result of an invitation. Nothing but this has the code.
type invited struct {
	Code      string    `json:"enrollment_code"`
	Connector string    `json:"connector_id"`
	Binding   string    `json:"local_binding_name"`
	ExpiresAt time.Time `json:"expires_at"`
	Command   string    `json:"command"`          // to be typed on the device, which asks for the code
	Replaces  []string  `json:"replaces_devices"` // that are revoked once it is used

	Connection string `json:"connection"`          // that it will feed, as things stand
	Installed  bool   `json:"connector_installed"` // here; the device needs it in any case
}

func (a *app) devicesInvite(ctx context.Context, connector string, f inviteFlags) error {
	// A collector's connectors are written with an underscore, whatever is typed.
	connector = abi.CanonicalKey(connector)
	f.name = cmp.Or(f.name, connector)
	switch {
	case !validName(connector):
		return usage(fmt.Sprintf("%q is no connector's name", connector), "use letters, digits and '_'")
	case !validName(f.name), len(f.name) > longestBinding, f.name != strings.Trim(f.name, ".-"):
		return usage("the value of --name is no name", "use letters, digits, '_', and '.' and '-' within, a hundred at most")
	case f.expires < leastInvitation || f.expires > mostInvitation || f.expires%time.Second != 0:
		return usage("--expires is not a whole number of seconds between 1m and 24h", "leave it out for 15m")
	}
	if err := checkBaseURL(f.baseURL); err != nil {
		return err
	}
	code, err := device.NewCode(a.Random)
	if err != nil {
		return abi.NewError(abi.CodeInternal, "no code could be made: the system gives no random numbers", "try again").Wrap(err)
	}
	return a.withStore(ctx, func(c *config.Config, store *storage.Store) error {
		known, note, err := a.collectable(ctx, c, connector)
		if err != nil {
			return err
		}
		all, err := store.SourceInstances(ctx, "")
		if err != nil {
			return err
		}
		if !known && !f.meant {
			if err := a.heardOf(ctx, c, store, connector, all); err != nil {
				return err
			}
		}
		said := f.baseURL != ""
		f.baseURL = cmp.Or(f.baseURL, listenURL(c))
		v := invited{
			Code: code, Connector: connector, Binding: f.name, ExpiresAt: a.Now().Add(f.expires).UTC().Truncate(time.Second), Replaces: []string{},
			Command: "pdpp-local-collector setup --base-url " + quoted(cmp.Or(f.baseURL, "URL")), Installed: known,
		}
		var why string
		if v.Connection, why, err = feedsInto(ctx, store, connector, f.name, all); err != nil {
			return err
		}
		notes := notesOf(&v, note, why)
		var hosts []string
		for i := range all {
			if s := &all[i]; s.Active() && s.ConnectorID == connector && s.Binding == f.name {
				v.Replaces, hosts = append(v.Replaces, s.DeviceID), append(hosts, hostOf(s))
			}
		}
		if err := store.NewEnrollmentCode(ctx, storage.EnrollmentCode{
			CodeHash: device.SecretHash(code), ConnectorID: connector, Binding: f.name, ExpiresAt: v.ExpiresAt,
		}); err != nil {
			return err
		}
		if len(hosts) > 0 {
			notes = append(notes, fmt.Sprintf("it takes the place of %s, which may not deliver any more once the code is used", strings.Join(hosts, ", ")))
		}
		return a.Printer.Result("invited a device for "+connector, v, func(w io.Writer) { writeInvitation(w, &v, notes, f.baseURL, said, a.advice) })
	})
}

// notesOf are what an owner should know before the code is used.
func notesOf(v *invited, note, why string) (notes []string) {
	if note != "" {
		notes = append(notes, note)
	}
	if why != "" {
		notes = append(notes, fmt.Sprintf("it feeds the connection %s: %s", v.Connection, why))
	}
	return notes
}

// writeInvitation shows the code. What to know of it stands before it: the code is
// taken away and typed.
func writeInvitation(w io.Writer, v *invited, notes []string, baseURL string, said bool, advise outcome.Advise) {
	for _, note := range notes {
		fmt.Fprintln(w, output.Clean(note))
	}
	if len(notes) > 0 {
		fmt.Fprintln(w)
	}
	fmt.Fprintf(w, "code for %s %s, shown this once, good until %s:\n\n  %s\n\n", v.Connector, v.Binding, output.Timestamp(v.ExpiresAt), v.Code)
	fmt.Fprintf(w, "type on the device, and paste the code when it is asked for:\n\n  %s\n\n", v.Command)
	switch u, err := url.Parse(baseURL); {
	case baseURL == "":
		fmt.Fprintln(w, advise("write in the place of URL the address at which the device reaches this host, served by `pdpp-host serve --listen`,\n"+
			"as in https://host.example; or say it here with --base-url"))
	case err == nil && ownAddress(u.Hostname()) && !said:
		fmt.Fprintln(w, "that is where this host listens, for programs on this machine; for another machine say with --base-url what it reaches")
	}
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
		return usage("the value of --base-url is no address", "write it as in https://host.example")
	case u.Scheme == "http" && !ownAddress(u.Hostname()):
		return usage("the value of --base-url begins with http://", "a device sends its credential there: use https, or http for this machine itself")
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return usage("the value of --base-url has more than an address", "leave out the user, and what follows '?' or '#'")
	}
	return nil
}

// ownAddress reports whether a host's name is this machine and cannot be another.
func ownAddress(host string) bool {
	addr, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && addr.Unmap().IsLoopback()
}

// listenURL is the address that follows from where this host listens, "" where
// none does: from everywhere it can be reached by many names.
func listenURL(c *config.Config) string {
	host, port, err := net.SplitHostPort(c.Listen())
	if addr, bad := netip.ParseAddr(host); err != nil || host == "" || port == "0" || bad == nil && addr.IsUnspecified() {
		return ""
	}
	switch {
	case c.TLSCert() != "":
		return "https://" + net.JoinHostPort(host, port)
	case ownAddress(host):
		return "http://" + net.JoinHostPort(host, port)
	}
	return ""
}
