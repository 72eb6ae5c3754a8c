package vault

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"filippo.io/age"

	"github.com/pdpp-host/pdpp-host/abi"
)

// Places of the key.
const (
	ModeAuto    = "auto"    // the file if there is one, else the keyring if it answers, else a new file
	ModeFile    = "file"    // only the file
	ModeKeyring = "keyring" // only the keyring
)

// KeyFile is the name of the key's file in the data folder.
const KeyFile = "credentials.key"

// Times to wait for the keyring. It may have to ask its owner for a password, which is
// worth waiting for only if there is no alternative.
const (
	shortWait = 2 * time.Second
	longWait  = time.Minute
)

// Options describe where the key is.
type Options struct {
	Dir     string  // the folder of the key file
	Mode    string  // ModeAuto, ModeFile or ModeKeyring
	Keyring Keyring // nil: there is none
	// Sealed reports that there are sealed secrets already. A missing key is then
	// lost, and no new one replaces it.
	Sealed bool
	Create bool // make a key if there is none
}

// Open finds the key, or makes one if o allows it. Errors: vault.key_missing if
// secrets are sealed and no key is found, or none may be made; vault.key_unsafe,
// vault.key_unreadable, vault.key_unwritable; vault.keyring_unavailable in
// ModeKeyring.
func Open(ctx context.Context, o Options) (*Vault, error) {
	v, silent, err := o.find(ctx, false)
	if v != nil || err != nil {
		return v, err
	}
	if o.Sealed || !o.Create {
		return nil, o.missingKey(silent)
	}
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return nil, unwritable(o.Dir, err)
	}
	defer lock(o.Dir)()
	if silent != nil {
		o.Keyring = nil // it is not asked again, nor waited for
	}
	// Another process may have stored a key since the question.
	if v, _, err = o.find(ctx, true); v != nil || err != nil {
		return v, err
	}
	return o.create(ctx)
}

func (o Options) path() string { return filepath.Join(o.Dir, KeyFile) }

// find returns the key, nil if there is none. silent is why the keyring gave no
// answer. fresh is as in get.
func (o Options) find(ctx context.Context, fresh bool) (v *Vault, silent, err error) {
	if o.Mode != ModeKeyring {
		id, err := readFile(o.path())
		if id != nil {
			return &Vault{identity: id, place: o.path()}, nil, nil
		}
		if err != nil || o.Mode == ModeFile {
			return nil, nil, err
		}
	}
	wait := shortWait
	if o.Sealed || o.Mode == ModeKeyring {
		wait = longWait
	}
	text, found, err := readKeyring(ctx, o.Keyring, wait, fresh)
	switch {
	case ctx.Err() != nil:
		return nil, nil, context.Cause(ctx)
	case err != nil && o.Mode == ModeKeyring:
		return nil, nil, unavailable(err)
	case err != nil || !found:
		return nil, err, nil
	}
	id := parseKey([]byte(text))
	if id == nil {
		return nil, nil, unreadable(keyringPlace)
	}
	return &Vault{identity: id, place: keyringPlace}, nil, nil
}

// create makes the key. The caller has locked the folder, which holds none.
func (o Options) create(ctx context.Context) (*Vault, error) {
	id, err := age.GenerateX25519Identity()
	if err != nil {
		return nil, fmt.Errorf("make a key: %w", err)
	}
	if o.Mode == ModeKeyring || o.Mode == ModeAuto && o.Keyring != nil {
		err := writeKeyring(ctx, o.Keyring, id.String(), longWait)
		if err == nil {
			// Later runs get the value that the keyring returns, even if it differs
			// from the one that was set.
			back := o
			back.Mode = ModeKeyring
			var v *Vault
			if v, _, err = back.find(ctx, true); v != nil {
				return v, nil
			}
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if o.Mode == ModeKeyring {
			return nil, unavailable(err)
		}
	}
	kept, err := createFile(o.path(), id)
	if err != nil {
		return nil, err
	}
	return &Vault{identity: kept, place: o.path()}, nil
}

// missingKey returns the error for a missing key, with the places where it could be.
func (o Options) missingKey(silent error) error {
	where := "in " + o.path()
	hint := "put that file back from a backup"
	switch {
	case o.Mode == ModeKeyring:
		where, hint = "in "+keyringPlace, "unlock the keyring of the account that stored them"
	case o.Mode == ModeAuto && silent == nil:
		where += ", nor in " + keyringPlace
	case o.Mode == ModeAuto:
		where += ", and " + keyringPlace + " does not answer"
		hint += ", or run where the keyring can be reached"
	}
	return abi.NewError(CodeKeyMissing, "the key of the stored credentials is missing",
		hint+"; if it is lost, remove each stored credential (pdpp-host connections credential remove) and set it again").
		WithDetail("no key " + where)
}

func unavailable(err error) error {
	return abi.NewError(CodeKeyringUnavailable, "the system's keyring does not answer",
		"unlock it, or keep the key in a file: credentials.key: file").Wrap(err)
}

func unreadable(place string) error {
	return abi.NewError(CodeKeyUnreadable, "the key of the stored credentials cannot be read",
		"put it back from a backup; an age X25519 key in one line is expected").WithDetail(place)
}

func unwritable(path string, err error) error {
	return abi.NewError(CodeKeyUnwritable, "the key for credentials cannot be written",
		"check the permissions of the data folder, and the space that is left").WithDetail(path + ": " + reason(err)).Wrap(err)
}

// reason drops the path that an os error repeats.
func reason(err error) string {
	if pe, ok := errors.AsType[*os.PathError](err); ok {
		return pe.Err.Error()
	}
	if le, ok := errors.AsType[*os.LinkError](err); ok {
		return le.Err.Error()
	}
	return err.Error()
}
