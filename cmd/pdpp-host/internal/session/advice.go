package session

import (
	"cmp"
	"os/exec"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/cmd/internal/invocation"
	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/host/owner/words"
)

// program is what an owner types for this binary.
const program = "pdpp-host"

// place is the flags of this command line that say which installation is meant. A command
// that an owner is told to type repeats them, or it would look at another one. The
// environment needs no repeating: it is the same then.
func place(f *invocation.Flags) string {
	var flags strings.Builder
	for _, x := range []struct{ name, value string }{{"--config", f.Config}, {"--data-dir", f.DataDir}, {"--plugins", f.Plugins}} {
		if x.value != "" {
			flags.WriteString(" " + x.name + " " + words.Quoted(x.value))
		}
	}
	return flags.String()
}

// invokedAs is what an owner types for this binary: its name where that finds one,
// else the path that was typed now.
func invokedAs(typed string) string {
	if _, err := exec.LookPath(program); err == nil || !strings.ContainsRune(typed, '/') {
		return program
	}
	return words.Quoted(typed)
}

// Advice returns a text that tells the owner to type commands, as they are typed
// here: with the binary's path where its name is not enough, and with the flags
// that these commands need.
func (s *Session) Advice(text string) string {
	return asTyped(text, cmp.Or(s.Invoked, program), place(&s.Flags), s.Commands)
}

// asTyped puts name in the place of the program's name, and flags behind it,
// wherever one of its commands follows. Everything else of the text stays.
func asTyped(text, name, flags string, commands []string) string {
	if name == program && flags == "" {
		return text
	}
	var b strings.Builder
	for {
		before, after, found := strings.Cut(text, program+" ")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		written := program
		for _, c := range commands {
			if rest, is := strings.CutPrefix(after, c); is && !goesOn(rest) && !strings.HasSuffix(before, "/") {
				written = name + flags
				break
			}
		}
		b.WriteString(written + " ")
		text = after
	}
}

// goesOn reports whether the text begins with the rest of a word.
func goesOn(rest string) bool {
	return rest != "" && (rest[0] >= 'a' && rest[0] <= 'z' || rest[0] >= '0' && rest[0] <= '9')
}

// Advised is err as an owner is told it: with advice in the place of its hint, and
// the home folder as ~.
func (s *Session) Advised(err error) error {
	if err == nil {
		return nil
	}
	e := output.Typed(err)
	message, hint, detail := s.Homely(e.Message), s.Homely(s.Advice(e.Hint)), s.Homely(e.Detail)
	if message == e.Message && hint == e.Hint && detail == e.Detail {
		return err
	}
	return abi.NewError(e.Code, message, hint).WithDetail(detail).Wrap(err)
}

// Homely is a text with the home folder as ~, where a shell takes that for it: what
// is quoted or follows a sign stays whole.
func (s *Session) Homely(text string) string {
	home := strings.TrimRight(s.Home, "/")
	if home == "" {
		return text
	}
	var b strings.Builder
	for {
		before, after, found := strings.Cut(text, home+"/")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		if b.Len() == 0 || strings.HasSuffix(before, " ") || strings.HasSuffix(before, "\n") || strings.HasSuffix(before, "(") {
			b.WriteString("~/")
		} else {
			b.WriteString(home + "/")
		}
		text = after
	}
}
