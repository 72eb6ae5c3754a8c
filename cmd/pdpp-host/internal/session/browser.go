package session

import (
	"context"
	"errors"
	"net"
	"net/url"
	"os"
	"strconv"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/browser"
	"github.com/pdpp-host/pdpp-host/host/browser/find"
	"github.com/pdpp-host/pdpp-host/host/browser/gate"
	"github.com/pdpp-host/pdpp-host/host/browser/launch"
	"github.com/pdpp-host/pdpp-host/host/browser/profile"
	"github.com/pdpp-host/pdpp-host/host/browser/room"
	"github.com/pdpp-host/pdpp-host/host/config"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/host/send/egress"
)

// machine is the browser of this machine.
type machine struct {
	session *Session
	config  *config.Config
}

// Find looks for the program.
func (m *machine) Find() (string, error) {
	return find.Here(m.session.Home).Browser(m.config.Browser())
}

// Missing says why a connector gets no browser here.
func (m *machine) Missing(needs *abi.BrowserRequirements) error {
	if m.config.ProfilesDir() == "" {
		return abi.NewError(abi.CodeBrowserProfile, "there is no folder for the profiles of browsers", "set browser.profiles_dir")
	}
	if needs.Mode == abi.BrowserHeadfulRequired && launch.DisplayOf(os.Getenv) == nil {
		return browser.NoDisplay()
	}
	_, err := m.Find()
	return err
}

// Slots is how many browsers may run at once.
func (m *machine) Slots() int {
	if n := m.config.BrowserMax(); n > 0 {
		return int(n)
	}
	return room.Here()
}

// Open opens the browser of a run, which starts when it is first used.
func (m *machine) Open(_ context.Context, b run.BrowserRun) (run.Browsing, error) {
	var display *launch.Display
	switch b.Manifest.Requirements.Browser.Mode {
	case abi.BrowserHeadfulPreferred, abi.BrowserHeadfulRequired:
		display = launch.DisplayOf(os.Getenv)
	}
	bound, err := m.bind(b, display)
	if err != nil {
		return nil, err
	}
	return bound, nil
}

// SignIn shows a window of the browser that a run would have.
func (m *machine) SignIn(ctx context.Context, b run.BrowserRun) (*owner.BrowserVisit, error) {
	display := launch.DisplayOf(os.Getenv)
	if display == nil { // before a browser is looked for: it would be of no use
		return nil, browser.NoDisplay()
	}
	if err := m.Missing(b.Manifest.Requirements.Browser); err != nil {
		return nil, err
	}
	bound, err := m.bind(b, display)
	if err != nil {
		return nil, err
	}
	done, err := bound.SignIn(ctx)
	if err = errors.Join(err, bound.Close()); err != nil {
		return nil, err
	}
	return &owner.BrowserVisit{Cookies: done.Cookies, Refused: done.Refused}, nil
}

// bind returns the browser of a run.
func (m *machine) bind(b run.BrowserRun, display *launch.Display) (*browser.Binding, error) {
	program, err := m.Find()
	if err != nil {
		return nil, err
	}
	guard, err := egress.New(egress.Policy{AllowPrivate: m.config.AllowPrivate()}, egress.Options{})
	if err != nil {
		return nil, err
	}
	r := browser.Request{
		Program: program, Profiles: m.config.ProfilesDir(), Profile: browser.ProfileOf(b.Manifest.ConnectorKey, b.Connection.ID),
		Lang: os.Getenv("LANG"), Display: display, Unsandboxed: m.config.AllowNoSandbox(), Unmarked: m.config.HideAutomation(), Capture: m.config.Capture(), Memory: m.config.BrowserMemory(), Random: m.session.Random, Dialer: named{guard},
		Now: time.Now, Sealer: b.Sealer, Slots: m.Slots(), Hide: b.Hide, Headers: egress.CheckHeaders,
	}
	r.Large = func(size int64) {
		m.session.Logger.Warn("the browser profile of a connection is large; connections sign-out forgets it", "connection", b.Connection.Name, "bytes", size)
	}
	if r.Limit, err = m.establish(); err != nil {
		return nil, err
	}
	return browser.Bind(r, b.Manifest.Requirements.Browser, b.Sending, b.Secret), nil
}

