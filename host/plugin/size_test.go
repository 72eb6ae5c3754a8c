package plugin

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
)

func TestLimitsAreShownAsGiven(t *testing.T) {
	t.Parallel()
	for n, want := range map[int64]string{
		5_000_000: "5 MB", 1 << 20: "1 MiB", 256 << 20: "256 MiB", 16 << 30: "16 GiB", 1500: "1500 bytes", 2000: "2 kB", 2048: "2 KiB",
	} {
		if got := sizeText(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}

// A hint names settings that exist.
func TestHintsOfLimits(t *testing.T) {
	t.Parallel()
	var e *abi.Error
	if !errors.As(overtime(time.Second), &e) || !strings.Contains(e.Hint, "limits.run,") {
		t.Errorf(`got %+v, want errors.As(overtime(time.Second), &e) && strings.Contains(e.Hint, "limits.run,")`, e)
	}
	d := &door{limits: Limits{LogBytes: 10}}
	if !errors.As(d.chargeLog(11), &e) || !strings.Contains(e.Hint, "limits.log_bytes ") || e.Detail != "the limit is 10 bytes" {
		t.Errorf(`got %+v, want errors.As(d.spendLog(11), &e) && strings.Contains(e.Hint, "limits.log_bytes ") && e.Detail == "the limit is 10 bytes"`, e)
	}
}

// A disk that is full or read-only, or a folder that was deleted, is the host's problem, not the module's.
func TestCompilingOnAFullDisk(t *testing.T) {
	t.Parallel()
	for _, cause := range []error{syscall.ENOSPC, syscall.EROFS, syscall.EACCES, syscall.ENOENT} {
		err := describeFailed(compileError(fmt.Errorf("compile: %w", &fs.PathError{Op: "write", Path: "x", Err: cause})), "")
		var e *abi.Error
		if !errors.As(err, &e) || e.Code != abi.CodeCacheUnavailable || !strings.Contains(e.Detail, cause.Error()) || !strings.Contains(e.Hint, "data_dir") {
			t.Errorf(`%v: got %+v, want errors.As(err, &e) && e.Code == abi.CodeCacheUnavailable && strings.Contains(e.Detail, cause.Error()) && strings.Contains(e.Hint, "data_dir")`, cause, e)
		}
	}
	if code := abi.CodeOf(compileError(errors.New("invalid magic number"))); code != abi.CodePluginInvalid {
		t.Errorf("a bad module: %s, want %v", code, abi.CodePluginInvalid)
	}
}
