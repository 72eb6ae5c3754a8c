package ownerapi

import (
	"github.com/pdpp-host/pdpp-host/host/leftover"
	"github.com/pdpp-host/pdpp-host/host/owner/unread"
)

// filesDecision is an owner's word on files that were not understood.
type filesDecision struct {
	Ignore []string `json:"ignore,omitempty"` // files of the list, which may stay as they are, and patterns of files that are not for the connection
	Heed   []string `json:"heed,omitempty"`   // earlier ones that hold no longer
}

func (c *call) showFiles() (*leftover.Files, error) {
	return unread.Show(c.Context(), c.owner, c.r.PathValue("connection"))
}

func (c *call) decideFiles(in *filesDecision) (*leftover.Files, error) {
	return unread.Decide(c.Context(), c.owner, c.r.PathValue("connection"), leftover.Change(*in))
}
