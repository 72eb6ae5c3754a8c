package house_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// everything in a room's list lets it import all of the project: wiring.
const everything = "*"

// rooms says which folders of the project each room may import, its own aside.
// abi stands in every list: it is the vocabulary, and the one error shape.
// abi/manifest is abi's, for the rooms that read a manifest's bytes, and abi/device
// what a collector on a device and its host say to each other.
var rooms = map[string][]string{
	"abi":             {},
	"abi/manifest":    {"abi"},
	"abi/device":      {"abi"},
	"abi/declaration": {"abi"},
	"sdk":             {"abi"},
	"sdk/sdktest":     {"abi", "abi/manifest", "sdk"},
	"plugins":         {"abi", "sdk"},
	"health":          {"abi"},
	// The rooms of the store, each below those that it may import. The others of the project
	// import storage alone.
	"storage/internal":   {"abi", "abi/device", "abi/manifest", "health"},
	"storage/question":   {"abi", "storage/internal"},
	"storage/notice":     {"abi", "storage/internal"},
	"storage/access":     {"abi", "storage/internal"},
	"storage/read":       {"abi", "storage/internal"},
	"storage/evidence":   {"abi", "abi/device", "abi/manifest", "health", "storage/internal"},
	"storage/record":     {"abi", "health", "storage/internal", "storage/evidence"},
	"storage/credential": {"abi", "health", "storage/internal", "storage/evidence"},
	"storage/run":        {"abi", "abi/manifest", "health", "storage/internal", "storage/evidence", "storage/record", "storage/credential", "storage/question"},
	"storage/connection": {"abi", "health", "storage/internal", "storage/evidence", "storage/credential", "storage/read", "storage/run"},
	"storage/device":     {"abi", "abi/device", "abi/manifest", "health", "storage/internal", "storage/evidence", "storage/record", "storage/run"},
	"storage/outbox":     {"abi", "abi/device", "health", "storage/internal", "storage/evidence", "storage/record", "storage/run"},
	"storage": {
		"abi", "abi/device", "abi/manifest", "health", "storage/internal", "storage/access", "storage/evidence", "storage/record", "storage/credential",
		"storage/run", "storage/connection", "storage/device", "storage/notice", "storage/outbox", "storage/question", "storage/read",
	},
	"host/plugin":   {"abi", "abi/manifest"},
	"host/boundary": {"abi"},
	"host/run":      {"abi", "abi/manifest", "host/boundary", "host/browser/handoff", "host/plugin", "storage"},
	"host/replay":   {"abi", "host/plugin"},
	"host/send":     {"abi"},
	"host/files":    {"abi"},
	"host/leftover": {"abi", "abi/manifest", "storage"},
	// Shares of strangers.
	"host/fair": {},
	// A file replaced as a whole.
	"host/atomicfile": {},
	"host/browser":    {"abi", "host/browser/handoff"},
	"host/interact":   {"abi"},
	"host/vault":      {"abi", "host/atomicfile"},
	"host/notify":     {"abi", "host/send"},
	"host/schedule":   {"abi", "health", "storage"},
	"host/read":       {"abi", "abi/declaration", "storage"},
	"host/grant":      {"abi", "abi/declaration", "abi/manifest", "host/read", "storage"},
	// A page in its owner's hands, without a browser: what faces show of it.
	"host/browser/handoff": {"abi"},
	// The rooms of the collector, each below those that it may import.
	"host/collector/posture":      {},
	"host/collector/profile":      {"abi", "host/atomicfile"},
	"host/collector/completeness": {"abi", "abi/device"},
	"host/collector/client":       {"abi", "abi/device", "host/collector/posture", "host/collector/profile", "host/run", "storage"},
	"host/collector/delivery":     {"abi", "abi/device", "host/collector/client", "storage"},
	"host/collector": {
		"abi", "abi/device", "abi/manifest", "host/atomicfile", "host/collector/client", "host/collector/completeness", "host/collector/delivery", "host/collector/posture",
		"host/collector/profile", "host/leftover", "host/plugin", "host/run", "storage",
	},
	"host/api":          {"abi", "abi/device", "abi/manifest", "health", "host/boundary", "host/fair", "host/public", "host/schedule", "host/web", "storage"},
	"host/public":       {"abi", "abi/manifest"},
	"host/api/wire":     {"host/fair"},
	"host/api/oauth":    {"abi", "host/api/wire", "host/fair", "host/grant", "host/read", "host/web"},
	"host/api/mcp":      {"host/api/records", "host/api/wire", "host/read"},
	"host/api/metrics":  {"abi", "host/owner", "host/run", "host/web"},
	"host/api/records":  {"abi", "abi/declaration", "health", "host/api/wire", "host/fair", "host/owner", "host/read", "host/web"},
	"host/api/ownerapi": {"abi", "health", "host/api/wire", "host/fair", "host/grant", "host/leftover", "host/owner", "host/schedule", "host/web"},
	"host/web":          {"abi", "host/owner"},
	"host/console":      {"abi", "abi/manifest", "health", "host/grant", "host/leftover", "host/owner", "host/web"},
	"host/config":       {"abi"},
	"host/owner": {
		"abi", "abi/manifest", "abi/device", "health", "host/atomicfile", "host/boundary", "host/browser/handoff", "host/collector", "host/config", "host/fair", "host/files", "host/grant", "host/interact", "host/leftover", "host/notify", "host/plugin", "host/public", "host/read", "host/replay", "host/run", "abi/declaration", "host/schedule", "host/send", "host/vault", "storage",
	},
	"testplugins": {everything},
	"cmd":         {everything},
}

