package console

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// describers are the linters of the description of the API, the generators of clients, and what these clients run with, as npm
// has them.
var describers = []string{
	"@stoplight/spectral-cli@6.16.3", "openapi-typescript@7.13.0", "typescript@5.9.3", "@types/node@22.19.1", "@hey-api/openapi-ts@0.95.0", "orval@8.38.0",
	"openapi-fetch@0.17.0", "esbuild@0.28.2", conformanceRuntime,
}

// goGenerator makes a client in Go, which its runtime runs with.
const (
	goProgram   = "github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen"
	goGenerator = goProgram + "@v2.8.2"
	goRuntime   = "github.com/oapi-codegen/runtime@v1.9.0"
)

// clientsOptions are strict, and look into what was generated as well.
const clientsOptions = `{"compilerOptions":{"strict":true,"noEmit":true,"target":"es2022","module":"esnext","moduleResolution":"bundler",` +
	`"lib":["es2022","dom","dom.iterable"],"skipLibCheck":false,"types":["node"]},"include":["made/**/*.ts","*.ts"]}`

// clientSays is what a client prints of what it was answered.
type clientSays struct {
	Connections int              `json:"connections"`
	Listed      []map[string]any `json:"listed"`
	Filtered    []string         `json:"filtered"`
	Changes     []string         `json:"changes"`
	Since       int              `json:"since"` // changes behind the last one
}

// The description of the API has nothing that linters find. Three generators of TypeScript and one of Go make clients of it that
// compile, and that list, filter and follow changes.
func TestClientsAreMadeOfTheDescription(t *testing.T) {
	t.Parallel()
	if !*withConformance {
		t.Skip("make conformance runs it")
	}
	modules := installed(t, "@redocly/cli", "2.77.0", describers...)
	dir, owner := t.TempDir(), collected(t)
	owner.Claim()
	resp, err := http.Get(owner.Origin() + "/v1/openapi.json") //nolint:noctx // the test's own host
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("got %d, %v, want the description without a token", resp.StatusCode, err)
	}
	if err := os.CopyFS(dir, os.DirFS("testdata/clients")); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		"api.json": string(text), ".spectral.json": `{"extends":["spectral:oas"]}`, "tsconfig.json": clientsOptions, "package.json": `{"type":"module"}`, "go.mod": "module clients\n\ngo 1.26\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(modules, filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(dir, "main.go.txt"), filepath.Join(dir, "main.go")); err != nil {
		t.Fatal(err)
	}
	token := strings.TrimSpace(owner.Says(0, "tokens", "create", "clients", "--scope", "read"))
	env := append(os.Environ(), "PATH="+filepath.Join(modules, "node", "bin")+":"+filepath.Join(modules, ".bin")+":"+os.Getenv("PATH"), "REDOCLY_TELEMETRY=off",
		"GOFLAGS=-mod=mod", "CGO_ENABLED=0", "ORIGIN="+owner.Origin(), "TOKEN="+token)
	run := func(command string) (string, error) {
		words := strings.Fields(command)
		program := words[0]
		if program != "go" {
			program = filepath.Join(modules, ".bin", program)
		}
		cmd := exec.CommandContext(t.Context(), program, words[1:]...) //nolint:gosec // pinned
		cmd.Dir, cmd.Env = dir, env
		said, err := cmd.CombinedOutput()
		return string(said), err
	}
	if said, err := run("go get " + goGenerator + " " + goRuntime); err != nil {
		t.Skipf("NOT MEASURED WITH A CLIENT IN GO: its modules cannot be fetched here: %v\n%s", err, said)
	}
	for _, tool := range []struct{ command, refuses string }{
		{"spectral lint api.json --fail-severity=hint", ""},
		{"redocly lint api.json", "warning"},
		{"openapi-typescript api.json -o made/types.ts", ""},
		{"openapi-ts -i api.json -o made/hey -c @hey-api/client-fetch", ""},
		{"orval --input api.json --output made/orval.ts --client fetch", ""},
		{"tsc -p .", ""},
		{"esbuild fetch.ts hey.ts orval.ts --bundle --platform=node --format=esm --outdir=built --out-extension:.js=.mjs", ""},
		{"go run " + goProgram + " -config oapi-codegen.yaml api.json", ""},
		{"go build -o built/clients .", ""},
	} {
		if said, err := run(tool.command); err != nil || tool.refuses != "" && strings.Contains(strings.ToLower(said), tool.refuses) {
			t.Fatalf("%s: got %v and %s, want nothing found", tool.command, err, said)
		}
	}
	var first clientSays
	for _, client := range []string{"node built/fetch.mjs", "node built/hey.mjs", "node built/orval.mjs", "go run ."} {
		said, err := run(client)
		var got clientSays
		if at := strings.IndexByte(said, '{'); err != nil || at < 0 || json.Unmarshal([]byte(said[at:]), &got) != nil { // behind a warning, if there is one
			t.Errorf("%s: got %v and %s, want what it was answered", client, err, said)
			continue
		}
		for _, r := range got.Listed {
			if r["id"] == nil || r["language"] == nil || len(r) > 3 { // and full_name, which the schema requires
				t.Errorf("%s: got the fields %v, want the two that were asked for", client, r)
			}
		}
		if got.Connections != 1 || len(got.Listed) != 12 || len(got.Filtered) != 1 || len(got.Changes) != 12 || got.Since != 0 {
			t.Errorf("%s: got %+v, want one connection, twelve repositories and changes, one of a name, and nothing since", client, got)
		}
		slices.Sort(got.Changes)
		if first.Listed == nil {
			first = got
		} else if !reflect.DeepEqual(first, got) {
			t.Errorf("%s: got %+v, want %+v as the first client", client, got, first)
		}
	}
}
