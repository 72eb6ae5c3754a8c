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

	repair bool
	sound  map[string]*modules.Described // the installed modules that may run, by connector key
}

// Examine makes every check that the ones before it allow. With repair it makes again
// what health rests on from the rest, and expects no scheduler that is gone. The error
// is an interruption.
func Examine(ctx context.Context, o *owner.Owner, repair bool) ([]Finding, error) {
	e := &exam{Owner: o, repair: repair, sound: map[string]*modules.Described{}}
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
