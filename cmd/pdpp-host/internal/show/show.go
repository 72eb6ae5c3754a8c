package show

import (
	"fmt"
	"strings"

	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/run/holder"
)

// NoConnections is said where connections are listed and there are none.
const NoConnections = "no connections yet: the first `pdpp-host run CONNECTOR` makes one"

// Dash is s, or a dash where there is nothing.
func Dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// RunState words how a run stands; one whose process is gone no longer runs.
func RunState(r *owner.Run) string {
	switch {
	case r.Unreadable:
		return r.Status + " (part of it cannot be read)"
	case r.Status == owner.StatusRunning && strings.HasPrefix(r.Holder, "device:"):
		return "running (on its device)" // whether it still does is for the connection's health to say
	case r.Status == owner.StatusRunning && !holder.Alive(r.Holder):
		return "stopped (its process is gone)"
	case r.Reason != "":
		return r.Status + " (" + r.Reason + ")"
	default:
		return r.Status
	}
}

// Feed names a device and what of it feeds the connection.
func Feed(f *owner.Feed) string {
	text := f.DeviceID
	if f.Label != "" {
		text = f.Label + "  " + text
	}
	text += ", source " + f.SourceInstanceID
	if f.Binding != "" {
		text += " (" + f.Binding + ")"
	}
	switch {
	case f.RevokedAt != nil:
		text += ", revoked " + output.Timestamp(*f.RevokedAt)
	case f.HeardAt != nil:
		text += ", heard " + output.Timestamp(*f.HeardAt)
	default:
		text += ", never heard"
	}
	return text
}

// News says what a source's deliveries have for the owner to know, a line each.
func News(n *owner.FeedNews, device string) (lines []string) {
	if n.OfferedAt != nil {
		lines = append(lines, "its connector was renewed and adds "+strings.Join(n.Offered, ", ")+"; nothing of these comes in until you accept them: pdpp-host devices accept "+device)
	}
	if n.ReplacedAt != nil {
		lines = append(lines, "its connector was renewed "+output.Timestamp(*n.ReplacedAt))
	}
	for i := range n.Refusals {
		r := &n.Refusals[i]
		lines = append(lines, "refused "+output.Timestamp(r.At)+ofStream(r.Stream)+": "+r.Message+" ["+r.Code+"]")
	}
	if r := n.RefusedBeside(); r != nil {
		lines = append(lines, "refused "+output.Timestamp(r.At)+": "+r.Message+" ["+r.Code+"]")
	}
	return lines
}

func ofStream(name string) string {
	if name == "" {
		return ""
	}
	return ", of stream " + name
}

// NoModule says that a connector's module is missing.
func NoModule(connector string) string {
	return "no module of connector " + output.Clean(connector) + " is in the plugins folder"
}

// Refusal is a refusal in one line.
func Refusal(v *owner.Refusal) string {
	text := output.Timestamp(v.At) + "  "
	if v.Message != "" {
		text += v.Message + "   "
	}
	text += "[" + v.Code + "]"
	if v.Times > 1 {
		text += fmt.Sprintf(", %d times since %s", v.Times, output.Timestamp(v.Since))
	}
	return output.Clean(text)
}
