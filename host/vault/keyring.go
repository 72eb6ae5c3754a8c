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
// asks for a password; they are made from one goroutine at a time, and a call
// that nobody waits for any more may still be going on.
type Keyring interface {
	Get() (text string, found bool, err error)
	Set(text string) error
}

// System returns the keyring of this user's session, nil when there is none.
func System() Keyring {
	if !sessionHasKeyring() {
		return nil
	}
	return systemKeyring{}
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

// get asks k, and gives up after wait or when ctx ends. The call itself cannot
// be taken back: its goroutine ends when the keyring answers.
func get(ctx context.Context, k Keyring, wait time.Duration) (string, bool, error) {
	type answer struct {
		text  string
		found bool
		err   error
	}
	if k == nil {
		return "", false, errNoKeyring
	}
	got := make(chan answer, 1)
	go func() {
		text, found, err := k.Get()
		got <- answer{text, found, err}
	}()
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	select {
	case a := <-got:
		return a.text, a.found, a.err
	case <-ctx.Done():
		return "", false, context.Cause(ctx)
	}
}

func set(ctx context.Context, k Keyring, text string, wait time.Duration) error {
	if k == nil {
		return errNoKeyring
	}
	done := make(chan error, 1)
	go func() { done <- k.Set(text) }()
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
