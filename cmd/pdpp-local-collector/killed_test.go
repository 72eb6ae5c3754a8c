package main

import (
	"net/http"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/pdpp-host/pdpp-host/testplugins/rig/story"
)

// LC-01.2, LC-03.2, LC-06.1: a collector that dies while it delivers leaves its
// work in the outbox, under a lease. A later execution takes the work over and
// delivers it before it looks at the source, and nobody edits a file.
func TestKilledWhileDelivering(t *testing.T) {
	t.Parallel()
	o := newOwner(t)
	p := o.enroll(o.host, "mine")
	sending := make(chan struct{})
	var once sync.Once
	o.host.set(func() {
		o.host.hang = "ingest-batches"
		o.host.onCall = func(r *http.Request) {
			if strings.HasSuffix(r.URL.Path, "/ingest-batches") {
				once.Do(func() { close(sending) })
			}
		}
	})
	cmd := exec.Command(o.program, "run", "--set", "script="+notesScript)
	cmd.Env = []string{"HOME=" + o.home}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	<-sending
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	o.host.set(func() { o.host.hang = "" })
	if c := o.counts(o.lanePath(p)); c.Leased == 0 || c.Succeeded != 0 {
		t.Fatalf("%+v", c)
	}
	if n, err := o.host.records(t.Context(), "notes"); n != 0 || err != nil {
		t.Fatalf("%d records, %v", n, err)
	}
	// The lease has run out, and the source fails at once: what waited is delivered
	// all the same.
	o.env = []string{story.Later + "=10m"}
	o.must(4, "run", "--set", "script=trap")
	if n, err := o.host.records(t.Context(), "notes"); n != 3 || err != nil {
		t.Errorf("%d records, %v", n, err)
	}
	if c := o.counts(o.lanePath(p)); c.Leased+c.Pending+c.StaleLeases != 0 {
		t.Errorf("%+v", c)
	}
}