// faces are the folders that parse what was asked for, call an operation and show its
// result. None of them imports the store.
var faces = []string{
	"host/web", "host/console", "host/api/oauth", "host/api/ownerapi", "host/api/records", "host/api/mcp", "host/api/metrics",
	"cmd/pdpp-host/internal/audit", "cmd/pdpp-host/internal/clients", "cmd/pdpp-host/internal/config", "cmd/pdpp-host/internal/connections", "cmd/pdpp-host/internal/debug", "cmd/pdpp-host/internal/devices",
	"cmd/pdpp-host/internal/doctor", "cmd/pdpp-host/internal/grants", "cmd/pdpp-host/internal/mcp", "cmd/pdpp-host/internal/metrics", "cmd/pdpp-host/internal/owner", "cmd/pdpp-host/internal/notifications", "cmd/pdpp-host/internal/plugins", "cmd/pdpp-host/internal/questions", "cmd/pdpp-host/internal/records", "cmd/pdpp-host/internal/run", "cmd/pdpp-host/internal/runs", "cmd/pdpp-host/internal/serve", "cmd/pdpp-host/internal/show", "cmd/pdpp-host/internal/status", "cmd/pdpp-host/internal/store", "cmd/pdpp-host/internal/tokens",
	"cmd/pdpp-host/internal/version",
}

// standardOnly are the rooms that link nothing but the standard library: what
// runs inside a guest, and what must stay pure.
var standardOnly = []string{"abi", "sdk", "plugins", "health"}

// owners says which rooms alone may import a library.
var owners = map[string][]string{
	"github.com/tetratelabs/wazero":    {"host/plugin"},
	"github.com/extism/":               {"host/plugin"},
	"github.com/go-rod/":               {"host/browser", "testplugins"},
	"github.com/uptrace/bun":           {"storage"},
	"github.com/jackc/pgx":             {"storage", "testplugins"},
	"github.com/spf13/viper":           {"host/config", "cmd"},
	"github.com/go-webauthn/":          {"host/owner"},
	"github.com/VictoriaMetrics/":      {"host/api/metrics"},
	"github.com/modelcontextprotocol/": {"host/api/mcp", "cmd"}, // of cmd the tests alone
	"golang.org/x/net/html":            {markupPackage, "testplugins"},
	"golang.org/x/net/publicsuffix":    {"host/plugin"},
}

// topLevel is everything that may stand at the top of the project. CONTRIBUTING.md
// stands there because newcomers and code hosts look for it there.
var topLevel = []string{
	"abi", "cmd", "health", "host", "plugins", "sdk", "storage", "testplugins",
	"docs", "examples", ".ci", "go.mod", "go.sum", "Makefile", "README.md", "CONTRIBUTING.md", "LICENSE", ".gitattributes", ".gitignore", ".golangci.yml",
}

// roomOf returns the room that a folder belongs to: the longest that holds it.
func roomOf(folder string) (room string, ok bool) {
	for r := range rooms {
		if within(folder, r) && len(r) >= len(room) {
			room, ok = r, true
		}
	}
	return room, ok
}

// arrow says why a folder may not import another of the project; "" when it may.
func arrow(from, to string) string {
	a, ok := roomOf(from)
	if !ok {
		return from + " is not in a known room"
	}
	b, ok := roomOf(to)
	switch {
	case !ok:
		return to + " is not in a known room"
	case slices.ContainsFunc(faces, func(face string) bool { return within(from, face) }) && within(to, "storage"):
		return from + " is a face, and may not import " + to
	case a == b, slices.Contains(rooms[a], everything), slices.Contains(rooms[a], b):
		return ""
	default:
		return a + " may not import " + b
	}
}

// library says why a folder may not import a library; "" when it may. Tests
// may use more libraries than what they test, but not another room's own.
func library(from, path string, test bool) string {
	room, _ := roomOf(from)
	for prefix, owned := range owners {
		if !strings.HasPrefix(path, prefix) {
			continue
		}
		if !slices.ContainsFunc(owned, func(o string) bool { return within(from, o) }) {
			return "only " + strings.Join(owned, " and ") + " may import " + path
		}
	}
	standard := !strings.Contains(strings.Split(path, "/")[0], ".")
	ofMarkup := from == markupPackage && path == "golang.org/x/net/html"
	if !test && !standard && !ofMarkup && slices.ContainsFunc(standardOnly, func(r string) bool { return within(room, r) }) {
		return room + " links the standard library only, and imports " + path
	}
	return ""
}

