package device

import (
	"strings"
	"testing"
)

// A device that its host no longer trusts says so in plain words, and keeps its data;
// enrolled again, it continues.
func TestRevoked(t *testing.T) {
	t.Parallel()
	s, m := newHost(t), newMachine(t)
	fill(t, m.folder, 12, 100_000)
	w := newWay(t, s)
	l := m.enroll(w.server.URL, s.invite("--name", "desk"))
	l.runs(done)
	// Something waits when it happens.
	grow(t, m.folder, 13, 60_000)
	w.addTrouble(trouble{kind: ingest, times: -1, do: refuse(500, "internal_error", "")})
	l.runs(waits)
	w.clears()
	queued := l.sql("SELECT id FROM outbox WHERE status <> 'succeeded' ORDER BY seq")
	before := recordsOf(t, s.file(), l.connectionID)
	s.runCommand(0, "devices", "revoke", l.device, "--yes")
	for range 2 {
		l.timePasses()
		r := l.runs([]int{3, 4})
		words := strings.ToLower(r.text)
		if r.problem == nil || r.problem.Code != "delivery.unauthorized" || !strings.Contains(words, "credential") || !strings.Contains(words, "enroll") {
			t.Errorf("%+v\n%s, want problem not nil, problem.Code = delivery.unauthorized, credential in words and enroll in words", r.problem, r.text)
		}
	}
	if got := l.sql("SELECT id FROM outbox WHERE status = 'ready' ORDER BY seq"); strings.Join(got, " ") != strings.Join(queued, " ") || len(got) == 0 {
		t.Errorf("what waits: %v, before %v, want got = %v and len(got) not 0", got, queued, strings.Join(queued, " "))
	}
	// Nothing came in, and earlier records stay.
	s.holds(l, before)
	again := m.enroll(w.server.URL, s.invite("--name", "desk"))
	if again.connectionID != l.connectionID {
		t.Errorf("the same source has connection %s, want %s as before", again.connectionID, l.connectionID)
	}
	again.drains(3)
	s.holds(again, found(t, m.folder))
	s.onceEach(again)
	s.healthy(s.sql("SELECT name FROM connections WHERE id = ?", l.connectionID)[0])
}

// A device can give its credential back; when the host cannot be reached, the profile
// stays.
func TestLogout(t *testing.T) {
	long(t)
	t.Parallel()
	s, m := newHost(t), newMachine(t)
	fill(t, m.folder, 14, 50_000)
	w := newWay(t, s)
	l := m.enroll(w.server.URL, s.invite())
	l.runs(done)
	w.addTrouble(trouble{kind: other, do: cut})
	profiles := contents(t, m.dir, ".config")
	if got := l.does("", m.b.collector, append([]string{"logout", "--json"}, l.args...)...); got.status == 0 {
		t.Errorf("it logged out without its host\n%s, want status not 0", got.stdout)
	}
	if got := contents(t, m.dir, ".config"); len(got) != len(profiles) || len(got) == 0 {
		t.Errorf("%d profiles, want %d as before", len(got), len(profiles))
	}
	l.runCommand(0, "logout")
	if got := s.sql("SELECT count(*) FROM devices WHERE revoked_us > 0"); got[0] != "1" {
		t.Errorf("%s devices are revoked, want 1", got[0])
	}
	if got := contents(t, m.dir, ".config"); len(got) != 0 {
		t.Errorf("%d files stay, want 0", len(got))
	}
}
