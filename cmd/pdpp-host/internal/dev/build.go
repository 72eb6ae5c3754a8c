package dev

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/scaffold"
)

// CodeBuild is the code of a source that does not build.
const CodeBuild = "plugin.build_failed"

// mostSaid is how much of a program's output is shown, in bytes.
const mostSaid = 16 << 10

// build builds the module of the source in dir, as its own Makefile does.
func build(ctx context.Context, dir, out string, tinyGo bool) error {
	args := scaffold.Build(out, tinyGo)
	cmd := exec.CommandContext(ctx, args[0], args[1:]...) //nolint:gosec // the arguments are ours
	cmd.Dir, cmd.Env = dir, append(os.Environ(), scaffold.Environment...)
	cmd.WaitDelay = time.Second
	said, err := cmd.CombinedOutput()
	if err == nil {
		return nil
	}
	if _, exited := errors.AsType[*exec.ExitError](err); exited {
		return abi.NewError(CodeBuild, "the module does not build", "mend what the compiler says").
			WithDetail(shown(said)).Wrap(err)
	}
	return abi.NewError(CodeBuild, args[0]+" cannot be started", "install it, or put it on the PATH").WithDetail(err.Error()).Wrap(err)
}

// shown is the beginning of what a program said.
func shown(said []byte) string { return strings.TrimSpace(string(said[:min(len(said), mostSaid)])) }

// ModuleName is the key that the manifest in dir gives the connector, "" where it gives none.
func ModuleName(dir string) string {
	text, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
	if err != nil {
		return ""
	}
	return keyOf(text)
}