// Profiles returns the profiles that there are.
func (m *machine) Profiles() (dir string, all []owner.BrowserProfile, err error) {
	if dir = m.config.ProfilesDir(); dir == "" {
		return "", nil, nil
	}
	sizes, err := profile.Sizes(dir)
	for _, s := range sizes {
		all = append(all, owner.BrowserProfile(s))
	}
	return dir, all, err
}

// Captures returns the captures of the pages of a connection.
func (m *machine) Captures(connector, connection string) (all []owner.BrowserCapture, err error) {
	if m.config.ProfilesDir() == "" {
		return nil, nil
	}
	found, err := profile.Captures(m.config.ProfilesDir(), browser.ProfileOf(connector, connection), m.session.Now())
	for _, c := range found {
		all = append(all, owner.BrowserCapture(c))
	}
	return all, err
}

// Capture returns the text of one of them.
func (m *machine) Capture(connector, connection, id string) ([]byte, error) {
	return profile.ReadCapture(m.config.ProfilesDir(), browser.ProfileOf(connector, connection), id)
}

// SweepCaptures removes what is too old of them.
func (m *machine) SweepCaptures() error {
	if m.config.ProfilesDir() == "" {
		return nil
	}
	return profile.SweepCaptures(m.config.ProfilesDir(), m.session.Now())
}

// Forget removes the profile of a connection.
func (m *machine) Forget(ctx context.Context, connector, connection string) error {
	if m.config.ProfilesDir() == "" {
		return nil
	}
	return browser.Forget(ctx, m.config.ProfilesDir(), connector, connection)
}

// establish is how long signing in may go without progress. The reference's variable goes before
// the setting (RT-15).
func (m *machine) establish() (time.Duration, error) {
	const name = "PDPP_SESSION_ESTABLISH_WATCHDOG_MS"
	text := os.Getenv(name)
	if text == "" {
		return m.config.Establish(), nil
	}
	ms, err := strconv.ParseInt(text, 10, 32)
	if err != nil || ms <= 0 {
		return 0, abi.NewError(abi.CodeConfigInvalid, name+" is not a number of milliseconds above zero", "leave it out for "+config.FormatDuration(m.config.Establish()))
	}
	return time.Duration(ms) * time.Millisecond, nil
}

// named is the way out for hosts whose names were checked: their addresses are.
type named struct{ guard *egress.Guard }

// Dial connects to hostport, at an address of the public internet.
func (n named) Dial(ctx context.Context, hostport string) (net.Conn, error) {
	return n.guard.Dial(ctx, "tcp", hostport)
}

// Prove starts it. It may reach no host at all.
func (m *machine) Prove(ctx context.Context, program string) (proof *owner.BrowserProof, err error) {
	guard, err := egress.New(egress.Policy{}, egress.Options{})
	if err != nil {
		return nil, err
	}
	defer guard.Close()
	p, err := browser.Prove(ctx, browser.Request{
		Program: program, Lang: os.Getenv("LANG"), Unsandboxed: m.config.AllowNoSandbox(), Random: m.session.Random,
		Admitter: admitAll{}, Dialer: &dialer{guard},
	})
	if err != nil {
		return nil, err
	}
	return &owner.BrowserProof{Product: p.Product, Unsandboxed: m.config.AllowNoSandbox(), Shown: p.Walled}, nil
}

// admitAll lets every request come to the wall, which is to be proven.
type admitAll struct{}

// Admit admits r.
func (admitAll) Admit(context.Context, gate.Request, gate.Send) error { return nil }

// dialer is the wall's way out, behind the host's rules for names and addresses.
type dialer struct{ guard *egress.Guard }

// Dial connects to hostport, where the rules allow it.
func (d *dialer) Dial(ctx context.Context, hostport string) (net.Conn, error) {
	if err := d.guard.Check(&url.URL{Scheme: "https", Host: hostport}); err != nil {
		return nil, err
	}
	return d.guard.Dial(ctx, "tcp", hostport)
}
