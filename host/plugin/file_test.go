package plugin

import (
	"net"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
)

func TestOpen(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	write := func(name string, b []byte) {
		if err := os.WriteFile(at(name), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("good.wasm", []byte("abc"))
	write("empty.wasm", nil)
	write("large.wasm", make([]byte, 1001))
	if err := os.Symlink("good.wasm", at("link.wasm")); err != nil {
		t.Skip(err)
	}
	if err := os.Mkdir(at("dir.wasm"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := mkfifo(at("pipe.wasm")); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", at("socket.wasm"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close() //nolint:errcheck // a test
	// A sparse file of 1 GB is refused by its size, unread.
	write("sparse.wasm", nil)
	if err := os.Truncate(at("sparse.wasm"), 1<<30); err != nil {
		t.Fatal(err)
	}
	for name, code := range map[string]abi.Code{
		"missing.wasm": abi.CodePluginUnknown,
		"empty.wasm":   abi.CodePluginEmpty,
		"large.wasm":   abi.CodePluginTooLarge,
		"sparse.wasm":  abi.CodePluginTooLarge,
		"link.wasm":    abi.CodePluginNotRegular,
		"dir.wasm":     abi.CodePluginNotRegular,
		"pipe.wasm":    abi.CodePluginNotRegular,
		"socket.wasm":  abi.CodePluginNotRegular,
	} {
		_, err := Open(at(name), 1000)
		wantCode(t, err, code, name)
	}
	f, err := Open(at("good.wasm"), 3)
	if err != nil {
		t.Fatal(err)
	}
	const sum = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" // FIPS 180-2, B.1
	if f.Name != "good" || f.SHA256 != sum || f.Size != 3 || string(f.Bytes) != "abc" || f.Path != at("good.wasm") {
		t.Fatalf(`got %+v, want f.Name == "good" && f.SHA256 == sum && f.Size == 3 && string(f.Bytes) == "abc" && f.Path == at("good.wasm")`, f)
	}
}

func TestCheckDir(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for mode, ok := range map[os.FileMode]bool{0o700: true, 0o755: true, 0o775: true, 0o757: false, 0o777: false} {
		if err := os.Chmod(dir, mode); err != nil {
			t.Fatal(err)
		}
		err := CheckDir(dir)
		if info, _ := os.Stat(dir); ok && (err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != mode&^0o022) {
			t.Errorf("mode %v: %v, and it has mode %v now, want %v", mode, err, info.Mode().Perm(), mode&^0o022)
		} else if !ok {
			wantCode(t, err, abi.CodePluginsDirWritable, dir)
		}
	}
	if CheckDir(filepath.Join(dir, "missing")) == nil {
		t.Error("a missing folder passed")
	}
}
