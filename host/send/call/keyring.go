package call

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
)

// keyring holds the secrets that this run has needed so far. A value is asked
// for once, and again when the provider refused it: the owner may have been asked
// for another one meanwhile.
type keyring struct {
	from Secrets
	scrubber

	mu     sync.Mutex
	fields map[string]*held
}

// held is the secret of one field. Two slots that name a field share it, and
// therefore its renewal.
type held struct {
	turn chan struct{} // holds a token; who has it may renew

	// Guarded by the keyring's mutex.
	value      string
	generation int       // counts the values; 0: it was not read yet
	expires    time.Time // zero: not known
	renewed    time.Time // the last renewal; zero: there was none
	unproven   bool      // renewed, and nothing was answered well since
	lost       error     // it cannot be renewed any more in this run
}

func newKeyring(from Secrets, slots map[string]*slot) *keyring {
	k := &keyring{from: from, fields: make(map[string]*held)}
	for _, s := range slots {
		for _, field := range []string{s.Field, s.User} {
			if field != "" && k.fields[field] == nil {
				k.fields[field] = &held{turn: make(chan struct{}, 1)}
				k.fields[field].turn <- struct{}{}
			}
		}
	}
	return k
}

// ask asks for a field's value, past what is held.
func (k *keyring) ask(ctx context.Context, field string) (string, bool, error) {
	if k.from == nil {
		return "", false, nil
	}
	value, ok, err := k.from.Value(ctx, field)
	if typed := (*abi.Error)(nil); errors.As(err, &typed) {
		return "", false, typed
	}
	if err != nil {
		return "", false, abi.NewError(CodeCredentialUnavailable, "the credential "+show(field)+" could not be read",
			"see `pdpp-host doctor`").Wrap(err)
	}
	return value, ok && value != "", nil
}

func missing(field string) error {
	return abi.NewError(CodeCredentialMissing, "there is no credential "+show(field)+" for this connection",
		"store it with: pdpp-host connections credential set NAME FIELD")
}

// load makes a slot's secret ready to be placed. ok is false when there is none
// and the slot has a way to get one.
func (k *keyring) load(ctx context.Context, s *slot) (ok bool, err error) {
	user, err := k.read(ctx, s.User, s)
	if err != nil {
		return false, err
	}
	value, err := k.read(ctx, s.Field, s)
	switch {
	case err != nil:
		return false, err
	case s.As == abi.SlotBasic && s.User != "" && user == "":
		return false, missing(s.User)
	case value == "" && s.OAuth == nil:
		return false, missing(s.Field)
	}
	k.hide(value)
	k.hide(strings.TrimSpace(value)) // a header's value arrives without the space around it
	if s.As == abi.SlotBasic {
		k.hide(basicPair(user, value))
	}
	return value != "", nil
}

// read returns a field's value, and asks for it the first time.
func (k *keyring) read(ctx context.Context, field string, s *slot) (string, error) {
	h := k.fields[field]
	if h == nil {
		return "", nil
	}
	k.mu.Lock()
	value, generation := h.value, h.generation
	k.mu.Unlock()
	if generation > 0 {
		return value, nil
	}
	value, ok, err := k.ask(ctx, field)
	if err != nil || !ok {
		return "", err
	}
	if s.In == abi.SlotHeader && strings.IndexFunc(value, control) >= 0 {
		return "", abi.NewError(CodeCredentialInvalid, "the credential "+show(field)+" holds a line break or another control character",
			"give it again, on one line")
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if h.generation == 0 {
		h.value, h.generation = value, 1
	}
	return h.value, nil
}

// forget has the values of a slot asked for again. Those that are renewed have a
// way of their own.
func (k *keyring) forget(s *slot) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, field := range []string{s.Field, s.User} {
		if h := k.fields[field]; h != nil && h.renewed.IsZero() {
			h.generation = 0
		}
	}
}

// text returns a slot's secret as it is written, and which one that is. It was
// loaded before.
func (k *keyring) text(s *slot) (text string, generation int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	h := k.fields[s.Field]
	user := ""
	if u := k.fields[s.User]; u != nil {
		user = u.value
	}
	return s.write(user, h.value), h.generation
}

// proven says that a secret of generation was accepted.
func (k *keyring) proven(s *slot, generation int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if h := k.fields[s.Field]; h.generation == generation {
		h.unproven = false
	}
}

func (k *keyring) expired(s *slot, now time.Time) (generation int, expired bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	h := k.fields[s.Field]
	return h.generation, !h.expires.IsZero() && !now.Before(h.expires)
}

func control(r rune) bool { return r < ' ' || r == 0x7f }
