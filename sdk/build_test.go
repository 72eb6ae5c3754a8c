package sdk_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
)

// goTool runs the go command for the guest's platform.
func goTool(t *testing.T, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0", "GOFLAGS=")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// A guest exports the ABI and imports the calls of the table, and no others; it imports
// file calls only when it asks for a root.
func TestGuestModule(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds three modules")
	}
	var calls, files []string
	for _, c := range abi.Calls {
		calls = append(calls, abi.ImportModule+"."+c.Name)
	}
	for _, name := range abi.WASI {
		calls = append(calls, abi.WASIModule+"."+name)
	}
	for _, name := range abi.WASIFilesystem {
		files = append(files, abi.WASIModule+"."+name)
	}
	for _, guest := range []string{"plain", "files", "archive"} {
		t.Run(guest, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), guest+".wasm")
			goTool(t, "build", "-buildmode=c-shared", "-ldflags=-s -w", "-o", path, "./testdata/guests/"+guest)
			imports, exports := moduleNames(t, path)
			for _, name := range []string{abi.ExportMemory, abi.ExportInitialize, abi.ExportVersion, abi.ExportDescribe, abi.ExportCollect} {
				if !slices.Contains(exports, name) {
					t.Errorf("%s is not exported, want every export of the ABI", name)
				}
			}
			usesFiles := false
			for _, name := range imports {
				isFile := slices.Contains(files, name)
				usesFiles = usesFiles || isFile
				if !slices.Contains(calls, name) && !isFile {
					t.Errorf("%s is imported, want no call outside the table", name)
				}
			}
			if usesFiles != (guest != "plain") {
				t.Errorf("file calls are imported: %v, want %v", usesFiles, guest != "plain")
			}
			module, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Contains(module, []byte("strconv.")) { // names of functions, for traces
				t.Error("the module names no function of strconv, want the names of its functions")
			}
			if bytes.Contains(module, []byte("fmt.(*pp)")) {
				t.Error("fmt is linked, want a guest without it")
			}
			if guest != "plain" {
				return
			}
			for _, c := range abi.Calls { // plain uses them all but two, which an older host refuses
				name := abi.ImportModule + "." + c.Name
				if got, want := slices.Contains(imports, name), c.Name != "enumerate" && c.Name != "account"; got != want {
					t.Errorf("%s is imported: got %v, want %v", name, got, want)
				}
			}
		})
	}
}

// moduleNames reads the import and export sections of a module.
func moduleNames(t *testing.T, path string) (imports, exports []string) {
	t.Helper()
	m, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	number := func() int {
		n, size := binary.Uvarint(m)
		if size <= 0 {
			t.Fatal("the module is cut off")
		}
		m = m[size:]
		return int(n)
	}
	name := func() string {
		n := number()
		s := string(m[:n])
		m = m[n:]
		return s
	}
	for m = m[8:]; len(m) > 0; {
		section := m[0]
		m = m[1:]
		size := number()
		rest := m[size:]
		switch section {
		case 2:
			for range number() {
				from := name()
				imports = append(imports, from+"."+name())
				if m[0] != 0 {
					t.Fatalf("import %s is not a function, want functions only", imports[len(imports)-1])
				}
				m = m[1:]
				number()
			}
		case 7:
			for range number() {
				exports = append(exports, name())
				m = m[1:]
				number()
			}
		}
		m = rest
	}
	return imports, exports
}
