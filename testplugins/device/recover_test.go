package device

import (
	"os/exec"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi/device"
)

// deadLettered has the way refuse a batch of the lane for good, until the lane
// has given it up.
func (l *lane) deadLettered(w *way) {
	l.t.Helper()
	w.addTrouble(trouble{kind: ingest, source: l.source, times: -1, do: refuse(422, device.CodeRecordsRejected, "")})
	defer w.clears()
	for range 8 {
		l.timePasses()
		if r := l.runs(either); r.Outbox.DeadLetter > 0 {
			if r.status != 4 {
				l.t.Errorf("exits with %d, want 4", r.status)
			}
			if r.Outcome != "dead_letter" || r.LifecycleState != "dead_letter" {
				l.t.Errorf("%+v, want Outcome = dead_letter and LifecycleState = dead_letter", r)
			}
			return
		}
	}
	l.t.Fatalf("no row was given up: %+v", l.state())
}

// HL-16.2, HL-23.6, HL-23.8, HL-23.9, HL-23.10, HL-23.11: the host refuses the device's
// data. The owner sees on the host which commands to type on the device, and why. Typed
// there unchanged, the first command changes and sends nothing, and the second one
// mends the fault.
func TestRecover(t *testing.T) {
	t.Parallel()
	s, m := newHost(t), newMachine(t)
	fill(t, m.folder, 15, 150_000)
	w := newWay(t, s)
	// There is a second lane, which no command may touch.
	bystander := m.enroll(w.server.URL, s.invite("--name", "bystander"))
	bystander.runs(done)
	l := m.enroll(w.server.URL, s.invite("--name", "desk"), "--label", "desk")
	l.deadLettered(w)
	if len(s.cursors(l)) != 0 {
		t.Errorf("a checkpoint passed what was refused: %v, want len(s.cursors(l)) = 0", s.cursors(l))
	}
	if got := l.runCommand(6, "doctor"); !strings.Contains(string(got.stdout), "recover") {
		t.Errorf("the doctor does not say what to do\n%s, want recover in got.stdout", got.stdout)
	}
	connection := s.sql("SELECT name FROM connections WHERE id = ?", l.connectionID)[0]
	shown := s.status(connection)
	r := shown.Recovery
	if shown.Verdict.Channel == "calm" || r == nil || r.Unavailable || r.Cause != "dead_letter_backlog" || len(r.Commands) != 2 || r.Host != "desk" {
		t.Fatalf("%+v, want shown.Verdict.Channel not calm, r not nil, not Unavailable, Cause = dead_letter_backlog, len(r.Commands) = 2 and Host = desk", shown)
	}
	for _, words := range []string{r.Summary, shown.Verdict.ForwardStatement} {
		if strings.Contains(strings.ToLower(words), "dead-letter") || strings.Contains(words, "normally") || words == "" {
			t.Errorf("the owner reads %q, want no dead-letter in words, no normally in words and words not \"\"", words)
		}
	}
	text := string(s.runCommand(0, "status", connection).stdout)
	for i, c := range r.Commands {
		if !strings.Contains(text, c.Command) || !strings.Contains(text, c.Purpose) || c.Purpose == "" || !strings.Contains(text, "desk") {
			t.Errorf("the owner does not see %+v in\n%s, want %v in text, %v in text, c.Purpose not \"\" and desk in text", c, text, c.Command, c.Purpose)
		}
		if !slices.Contains(strings.Fields(c.Command), l.source) || strings.Contains(c.Command, l.connectionID) {
			t.Errorf("command %d does not name source %s: %s, want %v in strings.Fields(c.Command) and no %v in c.Command", i, l.source, c.Command, l.source, l.connectionID)
		}
	}

	state := contents(t, m.dir, ".local/state", ".config")
	w.clearAccount()
	looked := m.types(r.Commands[0].Command)
	if looked.status != 0 || !strings.Contains(string(looked.stdout), "nothing was changed") {
		t.Errorf("%d\n%s%s, want looked.status = 0 and nothing was changed in looked.stdout", looked.status, looked.stdout, looked.stderr)
	}
	if now := contents(t, m.dir, ".local/state", ".config"); !reflect.DeepEqual(now, state) {
		t.Errorf("looking changed %v, want now = %v", changed(state, now), state)
	}
	if got := w.account(); len(got) > 0 {
		t.Errorf("looking sent %+v, want len(got) = 0", got)
	}

	l.timePasses() // otherwise it waits until the next attempt is due
	mended := m.types(r.Commands[1].Command)
	if mended.status != 0 {
		t.Errorf("%d\n%s%s, want 0", mended.status, mended.stdout, mended.stderr)
	}
	for _, seen := range w.account() {
		if seen.source == bystander.source {
			t.Errorf("the other lane was run: %+v, want seen.source not %v", seen, bystander.source)
		}
	}
	s.holds(l, found(t, m.folder))
	s.onceEach(l)
	s.healthy(connection)
	if v := l.state(); v.LifecycleState != "healthy_idle" || v.Outbox.Counts.open() != 0 {
		t.Errorf("%+v, want v.LifecycleState = healthy_idle and v.Outbox.Counts.open() = 0", v)
	}
	l.runCommand(0, "doctor")
}

