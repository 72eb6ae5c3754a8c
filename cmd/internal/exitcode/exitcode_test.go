package exitcode

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
)

func TestOf(t *testing.T) {
	t.Parallel()
	interrupted := abi.NewError(abi.CodeInterrupted, "stopped", "")
	for _, tc := range []struct {
		err  error
		want int
	}{
		{nil, OK},
		{errors.New("anything"), Internal},
		{abi.NewError(abi.CodeUsage, "", ""), Usage},
		{fmt.Errorf("wrapped: %w", abi.NewError(abi.CodeConfigUnknownKey, "", "")), Usage},
		{abi.NewError(abi.CodeRunUnknown, "", ""), Usage},
		{abi.NewError(abi.CodePluginUnknown, "", ""), Refused},
		{abi.NewError(abi.CodeRootMissing, "", ""), Refused},
		{abi.NewError(abi.CodeBindingMissing, "", ""), Refused},
		{abi.NewError(abi.CodeBrowserRuntime, "", ""), Refused}, // T15
		{abi.NewError(abi.CodeConnectionBusy, "", ""), Refused},
		{abi.NewError(abi.CodeStoreNewer, "", ""), Refused},
		{abi.NewError(abi.CodeStoreFull, "", ""), Internal},
		{abi.NewError(abi.CodeExportFailed, "", ""), Internal},
		{abi.NewError(abi.CodeCacheUnavailable, "", ""), Internal},
		{abi.NewError(abi.CodeFenced, "", ""), Failed},
		{abi.NewError(abi.CodeLimitTime, "", ""), Failed},
		{abi.NewError(abi.CodeOwnerNeeded, "", ""), OwnerNeeded},
		{interrupted, Interrupted},
		{abi.NewError(abi.CodeStoreUnavailable, "", "").Wrap(interrupted), Interrupted},
		{fmt.Errorf("read: %w", context.Canceled), Interrupted},
		{&Ended{Err: abi.NewError("github_auth_failed", "", "")}, Failed},
		{&Ended{Err: abi.NewError(abi.CodeStoreFull, "", "")}, Failed},
		{&Ended{Err: abi.NewError("github_auth_failed", "", ""), OwnerNeeded: true}, OwnerNeeded},
		{&Ended{Err: interrupted, Cancelled: true}, Interrupted},
		{&Ended{Err: abi.NewError("lane.gaps", "", ""), Gaps: true}, Gaps},
		{&Ended{Err: interrupted, Cancelled: true, Gaps: true}, Interrupted},
		{abi.NewError("profile.missing", "", ""), Refused},
		{abi.NewError("profile.invalid", "", ""), Usage},
		{abi.NewError("delivery.unauthorized", "", ""), Failed},
		{abi.NewError("doctor.critical", "", ""), Critical},
	} {
		if got := Of(tc.err); got != tc.want {
			t.Errorf("%v: %d, want %d", tc.err, got, tc.want)
		}
	}
}

// Every code has a status that somebody chose: a new area must be added here.
func TestEveryCodeIsClassified(t *testing.T) {
	t.Parallel()
	n := 0
	for _, room := range []string{"abi", "host"} {
		err := filepath.WalkDir(filepath.Join("../../..", room), func(path string, _ fs.DirEntry, err error) error {
			if err == nil && filepath.Base(path) == "codes.go" {
				n += classified(t, path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if want := 150; n < want {
		t.Errorf("got %d codes, want at least %d", n, want)
	}
}

// classified looks at the codes of one file and counts them.
func classified(t *testing.T, path string) (n int) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(node ast.Node) bool {
		if _, imports := node.(*ast.ImportSpec); imports {
			return false
		}
		lit, ok := node.(*ast.BasicLit)
		if !ok || lit.Kind != token.STRING {
			return true
		}
		code, err := strconv.Unquote(lit.Value)
		if err != nil || !strings.Contains(code, ".") || strings.Contains(code, " ") {
			return true
		}
		n++
		area, _, _ := strings.Cut(code, ".")
		if _, ok := areas[area]; !ok {
			t.Errorf("no exit status for the area of %s", code)
		}
		return true
	})
	return n
}
