package progress

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/pdpp-host/pdpp-host/cmd/internal/outcome"
	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/host/run"
)

const (
	mostLines = 16 // streams shown in place; the others are counted
	mostName  = 24
	barCells  = 14
)

// block makes one line a stream; the busiest stream's line carries the bar. It
// fits on the screen with the cursor below it: what scrolled away could not be
// erased. rows 0 is a screen of unknown height.
func block(u run.Update, r *rate, style output.Style, width, rows int) []string {
	most := mostLines
	if rows > 0 {
		most = max(min(most, rows-4), 1) // besides: what is hidden, the pace, what is waited for, the cursor
	}
	shown := u.Streams
	hidden := 0
	if len(shown) > most {
		shown, hidden = busy(shown, most)
	}
	widest, busiest := 0, -1
	var highest int64
	for i, s := range shown {
		widest = max(widest, min(utf8.RuneCountInString(output.Clean(s.Name)), mostName))
		if n := s.Total(); n > highest {
			highest, busiest = n, i
		}
	}
	lines := make([]string, 0, len(shown)+2)
	for i, s := range shown {
		var line strings.Builder
		line.WriteString("  " + pad(output.Cut(output.Clean(s.Name), mostName), widest))
		for _, c := range outcome.Counts(s.Counts, s.Rejected) {
			line.WriteString(fmt.Sprintf("  %7s %-7s", output.Count(c.N), c.Word))
		}
		if i == busiest && !u.Final {
			if b := bar(u, r, style); b != "" {
				line.WriteString("  " + b)
			}
		}
		lines = append(lines, fit(line.String(), width))
	}
	if hidden > 0 {
		lines = append(lines, fit(fmt.Sprintf("  and %d more streams", hidden), width))
	}
	if p := pace(u); p != "" && !u.Final {
		lines = append(lines, fit("  "+p, width))
	}
	if busiest < 0 && !u.Final {
		waiting := bar(u, r, style)
		if waiting == "" {
			waiting = output.Clean(u.Message)
		}
		if waiting != "" {
			lines = append(lines, fit("  "+waiting, width))
		}
	}
	return lines
}

// busy keeps the streams that have something, up to most, in their order.
func busy(streams []run.StreamUpdate, most int) ([]run.StreamUpdate, int) {
	var kept []run.StreamUpdate
	for _, s := range streams {
		if s.Total()+s.Rejected > 0 && len(kept) < most {
			kept = append(kept, s)
		}
	}
	return kept, len(streams) - len(kept)
}

func pad(s string, width int) string {
	return s + strings.Repeat(" ", max(width-utf8.RuneCountInString(s), 0))
}

// fit keeps a line on one row of the screen: a wrapped line could not be erased.
func fit(line string, width int) string {
	line = strings.TrimRight(line, " ")
	if width > 1 {
		line = output.Cut(line, width-1)
	}
	return line
}

// bar draws how far the run is, with its rate and the time left, as far as
// PROGRESS says.
func bar(u run.Update, r *rate, style output.Style) string {
	words := figures(u, r)
	if u.Total <= 0 {
		return strings.Join(words, "  ")
	}
	full, empty := "▇", "▁"
	if !style.Symbols {
		full, empty = "#", "."
	}
	cells := int(float64(min(max(u.Count, 0), u.Total)) / float64(u.Total) * barCells)
	return strings.Repeat(full, cells) + strings.Repeat(empty, barCells-cells) + "  " + strings.Join(words, "  ")
}

// figures lists "212 MB of 268 MB", "31 MB/s" and "2 s left".
func figures(u run.Update, r *rate) []string {
	write := output.Count
	if u.Unit == "bytes" {
		write = output.Bytes
	}
	var words []string
	switch {
	case u.Total > 0:
		words = append(words, write(u.Count)+" of "+write(u.Total)+unit(u))
	case u.Count > 0:
		words = append(words, write(u.Count)+unit(u))
	}
	speed := r.perSecond()
	if speed >= 1 && u.Count > 0 {
		words = append(words, write(int64(speed))+"/s")
		if left := u.Total - u.Count; u.Total > 0 && left > 0 {
			words = append(words, remaining(time.Duration(float64(left)/speed*float64(time.Second))))
		}
	}
	return words
}

func unit(u run.Update) string {
	switch u.Unit {
	case "bytes":
		return ""
	case "", "records":
		return " records"
	default:
		return " " + output.Cut(output.Clean(u.Unit), 16)
	}
}

func remaining(d time.Duration) string {
	switch {
	case d < 0 || d > 1000*time.Hour:
		return "a long time left"
	case d < time.Minute:
		return fmt.Sprintf("%d s left", int(d.Seconds())+1)
	case d < time.Hour:
		return fmt.Sprintf("%d min left", int(d.Minutes())+1)
	default:
		return fmt.Sprintf("%d h left", int(d.Hours())+1)
	}
}

// plainLine is one line for a pipe or a log.
func plainLine(u run.Update, r *rate) string {
	var parts []string
	for _, s := range u.Streams {
		if c := outcome.Counted(s.Counts, s.Rejected); c != "" {
			parts = append(parts, output.Clean(s.Name)+" "+c)
		}
	}
	if f := figures(u, r); len(f) > 0 {
		parts = append(parts, strings.Join(f, ", "))
	}
	if p := pace(u); p != "" {
		parts = append(parts, p)
	}
	if len(parts) == 0 {
		parts = append(parts, "no records yet")
	}
	return fmt.Sprintf("%s  %s: %s", output.Clean(u.Connector), output.Seconds(u.Elapsed), strings.Join(parts, "; "))
}
