package console

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/testplugins/rig/bed"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/browser"
)

// OC-17: the first story. An owner follows the link of a new host, chooses a password, adds a
// connector of files by the wizard, watches its first run to its end, finds the connection on
// the overview, browses what it collected, and finds a record by its words.
func TestAnOwnerStarts(t *testing.T) {
	t.Parallel()
	told(t, func(t *testing.T, o browser.Options) {
		owner := bed.New(t, "claude_code")
		folder := transcripts(t, owner)
		link := owner.Serve()
		p := browser.Visit(t, owner.Origin(), o).Page()
		p.Open(link)
		p.Fill("New password", bed.Password)
		p.Fill("The same again", bed.Password)
		p.Press("Set the password")
		p.See("Nothing is collected yet")
		p.Press("Add a connection")
		p.See("Reaches no other machine")
		p.Press("Look at it: Claude Code")
		p.See("This is all that it gets", "Claude Code")
		p.Fill("Name of the connection", "transcripts")
		p.Fill("Folder claude_code", folder)
		p.Refused(http.StatusConflict) // another folder is another thing to allow
		p.Press("Allow this and connect")
		p.See("What it gets has changed since you looked", folder)
		p.Press("Allow this and connect")
		p.At("/connections/transcripts/first")
		p.See("Almost there", "You can run it now")
		p.Press("Start the first run")
		p.At("/runs/")
		p.See("Run of transcripts")
		ends(p, o)
		p.See("Succeeded", "Where the next run goes on")
		p.Open("/")
		p.See("Nothing needs you", "transcripts", "Healthy")
		p.Press("Data")
		p.See("Everything that was collected", "By day")
		p.PressOne("link", "messages")
		p.At("/data/transcripts/messages")
		p.See("transcripts", "24 records", "user")
		p.Press("Data")
		for end := time.Now().Add(browser.Patience); ; { // the index follows the records
			p.Fill("Search everything", "Straße harbour")
			p.PressOne("button", "Search")
			p.At("/data/search")
			if p.Has("link", "transcripts") || strings.Contains(p.Text(), "messages · transcripts") || time.Now().After(end) {
				break
			}
		}
		p.See("messages · transcripts", "harbour")
		p.PressOne(".hit a", "")
		p.At("/data/transcripts/messages/record")
		p.See("Fields", "role", "harbour")
	})
}
