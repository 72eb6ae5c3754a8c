package output

import (
	"os"
	"strings"

	"golang.org/x/term"
)

// Style says what a stream can show. Colour and symbols never carry a meaning
// alone: the word stands beside them.
type Style struct {
	Terminal bool // a terminal: lines may be updated in place
	Colour   bool
	Symbols  bool // characters beyond ASCII
	Width    int  // columns; 0 when it is no terminal
}

// StyleOf finds out what f can show. NO_COLOR (no-color.org), TERM=dumb and a
// locale that is not UTF-8 are honoured.
func StyleOf(f *os.File, getenv func(string) string) Style {
	if f == nil || !term.IsTerminal(int(f.Fd())) {
		return Style{Symbols: true} // a pipe takes UTF-8, as every other output does
	}
	s := Style{Terminal: true, Symbols: utf8Locale(getenv), Width: 80}
	s.Colour = getenv("NO_COLOR") == "" && getenv("TERM") != "dumb"
	if getenv("TERM") == "dumb" {
		s.Terminal = false
	}
	if w, _, err := term.GetSize(int(f.Fd())); err == nil && w > 0 {
		s.Width = w
	}
	return s
}

func utf8Locale(getenv func(string) string) bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := strings.ToLower(getenv(name)); v != "" {
			return strings.Contains(v, "utf-8") || strings.Contains(v, "utf8")
		}
	}
	return true
}

// Red returns text in red where the stream has colours, else as it is.
func (s Style) Red(text string) string { return s.paint("31", text) }

// Green is like Red.
func (s Style) Green(text string) string { return s.paint("32", text) }

// Yellow is like Red.
func (s Style) Yellow(text string) string { return s.paint("33", text) }

// Bold returns text in bold where the stream has colours, else as it is.
func (s Style) Bold(text string) string { return s.paint("1", text) }

// Dim returns text in a fainter shade where the stream has colours, else as it is.
func (s Style) Dim(text string) string { return s.paint("2", text) }

func (s Style) paint(code, text string) string {
	if !s.Colour {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

// Symbol returns the symbol, or "" where it cannot be shown; a space follows it.
func (s Style) Symbol(symbol string) string {
	if !s.Symbols {
		return ""
	}
	return symbol + " "
}
