package console

import (
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// describers are the linters of the description of the API, and the generators of clients, as npm has them.
var describers = []string{
	"@stoplight/spectral-cli@6.16.3", "openapi-typescript@7.13.0", "typescript@5.9.3", "@hey-api/openapi-ts@0.95.0", "orval@7.13.2", conformanceRuntime,
}

// clientsOptions are strict, and look into what was generated as well.
const clientsOptions = `{"compilerOptions":{"strict":true,"noEmit":true,"target":"es2022","module":"esnext","moduleResolution":"bundler",` +
	`"lib":["es2022","dom","dom.iterable"],"skipLibCheck":false,"types":[]},"include":["made/**/*.ts","uses.ts"]}`

// clientsUse lists, filters and follows changes by the types that openapi-typescript makes.
const clientsUse = `import type { paths } from "./made/types";
type Query<P extends keyof paths> = paths[P] extends { get: { parameters: { query?: infer Q } } } ? Q : never;
export const listed: Query<"/v1/owner/connections"> = { limit: 10, connector_id: "github" };
export const followed: Query<"/v1/streams/{stream}/records"> = { limit: 5, changes_since: "beginning" };
`

// The description of the API has nothing that linters find, and three generators make clients of it that compile.
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
	for name, content := range map[string]string{"api.json": string(text), ".spectral.json": `{"extends":["spectral:oas"]}`, "tsconfig.json": clientsOptions, "uses.ts": clientsUse} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, tool := range []struct{ command, refuses string }{
		{"spectral lint api.json --fail-severity=hint", ""},
		{"redocly lint api.json", "warning"},
		{"openapi-typescript api.json -o made/types.ts", ""},
		{"openapi-ts -i api.json -o made/hey -c @hey-api/client-fetch", ""},
		{"orval --input api.json --output made/orval.ts --client fetch", ""},
		{"tsc -p .", ""},
	} {
		words := strings.Fields(tool.command)
		cmd := exec.CommandContext(t.Context(), filepath.Join(modules, ".bin", words[0]), words[1:]...) //nolint:gosec // pinned
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "PATH="+filepath.Join(modules, "node", "bin")+":"+os.Getenv("PATH"), "REDOCLY_TELEMETRY=off")
		if said, err := cmd.CombinedOutput(); err != nil || tool.refuses != "" && strings.Contains(strings.ToLower(string(said)), tool.refuses) {
			t.Errorf("%s: got %v and %s, want nothing found", tool.command, err, said)
		}
	}
}
