package main

import (
	"bytes"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pdpp-host/pdpp-host/host/collector"
)

func TestSlowSteps(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		s := &slowSteps{w: &out}
		s.observe(collector.Step{Text: "quick"})
		time.Sleep(slowAfter - 1)
		s.observe(collector.Step{Text: "slow\x1b[2J"})
		time.Sleep(slowAfter + 1)
		s.observe(collector.Step{Text: "last"})
		s.end()
		time.Sleep(2 * slowAfter)
		synctest.Wait()
		if out.String() != "slow[2J\n" {
			t.Errorf("%q", out.String())
		}
	})
}
