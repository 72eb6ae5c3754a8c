package vault

import (
	"context"
	"errors"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
)

// ring is a keyring of the tests: it holds a text, or fails, or never answers.
type ring struct {
	mu    sync.Mutex
	text  string
	err   error
	stuck chan struct{} // not nil: a call returns when it is closed
	asked int
	loses bool // takes a text and does not keep it
}

func (r *ring) Get() (string, bool, error) {
	if r.stuck != nil {
		<-r.stuck
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked++
	return r.text, r.text != "" && r.err == nil, r.err
}

func (r *ring) Set(text string) error {
	if r.stuck != nil {
		<-r.stuck
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err == nil && !r.loses {
		r.text = text
	}
	return r.err
}

func code(err error) abi.Code {
	if err == nil {
		return ""
	}
	return abi.CodeOf(err)
}

// Where the key is looked for and made, by what there is.
func TestWhereTheKeyIs(t *testing.T) {
	t.Parallel()
	const none, file, keyringHas = "", KeyFile, keyringPlace
	for name, c := range map[string]struct {
		mode    string
		file    bool  // there is a key file
		ring    *ring // nil: no keyring
		held    bool  // the keyring holds a key
		sealed  bool
		look    bool // do not create
		place   string
		refused abi.Code
	}{
		"auto, an existing file wins":            {mode: ModeAuto, file: true, ring: &ring{}, held: true, place: file},
		"auto, the keyring's key":                {mode: ModeAuto, ring: &ring{}, held: true, place: keyringHas},
		"auto, a new one into the keyring":       {mode: ModeAuto, ring: &ring{}, place: keyringHas},
		"auto, no keyring":                       {mode: ModeAuto, place: file},
		"auto, a keyring that fails":             {mode: ModeAuto, ring: &ring{err: errors.New("no")}, place: file},
		"auto, a keyring that keeps nothing":     {mode: ModeAuto, ring: &ring{loses: true}, place: file},
		"auto, sealed, the file":                 {mode: ModeAuto, file: true, sealed: true, place: file},
		"auto, sealed, the keyring":              {mode: ModeAuto, ring: &ring{}, held: true, sealed: true, place: keyringHas},
		"auto, sealed, an empty keyring":         {mode: ModeAuto, ring: &ring{}, sealed: true, refused: CodeKeyMissing},
		"auto, sealed, a keyring that fails":     {mode: ModeAuto, ring: &ring{err: errors.New("no")}, sealed: true, refused: CodeKeyMissing},
		"auto, sealed, nothing":                  {mode: ModeAuto, sealed: true, refused: CodeKeyMissing},
		"auto, looking only":                     {mode: ModeAuto, look: true, refused: CodeKeyMissing},
		"file":                                   {mode: ModeFile, file: true, ring: &ring{}, held: true, place: file},
		"file, a new one":                        {mode: ModeFile, ring: &ring{}, held: true, place: file},
		"file, sealed, lost":                     {mode: ModeFile, ring: &ring{}, held: true, sealed: true, refused: CodeKeyMissing},
		"keyring":                                {mode: ModeKeyring, file: true, ring: &ring{}, held: true, place: keyringHas},
		"keyring, a new one":                     {mode: ModeKeyring, file: true, ring: &ring{}, place: keyringHas},
		"keyring, none":                          {mode: ModeKeyring, refused: CodeKeyringUnavailable},
		"keyring, it fails":                      {mode: ModeKeyring, ring: &ring{err: errors.New("no")}, refused: CodeKeyringUnavailable},
		"keyring, it keeps nothing":              {mode: ModeKeyring, ring: &ring{loses: true}, refused: CodeKeyringUnavailable},
		"keyring, sealed, lost although a file":  {mode: ModeKeyring, file: true, ring: &ring{}, sealed: true, refused: CodeKeyMissing},
		"keyring, what it holds is no key":       {mode: ModeKeyring, ring: &ring{text: "hunter2"}, refused: CodeKeyUnreadable},
		"auto, what the keyring holds is no key": {mode: ModeAuto, ring: &ring{text: "hunter2"}, refused: CodeKeyUnreadable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := Options{Dir: t.TempDir(), Mode: c.mode, Sealed: c.sealed, Create: !c.look}
			if c.file {
				openIn(t, o.Dir)
			}
			if c.held {
				c.ring.text = open(t).identity.String()
			}
			if c.ring != nil {
				o.Keyring = c.ring
			}
			v, err := Open(t.Context(), o)
			if code(err) != c.refused {
				t.Fatalf("got %v, want %q", err, c.refused)
			}
			_, statErr := os.Stat(o.path())
			if want := c.file || c.place == file; (statErr == nil) != want {
				t.Errorf("a key file: %v, want one: %v", statErr, want)
			}
			if err != nil {
				wants(t, err, c.refused)
				if strings.Contains(err.Error(), "hunter2") {
					t.Error("the error tells the key")
				}
				return
			}
			if place := strings.TrimPrefix(v.Place(), o.Dir+string(os.PathSeparator)); place != c.place || place == none {
				t.Errorf("the key is in %s, want %s", place, c.place)
			}
			// The chosen key is found again, although a secret is now sealed.
			o.Sealed, o.Create = true, false
			again, err := Open(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := again.Unseal("c", "f", sealed(t, v, "c", "f", canary)); err != nil || string(got) != canary {
				t.Errorf(`again.Unseal("c", "f", sealed(t, v, "c", "f", canary)): got %+v, want no error && string(got) == canary`, err)
			}
		})
	}
}

// A locked keyring asks its owner; nobody may be there. Where a file can do, the
// wait is short, and where the key can be nowhere else it is long.
func TestKeyringThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		mode    string
		sealed  bool
		wait    time.Duration
		refused abi.Code
	}{
		"a file can do": {ModeAuto, false, shortWait, ""},
		"sealed":        {ModeAuto, true, longWait, CodeKeyMissing},
		"demanded":      {ModeKeyring, false, longWait, CodeKeyringUnavailable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			synctest.Test(t, func(t *testing.T) {
				r := &ring{stuck: make(chan struct{})}
				begin := time.Now()
				_, err := Open(t.Context(), Options{Dir: dir, Mode: c.mode, Keyring: r, Sealed: c.sealed, Create: true})
				if code(err) != c.refused || time.Since(begin) != c.wait {
					t.Errorf("%v after %s, want %q after %s", err, time.Since(begin), c.refused, c.wait)
				}
				close(r.stuck)
			})
		})
	}
}

