package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/doctor"
	"github.com/pdpp-host/pdpp-host/host/run/holder"
	"github.com/pdpp-host/pdpp-host/storage"
)

// answered runs a command over a data folder and reads the result of its envelope.
func answered(t *testing.T, dir string, result any, args ...string) {
	t.Helper()
	a := newApp()
	out := new(bytes.Buffer)
	a.Home, a.Printer.Out = dir, out
	a.main(append(args, "--json", "--data-dir", dir))
	envelope := struct {
		Result any `json:"result"`
	}{Result: result}
	if err := json.Unmarshal(out.Bytes(), &envelope); err != nil {
		t.Fatalf("%v: %v in %s", args, err, out)
	}
}

// failedRun makes a store whose one connection had a run that ended so; with no reason
// its host is gone and it has not ended.
func failedRun(t *testing.T, reason abi.Reason, failure storage.RunError) (dir string) {
	t.Helper()
	dir = t.TempDir()
	raw, err := os.ReadFile("../../plugins/github/manifest.json")
	if err != nil {
		t.Fatal(err)
	}
	store, err := storage.Open(t.Context(), storage.Options{Path: filepath.Join(dir, "pdpp.sqlite"), Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	conn, err := store.EnsureConnection(t.Context(), "mine", "github")
	if err == nil {
		err = store.PinPlugin(t.Context(), conn.ID, "abc", raw)
	}
	if err != nil {
		t.Fatal(err)
	}
	gone := strings.Split(holder.Self(), ":")
	gone[3] = "1" // the start of a process that is none of now
	w, err := store.BeginRun(t.Context(), storage.NewRun{
		RunID: "run_1", ConnectionID: conn.ID, Connector: "github", Version: "1", ModuleSHA256: "abc", Mode: abi.ModeIncremental,
		Bookmark: storage.BookmarkIncremental, Holder: strings.Join(gone, ":"), Streams: []string{"repositories"}, LeaseTTL: time.Minute,
	})
	if err != nil {
		t.Fatal(err)
	}
	if reason == "" {
		w.Abandon()
		return dir
	}
	if err := w.Finish(t.Context(), storage.Outcome{Status: "failed", Reason: string(reason), Error: &failure}); err != nil {
		t.Fatal(err)
	}
	return dir
}

// Doctor and status say the same of one store: the verdict, the code of what keeps the
// connection from being collected, and what there is to do.
func TestDoctorAgreesWithStatus(t *testing.T) {
	t.Parallel()
	for want, c := range map[abi.Cause]struct {
		reason  abi.Reason
		failure storage.RunError
	}{
		abi.CauseNameUnresolved:    {abi.ReasonConnectorReportedFailed, storage.RunError{Code: "send.attempts_exhausted", Cause: abi.CauseNameUnresolved, Place: "api.github.com"}},
		abi.CauseConnectionRefused: {abi.ReasonConnectorReportedFailed, storage.RunError{Code: "send.attempts_exhausted", Cause: abi.CauseConnectionRefused, Place: "127.0.0.1:9"}},
		abi.CauseDiskFull:          {abi.ReasonRuntimeError, storage.RunError{Code: string(abi.CodeStoreFull)}},
		abi.CauseConnectorCrashed:  {abi.ReasonExitWithoutDone, storage.RunError{Code: string(abi.CodeGuestTrap)}},
		abi.CauseHostStopped:       {},
		"":                         {abi.ReasonConnectorReportedFailed, storage.RunError{Code: "github_odd"}},
	} {
		dir := failedRun(t, c.reason, c.failure)
		var status struct {
			Connections []owner.ConnectionStatus `json:"connections"`
		}
		var examined struct {
			Checks []doctor.Finding `json:"checks"`
		}
		answered(t, dir, &status, "status")
		answered(t, dir, &examined, "doctor")
		if len(status.Connections) != 1 {
			t.Fatalf("%s: status has %d connections, want 1", want, len(status.Connections))
		}
		b := &status.Connections[0].Verdict
		got := abi.Cause("")
		if b.Cause != nil {
			got = b.Cause.Code
		}
		if got != want || (want != "") == strings.Contains(b.ForwardStatement, "fetches what is missing") {
			t.Errorf("status: cause %q and %q, want cause %q", got, b.ForwardStatement, want)
		}
		found := false
		for _, f := range examined.Checks {
			if f.Check != "health mine" {
				continue
			}
			found = true
			todo, _ := b.Primary()
			if f.Code != string(want) || f.Outcome != doctor.Notice || !strings.HasPrefix(f.Message, b.Pill.Label+": "+b.ForwardStatement) || !strings.HasPrefix(f.Hint, todo) {
				t.Errorf("%s: doctor says %+v, and status %q, %q and %q", want, f, b.Pill.Label, b.ForwardStatement, todo)
			}
		}
		if !found {
			t.Errorf("%s: doctor says nothing of the connection", want)
		}
	}
}
