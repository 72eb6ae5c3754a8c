package vault

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/zalando/go-keyring"
)

// keyringPlace is the keyring's name for people.
const keyringPlace = "the system's keyring"

// The entry's name in the keyring. All data folders of a user share it, so that a
// folder can be moved.
const (
	keyringService = "pdpp-host"
	keyringAccount = "credentials"
)

// Keyring stores one text for this user. Its calls may block while it asks for a
// password, and an abandoned call may still be running when the next one is made; a
// Session makes one call at a time.
type Keyring interface {
	Get() (text string, found bool, err error)
	Set(text string) error
}

// Session is a process's view of this user's session. The zero value is ready.
type Session struct{ line line }

// Keyring returns the session's keyring, nil if there is none at present. All returned
// values are the same keyring and share one line.
func (s *Session) Keyring() Keyring {
	if !sessionHasKeyring() {
		return nil
	}
	return serializedKeyring{systemKeyring{}, &s.line}
}

// sessionHasKeyring reports, on systems whose keyring is a service on the session's
// bus, whether there is a bus: without one the client library would start its own,
// which is unwanted on a server.
func sessionHasKeyring() bool {
	switch runtime.GOOS {
	case "darwin", "windows":
		return true
	}
	if os.Getenv("DBUS_SESSION_BUS_ADDRESS") != "" {
		return true
	}
	dir := os.Getenv("XDG_RUNTIME_DIR")
	if dir == "" {
		return false
	}
	_, err := os.Stat(filepath.Join(dir, "bus")) //nolint:gosec // the session names its own folder, and nothing is read
	return err == nil
}

type systemKeyring struct{}

// Get implements Keyring.
func (systemKeyring) Get() (string, bool, error) {
	text, err := keyring.Get(keyringService, keyringAccount)
	if errors.Is(err, keyring.ErrNotFound) {
		return "", false, nil
	}
	return text, err == nil, err
}

// Set implements Keyring.
func (systemKeyring) Set(text string) error { return keyring.Set(keyringService, keyringAccount, text) }

var errNoKeyring = errors.New("there is no keyring in this session")

// readKeyring reads from k, and gives up after wait or when ctx ends. With fresh the question
// is asked now; otherwise the answer to a running question is enough.
func readKeyring(ctx context.Context, k Keyring, wait time.Duration, fresh bool) (string, bool, error) {
	if k == nil {
		return "", false, errNoKeyring
	}
	a := lineTo(k).send(ctx, wait, fresh, &call{asks: true, do: func() (a answer) {
		a.text, a.found, a.err = k.Get()
		return a
	}})
	return a.text, a.found, a.err
}

func writeKeyring(ctx context.Context, k Keyring, text string, wait time.Duration) error {
	if k == nil {
		return errNoKeyring
	}
	return lineTo(k).send(ctx, wait, true, &call{do: func() answer { return answer{err: k.Set(text)} }}).err
}
