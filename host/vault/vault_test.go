package vault

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/pdpp-host/pdpp-host/abi"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const canary = "canary-7d1f-hunter2"

// open makes a vault with its key in a file of its own.
func open(t *testing.T) *Vault {
	t.Helper()
	return openIn(t, t.TempDir())
}

func openIn(t *testing.T, dir string) *Vault {
	t.Helper()
	v, err := Open(t.Context(), Options{Dir: dir, Mode: ModeFile, Create: true})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// wants holds an error to its code and its three parts.
func wants(t *testing.T, err error, code abi.Code) {
	t.Helper()
	e, ok := err.(*abi.Error) //nolint:errorlint // the outermost error is meant
	if !ok || e.Code != code || e.Message == "" || e.Hint == "" {
		t.Fatalf("got %#v, want %s", err, code)
	}
}

func sealed(t *testing.T, v *Vault, connection, field, value string) []byte {
	t.Helper()
	b, err := v.Seal(connection, field, []byte(value))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Sealed bytes hold any few bytes by chance, as "c1\x00" in one of 200 runs, which seal 100,000
// bytes each. So names and values are too long for that.
func TestSealUnseal(t *testing.T) {
	t.Parallel()
	const connection, field = "connection-of-test", "token-of-test"
	v := open(t)
	for _, value := range []string{canary, "x", strings.Repeat("long ", 3000), "\x00\xff", strings.Repeat("k", MaxValue)} {
		b := sealed(t, v, connection, field, value)
		if bytes.Contains(b, []byte(canary)) || bytes.Contains(b, []byte(field)) || bytes.Contains(b, []byte(connection)) {
			t.Error("what is sealed can be read")
		}
		got, err := v.Unseal(connection, field, b)
		if err != nil || string(got) != value {
			t.Errorf("%d bytes came back as %d, %v, want no error && string(got) == value", len(value), len(got), err)
		}
	}
	if a, b := sealed(t, v, connection, field, canary), sealed(t, v, connection, field, canary); bytes.Equal(a, b) {
		t.Error("the same secret is sealed the same way twice")
	}
}

// A thief of the store learns no more of a password than that it is short.
func TestLengthIsHidden(t *testing.T) {
	t.Parallel()
	v := open(t)
	if a, b := len(sealed(t, v, "c1", "token", "1234")), len(sealed(t, v, "c1", "token", strings.Repeat("x", 100))); a != b {
		t.Errorf("%d and %d bytes", a, b)
	}
}

func TestSealRefuses(t *testing.T) {
	t.Parallel()
	v := open(t)
	for name, c := range map[string]struct{ connection, field, value string }{
		"no secret":      {"c1", "token", ""},
		"a long secret":  {"c1", "token", strings.Repeat("k", MaxValue+1)},
		"no connection":  {"", "token", "x"},
		"no field":       {"c1", "", "x"},
		"a long field":   {"c1", strings.Repeat("f", maxName+1), "x"},
		"a long context": {strings.Repeat("c", maxName+1), "token", "x"},
	} {
		if _, err := v.Seal(c.connection, c.field, []byte(c.value)); err == nil {
			t.Errorf("v.Seal(c.connection, c.field, []byte(c.value)): got %+v, want err != nil", name)
		} else {
			wants(t, err, CodeValueInvalid)
		}
	}
}

// Rows that change places in the store do not open.
func TestUnsealRefusesAnotherPlace(t *testing.T) {
	t.Parallel()
	v := open(t)
	b := sealed(t, v, "c1", "token", canary)
	for _, place := range [][2]string{{"c2", "token"}, {"c1", "password"}, {"c1t", "oken"}, {"", "c1token"}} {
		got, err := v.Unseal(place[0], place[1], b)
		if got != nil {
			t.Errorf("%v opened, want got == nil", place)
		}
		wants(t, err, CodeMisplaced)
	}
}

func TestUnsealRefusesChangedBytes(t *testing.T) {
	t.Parallel()
	v := open(t)
	b := sealed(t, v, "c1", "token", canary)
	for i := range b {
		bad := bytes.Clone(b)
		bad[i] ^= 1
		got, err := v.Unseal("c1", "token", bad)
		// A change in the part that wraps the key looks as if it were another key's.
		if code := abi.CodeOf(err); got != nil || code != CodeDamaged && code != CodeKeyWrong {
			t.Fatalf("byte %d: %v, %v, want got == nil && (code == CodeDamaged || code == CodeKeyWrong)", i, got, err)
		}
		if strings.Contains(err.Error(), canary) {
			t.Fatal("the error tells the secret")
		}
	}
	for n := range b {
		if got, err := v.Unseal("c1", "token", b[:n]); got != nil || err == nil {
			t.Fatalf("the first %d bytes: %v, %v, want got == nil && err != nil", n, got, err)
		}
	}
	if _, err := v.Unseal("c1", "token", append(bytes.Clone(b), 0)); err == nil {
		t.Error("a byte too many")
	}
	_, err := v.Unseal("c1", "token", make([]byte, maxSealed+1))
	wants(t, err, CodeDamaged)
}

func TestAnotherKey(t *testing.T) {
	t.Parallel()
	b := sealed(t, open(t), "c1", "token", canary)
	_, err := open(t).Unseal("c1", "token", b)
	wants(t, err, CodeKeyWrong)
}

// The folder after a run of everything holds the key, and no other file.
func TestNothingIsLeftBeside(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "made", "too")
	v := openIn(t, dir)
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 || entries[0].Name() != KeyFile || v.Place() != filepath.Join(dir, KeyFile) {
		t.Errorf("got %v %v %s, want no error && len(entries) == 1 && entries[0].Name() == KeyFile && v.Place() == filepath.Join(dir, KeyFile)", entries, err, v.Place())
	}
}

func FuzzUnseal(f *testing.F) {
	dir := f.TempDir()
	v, err := Open(f.Context(), Options{Dir: dir, Mode: ModeFile, Create: true})
	if err != nil {
		f.Fatal(err)
	}
	b, err := v.Seal("c1", "token", []byte(canary))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Add(b[:len(b)-1])
	f.Add([]byte("age-encryption.org/v1\n-> X25519 x\n--- x\n"))
	f.Fuzz(func(t *testing.T, sealed []byte) {
		got, err := v.Unseal("c1", "token", sealed)
		if err == nil && (string(got) != canary || !bytes.Equal(sealed, b)) {
			t.Fatal("something else opened")
		}
		if err != nil && abi.CodeOf(err) == abi.CodeInternal {
			t.Fatalf("got %+v, want no error || abi.CodeOf(err) != abi.CodeInternal", err)
		}
	})
}

func FuzzEnvelope(f *testing.F) {
	whole, err := pack("c1", "token", []byte(canary))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	f.Add([]byte{envelopeVersion, 255, 255})
	f.Fuzz(func(t *testing.T, text []byte) {
		c, field, value, ok := unpack(text)
		if !ok {
			return
		}
		again, err := pack(c, field, value)
		if len(c) > maxName || len(field) > maxName {
			return // longer than any that is packed
		}
		if err != nil || !bytes.Equal(again, text) {
			t.Fatalf("%q has a second form, want no error && bytes.Equal(again, text)", text)
		}
	})
}

func BenchmarkUnseal(b *testing.B) {
	v, err := Open(b.Context(), Options{Dir: b.TempDir(), Mode: ModeFile, Create: true})
	if err != nil {
		b.Fatal(err)
	}
	text, err := v.Seal("c1", "token", []byte(canary))
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := v.Unseal("c1", "token", text); err != nil {
			b.Fatal(err)
		}
	}
}
