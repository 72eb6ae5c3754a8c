package logging

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/pdpp-host/pdpp-host/abi"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestNew(t *testing.T) {
	t.Parallel()
	var one, other bytes.Buffer
	var level slog.LevelVar
	to := To(&one)
	logger, err := New(to, &level, "warn", "json")
	if err != nil {
		t.Fatal(err)
	}
	logger.Info("unheard")
	logger.Warn("first")
	to.Swap(&other)
	level.Set(slog.LevelInfo)
	logger.Info("second")
	if strings.Contains(one.String(), "unheard") || !strings.Contains(one.String(), `"msg":"first"`) || !strings.Contains(other.String(), `"msg":"second"`) {
		t.Errorf("%q %q", one.String(), other.String())
	}
	for _, bad := range [][2]string{{"loud", "text"}, {"warn", "xml"}} {
		if _, err := New(to, &level, bad[0], bad[1]); abi.CodeOf(err) != abi.CodeUsage {
			t.Errorf("%v: %v", bad, err)
		}
	}
}

func TestChain(t *testing.T) {
	t.Parallel()
	inner := errors.New("inner")
	if got := Chain(fmt.Errorf("outer: %w", inner)); got != "outer: inner <- inner" {
		t.Error(got)
	}
}
