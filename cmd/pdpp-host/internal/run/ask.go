package run

import (
	"context"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/cmd/internal/progress"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/session"
	"github.com/pdpp-host/pdpp-host/host/interact"
	"github.com/pdpp-host/pdpp-host/host/run"
)

// asker is the terminal behind the port of host/run; nil when nobody can be
// asked. While a question stands, the progress display is off the screen.
func asker(s *session.Session, display *progress.Display, attended bool, from interact.Connector) run.Asker {
	if !attended {
		return nil
	}
	console, ok := interact.NewConsole(s.In)
	if !ok {
		return nil
	}
	return &screenAsker{terminal: interact.New(console, s.Err, from), display: display}
}

type screenAsker struct {
	terminal *interact.Terminal
	display  *progress.Display
}

// Ask implements run.Asker.
func (s *screenAsker) Ask(ctx context.Context, in abi.Interaction) (abi.InteractionResponse, error) {
	s.display.Suspend()
	defer s.display.Resume()
	return s.terminal.Ask(ctx, in)
}
