package main

import (
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
)

// program is what an owner types for this binary.
const program = "pdpp-host"

// noConnections is said where connections are listed and there are none.
const noConnections = "no connections yet: the first `pdpp-host run CONNECTOR` makes one"

// place is the flags of this command line that say which installation is meant.
// A command that an owner is told to type repeats them, or it would look at
// another one. What the environment says still says it then.
func (f *globalFlags) place() string {
	var flags strings.Builder
	for _, x := range []struct{ name, value string }{{"--config", f.config}, {"--data-dir", f.dataDir}, {"--plugins", f.plugins}} {
		if x.value != "" {
			flags.WriteString(" " + x.name + " " + quoted(x.value))
		}
	}
	return flags.String()
}

// advice returns a text that tells the owner to type commands, with the flags that
// these commands need.
func (a *app) advice(text string) string { return withFlags(text, a.flags.place(), a.commands) }

// withFlags puts flags behind the program's name wherever one of its commands
// follows. Everything else of the text stays.
func withFlags(text, flags string, commands []string) string {
	if flags == "" {
		return text
	}
	var b strings.Builder
	for {
		before, after, found := strings.Cut(text, program+" ")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		b.WriteString(program)
		for _, c := range commands {
			if rest, is := strings.CutPrefix(after, c); is && !goesOn(rest) {
				b.WriteString(flags)
				break
			}
		}
		b.WriteByte(' ')
		text = after
	}
}

// goesOn reports whether the text begins with the rest of a word.
func goesOn(rest string) bool {
	return rest != "" && (rest[0] >= 'a' && rest[0] <= 'z' || rest[0] >= '0' && rest[0] <= '9')
}

// advised is err, with advice in the place of its hint.
func (a *app) advised(err error) error {
	if err == nil || a.flags.place() == "" {
		return err
	}
	e := output.Typed(err)
	hint := a.advice(e.Hint)
	if hint == e.Hint {
		return err
	}
	return abi.NewError(e.Code, e.Message, hint).WithDetail(e.Detail).Wrap(err)
}