func TestInterruptedWait(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		r := &ring{stuck: make(chan struct{})}
		ctx, cancel := context.WithCancelCause(t.Context())
		stopped := errors.New("stopped")
		time.AfterFunc(time.Second, func() { cancel(stopped) })
		if _, err := Open(ctx, Options{Dir: dir, Mode: ModeAuto, Keyring: r, Create: true}); !errors.Is(err, stopped) {
			t.Errorf("Open(ctx, Options{Dir: dir, Mode: ModeAuto, Keyring: r, Create: true}): got %+v, want errors.Is(err, stopped)", err)
		}
		close(r.stuck)
	})
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 0 {
		t.Errorf("an interrupted command made %v, %v, want no error && len(entries) == 0", entries, err)
	}
}

// Many processes at their first secret: one key, and each has it.
func TestOneKeyForAll(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]Options{
		"file": {Mode: ModeFile}, "keyring": {Mode: ModeKeyring, Keyring: &ring{}}, "auto": {Mode: ModeAuto, Keyring: &ring{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o.Dir, o.Create = t.TempDir(), true
			const many = 8
			keys, errs := make([]string, many), make([]error, many)
			var all sync.WaitGroup
			for i := range many {
				all.Go(func() {
					var v *Vault
					if v, errs[i] = Open(t.Context(), o); v != nil {
						keys[i] = v.identity.String()
					}
				})
			}
			all.Wait()
			for i := range many {
				if errs[i] != nil || keys[i] != keys[0] {
					t.Errorf("the %dth has another key: %v, want errs[i] == nil && keys[i] == keys[0]", i, errs[i])
				}
			}
		})
	}
}
