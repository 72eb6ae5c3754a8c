package serving

import (
	"context"

	"github.com/pdpp-host/pdpp-host/host/schedule"
	"github.com/pdpp-host/pdpp-host/storage"
)

// RunScheduled runs a connection as the scheduler does, which has read it before.
func (s *Server) RunScheduled(ctx context.Context, c storage.Connection) error {
	return s.run(ctx, schedule.Job{Connection: c})
}
