package progress

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"go.uber.org/goleak"

	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/host/run"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func state(elapsed time.Duration, n, count int64) run.Update {
	return run.Update{
		Connector: "claude_code", Elapsed: elapsed, Count: count, Total: 268e6, Unit: "bytes",
		Streams: []run.StreamUpdate{{Name: "sessions", Counts: run.Counts{New: 42, Changed: 3}}, {Name: "messages", Counts: run.Counts{New: n}}},
	}
}

func display(b *bytes.Buffer, style output.Style, width int) *Display {
	return New(b, style, func() (int, int) { return width, 0 }, func(run.Update) string { return "header" })
}

// screen plays what was written on a terminal of endless height.
func screen(text string) []string {
	lines := []string{""}
	for len(text) > 0 {
		var up int
		if n, _ := fmt.Sscanf(text, "\x1b[%dA", &up); n == 1 {
			lines = lines[:len(lines)-up]
			text = text[strings.IndexByte(text, 'A')+1:]
			continue
		}
		if rest, ok := strings.CutPrefix(text, "\x1b[J"); ok {
			lines[len(lines)-1] = ""
			text = rest
			continue
		}
		r, size := utf8.DecodeRuneInString(text)
		text = text[size:]
		switch r {
		case '\n':
			lines = append(lines, "")
		case '\r':
		default:
			lines[len(lines)-1] += string(r)
		}
	}
	return lines[:len(lines)-1]
}

func TestUpdatedInPlace(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	d := display(&b, output.Style{Terminal: true, Symbols: true}, 120)
	for i := range int64(8) {
		d.Observe(state(time.Duration(i)*time.Second, 18204, 31e6*i))
	}
	got := screen(b.String())
	want := []string{
		"header",
		"  sessions       42 new            3 changed",
		"  messages   18 204 new      ▇▇▇▇▇▇▇▇▇▇▇▁▁▁  217 MB of 268 MB  31 MB/s  2 s left",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if strings.Count(b.String(), "header") != 1 {
		t.Error("the header is written again")
	}
	d.Finish()
	d.Observe(state(time.Hour, 99999, 0))
	if got := screen(b.String()); len(got) != 3 || strings.Contains(got[2], "▇") || strings.Contains(got[2], "99 999") {
		t.Errorf("the last state is\n%s", strings.Join(got, "\n"))
	}
}

func TestLogLinesAndQuestionsStandAbove(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	d := display(&b, output.Style{Terminal: true}, 80)
	d.Observe(state(0, 1, 0))
	fmt.Fprintln(d, "a log line")
	if got := screen(b.String()); len(got) != 4 || got[1] != "a log line" {
		t.Errorf("got %q", got)
	}
	d.Suspend()
	d.Observe(state(time.Second, 2, 0))
	if got := screen(b.String()); len(got) != 2 {
		t.Errorf("a question shares the screen with %q", got)
	}
	d.Resume()
	if got := screen(b.String()); len(got) != 4 {
		t.Errorf("got %q", got)
	}
}

func TestNeverWiderThanTheScreen(t *testing.T) {
	t.Parallel()
	for _, width := range []int{2, 10, 40, 79} {
		var b bytes.Buffer
		d := display(&b, output.Style{Terminal: true, Symbols: true}, width)
		u := state(time.Second, 1e9, 1e8)
		u.Streams[0].Name = strings.Repeat("ä\x1b", 60)
		d.Observe(u)
		for _, line := range screen(b.String())[1:] {
			if n := utf8.RuneCountInString(line); n >= width {
				t.Errorf("width %d: a line of %d", width, n)
			}
		}
	}
}

func TestManyStreams(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	d := display(&b, output.Style{Terminal: true}, 80)
	u := run.Update{}
	for i := range 60 {
		u.Streams = append(u.Streams, run.StreamUpdate{Name: fmt.Sprintf("s%02d", i), Counts: run.Counts{New: int64(i % 2)}})
	}
	d.Observe(u)
	if got := screen(b.String()); len(got) != 1+mostLines+1 || !strings.Contains(got[len(got)-1], "44 more") {
		t.Errorf("got %q", got)
	}
}

func TestPlainLines(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	d := display(&b, output.Style{Symbols: true}, 0)
	for i := range int64(61) { // 12 seconds, five updates a second
		d.Observe(state(time.Duration(i)*200*time.Millisecond, 10*i, 6e6*i))
	}
	d.Finish()
	got := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	if len(got) != 3 || strings.Contains(b.String(), "\x1b") {
		t.Fatalf("got %q", got)
	}
	if want := "claude_code  5.0 s: sessions 42 new, 3 changed; messages 250 new; 150 MB of 268 MB, 30 MB/s, 4 s left"; got[1] != want {
		t.Errorf("got  %s\nwant %s", got[1], want)
	}
}

func TestRate(t *testing.T) {
	t.Parallel()
	var r rate
	if r.add(state(0, 0, 100)); r.perSecond() != 0 {
		t.Error("a rate of one sample")
	}
	r.add(state(10*time.Second, 0, 1100))
	r.add(state(11*time.Second, 0, 3100))
	r.add(state(12*time.Second, 0, 5100))
	if got := r.perSecond(); got != 2000 {
		t.Errorf("%v a second, want what the last seconds had: 2000", got)
	}
	if r.add(state(13*time.Second, 0, 10)); r.perSecond() != 0 {
		t.Error("a count that begins anew keeps the old rate")
	}
}

func TestHugeCounts(t *testing.T) {
	t.Parallel()
	u := run.Update{Count: 1 << 62, Total: 1<<63 - 1, Unit: "x\x1b[2J", Streams: []run.StreamUpdate{{Name: "a", Counts: run.Counts{New: 1 << 62}}}}
	for _, line := range block(u, &rate{}, output.Style{Symbols: true}, 200, 0) {
		if strings.Contains(line, "\x1b") {
			t.Errorf("got %q", line)
		}
	}
	if got := bar(u, &rate{}, output.Style{}); !strings.HasPrefix(got, "#######.......") {
		t.Errorf("half of it is %q", got)
	}
}

// A block is never higher than the screen: what scrolls away cannot be erased.
func TestBlockFitsOnALowScreen(t *testing.T) {
	t.Parallel()
	u := run.Update{Message: "reading"}
	for i := range 30 {
		u.Streams = append(u.Streams, run.StreamUpdate{Name: fmt.Sprintf("s%d", i), Counts: run.Counts{New: int64(i)}})
	}
	for _, rows := range []int{4, 10, 24, 100} {
		if lines := block(u, &rate{}, output.Style{}, 80, rows); len(lines) >= rows {
			t.Errorf("%d lines on %d rows", len(lines), rows)
		}
		if lines := block(run.Update{Message: "reading", Streams: make([]run.StreamUpdate, 30)}, &rate{}, output.Style{}, 80, rows); len(lines) >= rows {
			t.Errorf("%d lines on %d rows before the first record", len(lines), rows)
		}
	}
}
