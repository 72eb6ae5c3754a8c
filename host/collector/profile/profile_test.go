package profile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
)

func whole() *Profile {
	return &Profile{
		BaseURL: "https://host.example", DeviceID: "dev 1", Token: NewToken("ldt$ec ret"), SourceInstanceID: "src_1", ConnectorID: "codex",
		ConnectorInstanceID: "conn_1", Queue: "/data/my lanes/x.sqlite",
	}
}

// A profile comes back as it was saved, in a folder and a file that are their
// owner's alone, and a new one takes the old one's place whole.
func TestProfileIsKept(t *testing.T) {
	t.Parallel()
	d := &Folder{Dir: filepath.Join(t.TempDir(), "a", "collectors")}
	p := whole()
	if err := d.Save(p); err != nil {
		t.Fatal(err)
	}
	p.ConnectorInstanceID = "conn_2"
	if err := d.Save(p); err != nil {
		t.Fatal(err)
	}
	got, err := d.Find("src_1")
	if err != nil || !reflect.DeepEqual(got, p) {
		t.Fatalf("%+v, %v", got, err)
	}
	if got.Token.Reveal() != "ldt$ec ret" {
		t.Error("the credential is another")
	}
	for path, want := range map[string]fs.FileMode{d.Dir: 0o700, d.Path(p.Name): 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
	if left, err := os.ReadDir(d.Dir); err != nil || len(left) != 1 {
		t.Errorf("%v %v", left, err)
	}
	if err := errors.Join(d.Remove(p.Name), d.Remove(p.Name)); err != nil {
		t.Error(err)
	}
	if _, err := d.Find("src_1"); abi.CodeOf(err) != CodeMissing {
		t.Errorf("%v", err)
	}
}

// HL-23.10, HL-23.11: a lane is found by its source instance and by nothing else;
// none, several, and one that cannot be read are errors, never another lane.
func TestProfileIsFoundBySourceInstance(t *testing.T) {
	t.Parallel()
	d := &Folder{Dir: filepath.Join(t.TempDir(), "collectors")}
	if _, err := d.Find("src_1"); abi.CodeOf(err) != CodeMissing {
		t.Errorf("no folder: %v", err)
	}
	one, two := whole(), whole()
	two.SourceInstanceID = "src_2"
	if err := errors.Join(d.Save(one), d.Save(two)); err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]abi.Code{"conn_1": CodeMissing, "codex": CodeMissing, "": CodeMissing, "src_3": CodeMissing} {
		if _, err := d.Find(id); abi.CodeOf(err) != want {
			t.Errorf("%q: %v", id, err)
		}
	}
	if p, err := d.Find("src_2"); err != nil || p.SourceInstanceID != "src_2" {
		t.Errorf("%v %v", p, err)
	}
	again := whole()
	again.Name = "copy"
	if err := d.Save(again); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Find("src_1"); abi.CodeOf(err) != CodeAmbiguous || !strings.Contains(err.Error(), "copy.env") {
		t.Errorf("two: %v", err)
	}
	if err := os.WriteFile(d.Path("broken"), []byte("what\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if p, err := d.Find("src_2"); err != nil || p.SourceInstanceID != "src_2" {
		t.Errorf("beside a broken one: %v %v", p, err)
	}
	if _, err := d.Find("src_3"); abi.CodeOf(err) != CodeInvalid {
		t.Errorf("the broken one may be it: %v", err)
	}
}

// A credential that others can read is refused, and so is what is no file.
func TestProfileThatOthersCanRead(t *testing.T) {
	t.Parallel()
	d := &Folder{Dir: filepath.Join(t.TempDir(), "collectors")}
	p := whole()
	if err := d.Save(p); err != nil {
		t.Fatal(err)
	}
	for _, mode := range []fs.FileMode{0o640, 0o604, 0o660, 0o666, 0o644} {
		if err := os.Chmod(d.Path(p.Name), mode); err != nil {
			t.Fatal(err)
		}
		if _, err := d.Find("src_1"); abi.CodeOf(err) != CodeOpen {
			t.Errorf("%o: %v", mode, err)
		}
	}
	if err := errors.Join(os.Chmod(d.Path(p.Name), 0o600), os.Chmod(d.Dir, 0o755)); err != nil { //nolint:gosec // what is refused
		t.Fatal(err)
	}
	if _, err := d.Find("src_1"); abi.CodeOf(err) != CodeOpen {
		t.Errorf("the folder: %v", err)
	}
	if err := d.Save(p); abi.CodeOf(err) != CodeOpen {
		t.Errorf("saved into an open folder: %v", err)
	}
	if err := errors.Join(os.Chmod(d.Dir, 0o700), os.Symlink(d.Path(p.Name), d.Path("link"))); err != nil { //nolint:gosec // the owner's alone
		t.Fatal(err)
	}
	if _, err := d.Load("link"); abi.CodeOf(err) != CodeUnusable {
		t.Errorf("a link: %v", err)
	}
	for _, name := range []string{"../x", "", ".", "a/b", "-x", strings.Repeat("a", 200)} {
		if _, err := d.Load(name); abi.CodeOf(err) != CodeInvalid {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestParseProfile(t *testing.T) {
	t.Parallel()
	const good = "PDPP_REFERENCE_BASE_URL=https://host.example\nPDPP_LOCAL_DEVICE_ID=d\nPDPP_LOCAL_DEVICE_TOKEN=s3cret\n" +
		"PDPP_SOURCE_INSTANCE_ID=s\nPDPP_CONNECTOR_ID=c\n"
	for name, tc := range map[string]struct {
		text string
		code abi.Code
	}{
		"plain":         {good, ""},
		"dressed":       {"# a comment\r\n\n export " + strings.ReplaceAll(good, "=s3cret", "=\"s3cret\"") + "OTHER='x'\n", ""},
		"older name":    {strings.ReplaceAll(good, EnvSourceInstance, EnvConnection), ""},
		"both names":    {good + EnvConnection + "=s\n", ""},
		"two lanes":     {good + EnvConnection + "=t\n", CodeInvalid},
		"twice":         {good + "PDPP_LOCAL_DEVICE_TOKEN=s3cret2\n", CodeInvalid},
		"no token":      {strings.ReplaceAll(good, "s3cret", ""), CodeInvalid},
		"no lane":       {strings.ReplaceAll(good, "_ID=s", "_ID="), CodeInvalid},
		"open quote":    {strings.ReplaceAll(good, "s3cret", "\"s3cret"), CodeInvalid},
		"no assignment": {good + "s3cret\n", CodeInvalid},
		"a control":     {strings.ReplaceAll(good, "s3cret", "s3\x00cret"), CodeInvalid},
		"plain http":    {strings.ReplaceAll(good, "https://", "http://"), CodeAddress},
		"in an address": {strings.ReplaceAll(good, "https://", "https://s3cret@"), CodeAddress},
		"empty":         {"", CodeInvalid},
	} {
		p, err := Parse("x", tc.text)
		switch {
		case tc.code == "" && (err != nil || p.Token.Reveal() != "s3cret" || p.SourceInstanceID != "s" || p.BaseURL != "https://host.example"):
			t.Errorf("%s: %+v, %v", name, p, err)
		case tc.code != "" && abi.CodeOf(err) != tc.code:
			t.Errorf("%s: %v", name, err)
		case err != nil && strings.Contains(shown(err), "s3cret"):
			t.Errorf("%s: the error repeats it: %v", name, err)
		}
	}
}

func TestProfileFromEnv(t *testing.T) {
	t.Parallel()
	env := map[string]string{}
	get := func(name string) string { return env[name] }
	if p, err := FromEnv(get); p != nil || err != nil {
		t.Errorf("nothing is set: %v %v", p, err)
	}
	env[EnvSourceInstance] = "s"
	if p, err := FromEnv(get); p != nil || err != nil {
		t.Errorf("a lane's name alone is no profile: %v %v", p, err)
	}
	env[EnvDeviceToken] = "s3cret"
	if _, err := FromEnv(get); abi.CodeOf(err) != CodeInvalid || strings.Contains(shown(err), "s3cret") {
		t.Errorf("a part: %v", err)
	}
	env[EnvBaseURL], env[EnvDeviceID], env[EnvConnector] = "https://host.example", "d", "codex"
	if p, err := FromEnv(get); err != nil || p.Name != "" || p.Token.Reveal() != "s3cret" {
		t.Errorf("%+v %v", p, err)
	}
}

// FuzzParseProfile holds that a profile that was read is written and read back as
// the same one, and that no error repeats what stood in the file.
func FuzzParseProfile(f *testing.F) {
	f.Add("PDPP_REFERENCE_BASE_URL=https://h.example\nPDPP_LOCAL_DEVICE_ID=d\nPDPP_LOCAL_DEVICE_TOKEN='a b'\nPDPP_CONNECTION_ID=s\nPDPP_CONNECTOR_ID=c")
	f.Add("export A=\"\n=\n#\n'\n")
	f.Fuzz(func(t *testing.T, text string) {
		const canary = "c4n4ryc4n4ry"
		if _, err := Parse("x", text+"\nPDPP_LOCAL_DEVICE_TOKEN="+canary); err != nil && strings.Contains(shown(err), canary) {
			t.Errorf("the error repeats the credential: %v", err)
		}
		p, err := Parse("x", text)
		if err != nil {
			return
		}
		written, err := p.Text()
		if err != nil {
			return // a value of every quote there is; it is refused before it is saved
		}
		back, err := Parse("x", written)
		if err != nil || !reflect.DeepEqual(back, p) {
			t.Errorf("%q came back as %+v, %v", text, back, err)
		}
	})
}

// shown is an error as a log or a screen may show it, with what it wraps.
func shown(err error) (all string) {
	for ; err != nil; err = errors.Unwrap(err) {
		all += fmt.Sprintf("%v %+v %#v %q", err, err, err, err)
	}
	return all
}
