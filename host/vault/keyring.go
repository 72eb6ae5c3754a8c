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

// keyringPlace is what the keyring is called for people.
const keyringPlace = "the system's keyring"

// The entry's name in the keyring. It is one for all data folders of a user, so
// that a folder can be moved.
const (
	keyringService = "pdpp-host"
	keyringAccount = "credentials"
)

// Keyring keeps one text for this user. Its calls may block for as long as it
// asks for a password, and one that nobody waits for any more may still be going
// on when the next one is made; a Session's keyring is called one at a time.
type Keyring interface {
	Get() (text string, found bool, err error)
	Set(text string) error
}

// Session is this user's session, as one process has it. The zero value is ready.
type Session struct{ line line }

// Keyring returns the session's keyring, nil when there is none at present. What
// it returns at different times is one keyring, and asked over one line.
func (s *Session) Keyring() Keyring {
	if !sessionHasKeyring() {
		return nil
	}
	return lined{systemKeyring{}, &s.line}
}

// sessionHasKeyring asks, where the keyring is a service on the session's bus,
// whether there is a bus: without one the client library would start one of its
// own, which no server wants.
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

// get asks k, and gives up after wait or when ctx ends. With fresh the answer is to
// a question that was asked now; otherwise one that is on its way will do.
func get(ctx context.Context, k Keyring, wait time.Duration, fresh bool) (string, bool, error) {
	if k == nil {
		return "", false, errNoKeyring
	}
	a := lineTo(k).send(ctx, wait, fresh, &call{asks: true, do: func() (a answer) {
		a.text, a.found, a.err = k.Get()
		return a
	}})
	return a.text, a.found, a.err
}

func set(ctx context.Context, k Keyring, text string, wait time.Duration) error {
	if k == nil {
		return errNoKeyring
	}
	return lineTo(k).send(ctx, wait, true, &call{do: func() answer { return answer{err: k.Set(text)} }}).err
}