// HL-16.1, HL-23.7: the host is reached and cannot be asked for its state. The owner is
// advised to run the collector again, without a word of failed uploads.
func TestStateCannotBeRead(t *testing.T) {
	t.Parallel()
	s, m := newHost(t), newMachine(t)
	fill(t, m.folder, 18, 60_000)
	w := newWay(t, s)
	l := m.enroll(w.server.URL, s.invite())
	l.runs(done)
	w.addTrouble(trouble{kind: readState, times: -1, do: refuse(500, "internal_error", "")})
	if r := l.runs(blocked); r.problem == nil || r.problem.Code != "delivery.state_read_failed" || r.Run != nil {
		t.Errorf("%+v\n%s, want problem not nil, problem.Code = delivery.state_read_failed and Run = nil", r, r.text)
	}
	w.clears()
	connection := s.sql("SELECT name FROM connections WHERE id = ?", l.connectionID)[0]
	shown := s.status(connection)
	r := shown.Recovery
	if shown.Verdict.Channel == "calm" || r == nil || r.Cause != "state_read_failed" || len(r.Commands) != 1 || r.Host == "" {
		t.Fatalf("%+v, want shown.Verdict.Channel not calm, r not nil, Cause = state_read_failed, len(r.Commands) = 1 and Host not \"\"", shown)
	}
	// An id is random, and may hold "dead".
	said := strings.ReplaceAll(r.Summary+shown.Verdict.ForwardStatement+r.Commands[0].Purpose+r.Commands[0].Command, l.source, "")
	if words := strings.ToLower(said); strings.Contains(words, "dead") ||
		strings.Contains(words, "recover ") || !strings.Contains(words, "pdpp-local-collector run") {
		t.Errorf("the owner reads %s, want no dead in words, no recover  in words and pdpp-local-collector run in words", words)
	}
	if got := m.types(r.Commands[0].Command); got.status != 0 {
		t.Errorf("%d\n%s%s, want 0", got.status, got.stdout, got.stderr)
	}
	s.healthy(connection)
}

// types runs a line unchanged, in the machine's shell.
func (m *machine) types(line string) said {
	m.t.Helper()
	shell, err := exec.LookPath("sh")
	if err != nil {
		m.t.Skip(err)
	}
	return m.does("", shell, "-c", line)
}

// changed names the files that are not as they were.
func changed(before, after map[string]string) (names []string) {
	for name, text := range after {
		if was, known := before[name]; !known || was != text {
			names = append(names, name)
		}
	}
	for name := range before {
		if _, there := after[name]; !there {
			names = append(names, name+" (gone)")
		}
	}
	return names
}

// HL-23.11: a source instance that this machine has no profile of is refused, and
// no other lane is taken for it; nothing is made on the way.
func TestRecoverKnowsNoSuchSource(t *testing.T) {
	t.Parallel()
	s, m, stranger := newHost(t), newMachine(t), newMachine(t)
	fill(t, m.folder, 16, 50_000)
	l := m.enroll(s.url(), s.invite())
	l.runs(done)
	state := contents(t, m.dir, ".local/state", ".config")
	for _, c := range []struct {
		where *machine
		id    string
	}{{m, "src_unknown"}, {m, "../" + l.source}, {stranger, l.source}, {stranger, ""}} {
		for _, apply := range [][]string{nil, {"--apply"}} {
			args := append([]string{"recover", "--json", "--source-instance-id", c.id}, apply...)
			got := c.where.does("", m.b.collector, args...)
			p := c.where.result(got, nil)
			if got.status != 2 && got.status != 3 || p == nil || p.Code == "" || p.Hint == "" {
				t.Errorf("%v exits with %d, want 2 or 3 with a code and a hint: %+v\n%s", args, got.status, p, got.stderr)
			}
		}
	}
	// Every command accepts a name that means the only lane of this machine.
	for _, name := range []string{l.source, l.connectionID, "claude_code", ""} {
		var r struct {
			Source string `json:"source_instance_id"`
		}
		if p := m.result(m.does("", m.b.collector, "recover", "--json", "--source-instance-id", name), &r); p != nil || r.Source != l.source {
			t.Errorf("%q means %q: %+v, want p = nil and Source = %q", name, r.Source, p, l.source)
		}
	}
	if now := contents(t, m.dir, ".local/state", ".config"); !reflect.DeepEqual(now, state) {
		t.Errorf("refusing changed %v, want now = %v", changed(state, now), state)
	}
	if now := contents(t, stranger.dir, ".local/state", ".config"); len(now) != 0 {
		t.Errorf("refusing made %v, want len(now) = 0", changed(nil, now))
	}
}
