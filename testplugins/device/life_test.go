package device

import (
	"path/filepath"
	"strings"
	"testing"
)

// LC-01.1, LC-04.1, LC-07.1, HL-14, HL-17: a device delivers exactly the connector's
// records, key for key and byte for byte. The host shows them like those of its own
// runs. The next execution delivers new ones and nothing else, and deletions arrive as
// deletions.
func TestLife(t *testing.T) {
	t.Parallel()
	s, m := newHost(t), newMachine(t)
	fill(t, m.folder, 3, 300_000)
	write(t, m.folder, "skills/passing/SKILL.md", "---\nname: passing\n---\n\nFor a while.\n")
	w := newWay(t, s)
	w.hides(m.dir)
	l := m.enroll(w.server.URL, s.invite(), "--label", "desk")

	first := l.runs(done)
	if first.Outcome != "complete" || first.LifecycleState != "healthy_idle" || first.Run == nil || first.Outbox.open() != 0 || first.Delivered.Acknowledged < 2 {
		t.Errorf("%+v, want first.Outcome = complete, first.LifecycleState = healthy_idle, first.Run not nil, first.Outbox.open() = 0 and first.Delivered.Acknowledged at least 2", first)
	}
	want := found(t, m.folder)
	s.holds(l, want)
	s.onceEach(l)
	if len(s.cursors(l)) == 0 {
		t.Error("no checkpoint was committed")
	}
	if v := l.state(); v.LifecycleState != "healthy_idle" || v.Outbox.Counts.LastAckAt == "" || v.Outbox.Counts.LastCheckpointAt == "" ||
		v.Coverage.Observed == nil || !*v.Coverage.Observed || v.SourceInstanceID != l.source {
		t.Errorf("%+v, want a healthy lane with its last acknowledgement and checkpoint", v)
	}
	connection := s.sql("SELECT name FROM connections WHERE id = ?", l.connectionID)[0]
	s.healthy(connection)
	var runs struct {
		Runs []struct {
			RunID  string `json:"run_id"`
			Status string
		}
	}
	s.result(s.runCommand(0, "runs", "list", "--json"), &runs)
	if len(runs.Runs) != 1 || runs.Runs[0].RunID != first.Run.RunID || runs.Runs[0].Status != "succeeded" {
		t.Errorf("%+v, want %s", runs, first.Run.RunID)
	}
	exported := s.runCommand(0, "records", "export", connection, "skills")
	if !strings.Contains(string(exported.stdout), "For a while.") {
		t.Errorf("the export lacks a skill:\n%s, want For a while. in exported.stdout", exported.stdout)
	}

	// The host itself collects nothing for a connection that a device feeds.
	if got := s.does("", s.b.host, "--data-dir", s.data, "run", "claude_code", "--root", "claude_code="+m.folder, "--no-input", "--accept", "--json"); got.status == 0 ||
		!strings.Contains(string(got.stdout), "connection.on_device") || !strings.Contains(string(got.stdout), l.source) {
		t.Errorf("exits with %d\n%s%s, want status not 0, connection.on_device in got.stdout and %v in got.stdout", got.status, got.stdout, got.stderr, l.source)
	}

	// Nothing is new: nothing but the end of the run is sent.
	w.clearAccount()
	if r := l.runs(done); r.Outcome != "complete" {
		t.Errorf("%+v, want Outcome = complete", r)
	}
	if got := w.account(ingest, putState, gap); len(got) > 0 || len(w.account(commit)) != 1 {
		t.Errorf("%+v, want len(got) = 0 and len(w.account(commit)) = 1", w.account())
	}
	s.healthy(connection)

	// One file is new, one is changed, one is deleted.
	grow(t, m.folder, 4, 60_000)
	write(t, m.folder, "skills/release-notes/SKILL.md", "---\nname: release-notes\n---\n\nChanged.\n")
	mustRemove(t, filepath.Join(m.folder, "skills", "passing"))
	w.clearAccount()
	l.runs(done)
	if len(w.account(ingest)) == 0 {
		t.Error("nothing was delivered")
	}
	want = found(t, m.folder)
	s.holds(l, want)
	if got := s.sql(`SELECT r.deleted FROM records r JOIN streams s ON s.id = r.stream_id WHERE s.connection_id = ? AND r.key LIKE '%passing%'`,
		l.connectionID); len(got) != 1 || got[0] != "1" {
		t.Errorf("the removed skill: %v, want len(got) = 1 and got[0] = 1", got)
	}
	s.onceEach(l)
	s.healthy(connection)
	for _, args := range [][]string{{"devices", "show", l.device}, {"status", connection, "--detail"}, {"runs", "show", first.Run.RunID}} {
		if said := s.runCommand(0, append(args, "--json")...); strings.Contains(string(said.stdout), m.dir) {
			t.Errorf("%v names the machine's home\n%s, want no %v in said.stdout", args, said.stdout, m.dir)
		}
	}
	intact(t, l.file())
	s.stop()
	intact(t, s.file())
	s.runCommand(0, "doctor")
}
