package plugin

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"

	shared "github.com/pdpp-host/pdpp-host/testplugins/rig/tree"
)

// TestMain lets the test binary be its own worker, which is what the engine
// starts by default, a worker that lies, and a host that can be killed.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case WorkerArgument:
			os.Exit(WorkerMain(os.Stdin, os.Stdout))
		case evilArgument:
			evilWorker(os.Args[2])
			return
		case escapedArgument:
			escapedWorker(os.Args[2])
			return
		case mortalArgument:
			mortalHost()
			return
		}
	}
	code := m.Run()
	shared.Remove()
	if code == 0 {
		if err := goleak.Find(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

const (
	evilArgument    = "evil-worker"
	mortalArgument  = "mortal-host"
	escapedArgument = "escaped-worker"
	// patience bounds what a test waits for another process; it is never slept.
	patience = 2 * time.Minute
)

func workerPID(g *Guest) int { return g.cell.(*processCell).worker.cmd.Process.Pid }

// mortalHost is a host that a test kills: it prints its worker's process id
// once the guest loops.
func mortalHost() {
	e, err := NewEngine(Options{Limits: testLimits()})
	if err != nil {
		panic(err)
	}
	g, err := e.Load(context.Background(), connector(seq(zero, i32(1), call("emit"), drop, loop(nil))).file())
	if err != nil {
		panic(err)
	}
	pid := workerPID(g)
	g.Collect(context.Background(), Grant{}, &scripted{onEmit: func([]byte) error {
		fmt.Println(pid)
		return nil
	}})
}
