package corpus

import (
	"crypto/sha256"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// digest hashes names, times and contents of a folder.
func digest(t *testing.T, dir string) [32]byte {
	t.Helper()
	h := sha256.New()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		b, err := os.ReadFile(path)
		h.Write([]byte(strings.TrimPrefix(path, dir) + info.ModTime().UTC().String()))
		h.Write(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return [32]byte(h.Sum(nil))
}

func TestWriteIsDeterministicAndOfSize(t *testing.T) {
	t.Parallel()
	for _, kind := range Kinds() {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			var sums [3][32]byte
			for i, seed := range []uint64{7, 7, 8} {
				dir := filepath.Join(t.TempDir(), "home")
				stats, err := Write(Options{Kind: kind, Bytes: 300_000, Dir: dir, Seed: seed})
				if err != nil {
					t.Fatal(err)
				}
				if stats.Bytes < 300_000 || stats.Bytes > 1_500_000 {
					t.Errorf("%d bytes, want about 300000", stats.Bytes)
				}
				sums[i] = digest(t, dir)
			}
			if sums[0] != sums[1] || sums[0] == sums[2] {
				t.Error("the bytes do not depend on the seed alone")
			}
		})
	}
}

func TestTranscriptLinesAreJSON(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"claude_code", "codex"} {
		dir := t.TempDir()
		if _, err := Write(Options{Kind: kind, Bytes: 200_000, Dir: dir}); err != nil {
			t.Fatal(err)
		}
		err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".jsonl") {
				return err
			}
			b, err := os.ReadFile(path)
			for line := range strings.Lines(string(b)) {
				if !json.Valid([]byte(line)) {
					t.Errorf("%s: not JSON: %.200s", path, line)
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestWriteRefuses(t *testing.T) {
	t.Parallel()
	full := t.TempDir()
	if err := os.WriteFile(filepath.Join(full, "x"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, o := range map[string]Options{
		"unknown kind": {Kind: "mbox", Dir: t.TempDir()},
		"no folder":    {Kind: "calendar_files"},
		"not empty":    {Kind: "calendar_files", Dir: full},
	} {
		if _, err := Write(o); err == nil {
			t.Errorf("%s: no error, want one", name)
		}
	}
}

func TestParseSize(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]int64{"500MB": 5e8, "2 gb": 2e9, "10kB": 1e4, "7": 7, "8B": 8, "": -1, "x": -1, "-1": -1, "1e3": -1, "99999999GB": -1} {
		got, err := ParseSize(in)
		if err != nil {
			got = -1
		}
		if got != want {
			t.Errorf("ParseSize(%q) = %d, want %d", in, got, want)
		}
	}
}
