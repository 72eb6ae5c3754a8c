package api

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/storage"
)

// refusedRun is the end of a run that never began on its device.
func (l *lane) refusedRun(run, code string) device.RunCommit {
	c := l.commit(run, "commit-"+run, nil)
	c.StateDelta = map[string]json.RawMessage{}
	c.Outcome.Status, c.Outcome.Reason, c.Outcome.Streams = "failed", "run_refused", nil
	c.Outcome.Coverage, c.Outcome.KnownGaps, c.Outcome.Withheld = nil, nil, nil
	c.Outcome.Error = raw(storage.RunError{Code: code, Message: "the folder is not there", RecoveryHint: "manual_action_required"})
	return c
}

// A run that was refused on its device is taken as any other that failed, also
// where there never was a module whose manifest could have been put.
func TestARefusedRunIsTaken(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	bare := h.enroll("bare")
	q := bare.refusedRun("r1", "plugin.unknown")
	q.Outcome.ModuleSHA256, q.Outcome.Version = "", ""
	bare.must(http.StatusOK, bare.send(http.MethodPost, device.PathRunCommits(bare.DeviceID, bare.SourceInstanceID), q), nil)
	r, err := h.store.Run(t.Context(), "r1")
	if err != nil || r.Status != "failed" || r.Reason != "run_refused" || r.Error == nil || r.Error.Code != "plugin.unknown" {
		t.Errorf("%+v, %v", r, err)
	}
	// Nothing else goes without a module.
	q = bare.refusedRun("r2", "plugin.unknown")
	q.Outcome.Reason = "runtime_error"
	bare.refuses(http.StatusConflict, device.CodeManifestMissing, bare.send(http.MethodPost, device.PathRunCommits(bare.DeviceID, bare.SourceInstanceID), q))

	l := ready(t)
	q = l.refusedRun("r3", "files.root_missing")
	l.must(http.StatusOK, l.send(http.MethodPost, device.PathRunCommits(l.DeviceID, l.SourceInstanceID), q), nil)
}