func TestTopLevel(t *testing.T) {
	t.Parallel()
	for _, f := range projectFiles(t) {
		if first, _, _ := strings.Cut(f, "/"); !slices.Contains(topLevel, first) {
			t.Errorf("%s stands at the top level of the project", first)
		}
	}
}

func TestEveryPackageIsInARoom(t *testing.T) {
	t.Parallel()
	for _, f := range goFiles(t) {
		if _, ok := roomOf(folderOf(f)); !ok {
			t.Errorf("%s is in no room", f)
		}
	}
}

// OC-01.3: a room imports what its row allows, and a face no store.
func TestImportsGoOneWay(t *testing.T) {
	t.Parallel()
	for _, file := range goFiles(t) {
		_, f := parse(t, file)
		for _, path := range imports(f) {
			why := ""
			if to, ours := strings.CutPrefix(path, module+"/"); !ours {
				why = library(folderOf(file), path, isTest(file))
			} else if !isTest(file) {
				why = arrow(folderOf(file), to)
			}
			if why != "" {
				t.Errorf("%s: %s", file, why)
			}
		}
	}
}

// The rules themselves: what they let pass and what they stop.
func TestImportRules(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		from, to string
		allowed  bool
	}{
		{"abi", "abi/manifest", false},
		{"abi/manifest", "abi", true},
		{"host/run", "storage", true},
		{"host/run", "abi/manifest", true},
		{"storage", "host/run", false},
		{"storage/internal/db", "abi", true},
		{"host/plugin/internal/wire", "host/plugin", true},
		{"host/plugin", "host/run", false},
		{"host/boundary", "storage", false},
		{"plugins/calendar_files", "sdk", true},
		{"plugins/calendar_files", "host/run", false},
		{"sdk", "abi/manifest", false},
		{"sdk/sdktest", "sdk", true},
		{"sdk", "sdk/sdktest", false},
		{"health/verdict", "health", true},
		{"health", "storage", false},
		{"cmd/pdpp-host", "host/run", true},
		{"cmd/pdpp-host", "storage", true},
		{"cmd/pdpp-host/internal/connections", "host/owner", true},
		{"cmd/pdpp-host/internal/connections", "storage", false},
		{"host/owner", "host/schedule", true},
		{"host/owner", "cmd/internal/output", false},
		{"storage", "host/owner", false},
		{"host/collector", "host/collector/client", true},
		{"host/collector/delivery", "host/collector/client", true},
		{"host/collector/client", "host/collector/delivery", false},
		{"host/collector/profile", "host/collector", false},
		{"testplugins/bench", "host/plugin", true},
		{"host/cloud", "abi", false},
		{"host/run", "host/cloud", false},
		{"host/owner", "host/browser/handoff", true},
		{"host/owner", "host/browser", false},
		{"abigail", "abi", false},
	} {
		if why := arrow(c.from, c.to); (why == "") != c.allowed {
			t.Errorf("%s -> %s: %q", c.from, c.to, why)
		}
	}
	for _, c := range []struct {
		from, path string
		test       bool
		allowed    bool
	}{
		{"host/plugin", "github.com/tetratelabs/wazero/api", false, true},
		{"host/plugin/internal/guest", "github.com/extism/go-sdk", false, true},
		{"host/run", "github.com/tetratelabs/wazero", true, false},
		{"host/run", "github.com/uptrace/bun", false, false},
		{"storage", "github.com/uptrace/bun/dialect/sqlitedialect", false, true},
		{"host/browser", "github.com/go-rod/rod", false, true},
		{"cmd/pdpp-host", "github.com/spf13/viper", false, true},
		{"host/run", "github.com/spf13/viper", false, false},
		{"sdk", "golang.org/x/text", false, false},
		{"sdk", "pgregory.net/rapid", true, true},
		{"sdk/markup", "golang.org/x/net/html", false, true},
		{"sdk/markup", "golang.org/x/text", false, false},
		{"sdk/csv", "golang.org/x/net/html", false, false},
		{"plugins/calendar_files", "golang.org/x/net/html", false, false},
		{"plugins/codex", "strings", false, true},
	} {
		if why := library(c.from, c.path, c.test); (why == "") != c.allowed {
			t.Errorf("%s -> %s: %q", c.from, c.path, why)
		}
	}
}

// The programs link the messages of go-rod, and nothing of it that downloads or starts a
// browser (BR-04.2, RT-02).
func TestNoLauncherIsLinked(t *testing.T) {
	t.Parallel()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-deps", "./cmd/...")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	const messages = "github.com/go-rod/rod/lib/proto"
	linked := strings.Fields(string(out))
	if !slices.Contains(linked, messages) {
		t.Errorf("%s is not linked, want it: else the test looks at nothing", messages)
	}
	for _, dep := range linked {
		if strings.HasPrefix(dep, "github.com/go-rod/") && dep != messages || strings.HasPrefix(dep, "github.com/ysmood/") && dep != "github.com/ysmood/gson" {
			t.Errorf("%s is linked, want no more of go-rod than %s", dep, messages)
		}
	}
}
