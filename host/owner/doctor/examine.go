package doctor

import (
	"context"

	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/modules"
)

// exam is one examination.
type exam struct {
	findings
	*owner.Owner

	deep, repair bool

	sound map[string]*modules.Described // the installed modules that may run, by connector key
}

// Options say how thorough an examination is.
type Options struct {
	Deep   bool // reads the whole store, which takes minutes where it has a million records
	Repair bool // makes again what health rests on, and the index, from the rest, and expects no scheduler that is gone; it is deep
}

// Examine makes every check that the ones before it allow. How long it takes does not depend on how many
// records there are, unless it is deep. The error is an interruption.
func Examine(ctx context.Context, o *owner.Owner, how Options) ([]Finding, error) {
	e := &exam{Owner: o, deep: how.Deep || how.Repair, repair: how.Repair, sound: map[string]*modules.Described{}}
	e.machine(ctx)
	e.configuration()
	e.folders()
	e.disk()
	e.sandbox()
	if err := e.plugins(ctx); err != nil {
		return nil, err
	}
	if err := e.browser(ctx); err != nil {
		return nil, err
	}
	e.profiles()
	if err := e.stored(ctx); err != nil {
		return nil, err
	}
	return e.all, nil
}

func (e *exam) configuration() {
	switch file := e.Config.File(); {
	case file == "":
		e.ok("configuration", "no file; the defaults hold")
	default:
		e.ok("configuration", file)
	}
}
