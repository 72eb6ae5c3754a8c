package progress

import (
	"bytes"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/host/run"
)

// plainEvery is how often a line is written where nothing can be updated.
const plainEvery = 5 * time.Second

// Display shows one run. It is safe for concurrent use: updates, log lines and
// questions come from different goroutines.
type Display struct {
	w      io.Writer
	style  output.Style
	size   func() (columns, rows int) // now; a window can be resized
	header func(run.Update) string

	mu        sync.Mutex
	begun     bool
	last      run.Update
	drawn     int // lines of the block on the screen, the cursor below them
	suspended bool
	finished  bool
	nextPlain time.Duration
	rate      rate
}

// New returns a Display that writes to w. header makes the line that stands
// above the streams, from the first update.
func New(w io.Writer, style output.Style, size func() (columns, rows int), header func(run.Update) string) *Display {
	return &Display{w: w, style: style, size: size, header: header, nextPlain: plainEvery}
}

// Observe takes the state of the run.
func (d *Display) Observe(u run.Update) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.finished {
		return
	}
	var out bytes.Buffer
	if !d.begun {
		d.begun = true
		fmt.Fprintln(&out, d.header(u))
	}
	d.last = u
	d.rate.add(u)
	switch {
	case d.style.Terminal:
		if !d.suspended {
			d.draw(&out)
		}
	case u.Elapsed >= d.nextPlain && !u.Final:
		d.nextPlain = u.Elapsed - u.Elapsed%plainEvery + plainEvery
		fmt.Fprintln(&out, plainLine(u, &d.rate))
	}
	d.flush(&out)
}

// Write lets a log line through: above the block, never inside it. It
// implements io.Writer.
func (d *Display) Write(p []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	var out bytes.Buffer
	redraw := d.drawn > 0
	d.erase(&out)
	out.Write(p)
	if redraw && !d.suspended {
		d.draw(&out)
	}
	if _, err := d.w.Write(out.Bytes()); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Suspend takes the block off the screen until Resume, so that a question can
// be asked there.
func (d *Display) Suspend() {
	d.mu.Lock()
	defer d.mu.Unlock()
	var out bytes.Buffer
	d.erase(&out)
	d.suspended = true
	d.flush(&out)
}

// Resume shows the block again.
func (d *Display) Resume() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.suspended = false
	if d.begun && !d.finished && d.style.Terminal {
		var out bytes.Buffer
		d.draw(&out)
		d.flush(&out)
	}
}

// Finish leaves the last state standing, without its bar. Later updates are
// ignored.
func (d *Display) Finish() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.finished {
		return
	}
	d.finished = true
	if d.begun && d.style.Terminal && !d.suspended {
		d.last.Final = true
		var out bytes.Buffer
		d.draw(&out)
		d.flush(&out)
	}
}

// draw replaces the block with the last update's.
func (d *Display) draw(out *bytes.Buffer) {
	d.erase(out)
	columns, rows := d.size()
	lines := block(d.last, &d.rate, d.style, columns, rows)
	for _, l := range lines {
		fmt.Fprintln(out, l)
	}
	d.drawn = len(lines)
}

// erase moves the cursor to the block's first line and clears to the end of the
// screen (ECMA-48 CUU and ED).
func (d *Display) erase(out *bytes.Buffer) {
	if d.drawn > 0 {
		fmt.Fprintf(out, "\r\x1b[%dA\x1b[J", d.drawn)
		d.drawn = 0
	}
}

// flush writes at once, so that the screen never shows half a block. A terminal
// that is gone is no reason to end a run.
func (d *Display) flush(out *bytes.Buffer) {
	if out.Len() > 0 {
		_, _ = d.w.Write(out.Bytes())
	}
}
