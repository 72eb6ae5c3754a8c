package serving

import "github.com/pdpp-host/pdpp-host/host/owner/disk"

// leastFree is the room on the disk, in bytes, below which a server is not ready: a run
// could fill it.
const leastFree = 200 << 20

// Check is one thing that the server needs for its work.
type Check struct {
	Name string // store, scheduler, disk
	OK   bool
}

// Ready looks whether the server can do its work (OC-11). The store is writable when the
// right to serve was renewed in time and the last renewal did not fail, which is a write of its
// own each 15 seconds; the scheduler works when
// it makes passes and may begin runs, which it does not on a full disk. It reads and writes no file, so anybody may ask as often as they like.
// It is safe for concurrent use.
func (s *Server) Ready() []Check {
	now := s.Now()
	free, known := disk.Free(s.Config.DataDir())
	return []Check{
		{"store", s.right.heard(now)},
		{"scheduler", !s.right.stuck(now) && s.right.missing() == nil && s.RefusesRuns() == ""},
		{"disk", roomy(free, known)},
	}
}

func roomy(free uint64, known bool) bool { return !known || free >= leastFree }
