package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// verdict is what the tests of a room said of a mutation.
type verdict int

const (
	noticed   verdict = iota // a test failed, or did not end
	unnoticed                // every test passed
	unbuilt                  // it does not compile, so it is none
)

// onServer is how many times as long as on a file the tests of the store may take on a server.
const onServer = 5

// try runs a room's tests with a mutation, which is undone by being nowhere but in an overlay.
func try(ctx context.Context, root string, c *candidate, timeout time.Duration) (verdict, error) {
	file, err := filepath.Abs(filepath.Join(root, filepath.FromSlash(c.file)))
	if err != nil {
		return noticed, err
	}
	src, err := os.ReadFile(file)
	if err != nil {
		return noticed, err
	}
	dir, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return noticed, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	changed, overlay := filepath.Join(dir, "changed.go"), filepath.Join(dir, "overlay.json")
	list, err := json.Marshal(map[string]map[string]string{"Replace": {file: changed}})
	if err != nil {
		return noticed, err
	}
	const mode = 0o600
	if err := errors.Join(os.WriteFile(changed, c.apply(src), mode), os.WriteFile(overlay, list, mode)); err != nil { //nolint:gosec // a folder of its own
		return noticed, err
	}
	r := c.room
	if strings.HasSuffix(c.file, "_server.go") {
		r.env = append(r.env, "PDPP_TESTS_ON_POSTGRES=1") // what a file alone has runs without it
		timeout *= onServer
	}
	out, err := goTest(ctx, root, r, timeout, "-overlay", overlay)
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		return noticed, err
	}
	return verdictOf(out, err != nil), ctx.Err()
}

// goTest runs the tests of a room once, and returns what they printed.
func goTest(ctx context.Context, root string, r room, timeout time.Duration, more ...string) (string, error) {
	args := append([]string{"test", "-count=1", "-vet=off", "-failfast", "-timeout", timeout.String()}, more...)
	cmd := exec.CommandContext(ctx, "go", append(args, r.args...)...) //nolint:gosec // the arguments are this program's
	cmd.Dir, cmd.Env = root, append(os.Environ(), r.env...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	return out.String(), err
}

// verdictOf reads what `go test` printed.
func verdictOf(out string, failed bool) verdict {
	switch {
	case !failed:
		return unnoticed
	case strings.Contains(out, "[build failed]"), strings.Contains(out, "[setup failed]"):
		return unbuilt
	default:
		return noticed
	}
}
