package main

import (
	"strconv"

	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/accounts"
	"github.com/pdpp-host/pdpp-host/sdk/filecursor"
	"github.com/pdpp-host/pdpp-host/sdk/files"
	"github.com/pdpp-host/pdpp-host/sdk/jsonraw"
	"github.com/pdpp-host/pdpp-host/sdk/problems"
)

// The names of the granted roots.
const (
	rootHome     = "claude_code"
	rootProjects = "projects"
)

// collection is one run.
type collection struct {
	h    *sdk.Host
	home struct {
		folder

		entries *files.Listing
	}
	projects        folder
	projectsAbsent  bool
	transcriptsRead bool
	problems        *problems.Places
	books           *accounts.Books
	barred          []folder // those noted as unreadable

	files      fileSet
	notes      *files.Set
	results    files.Set
	otherTypes map[string]*int64 // line types that belong to no stream, and how many lines this run met
	later      int64             // files that no stream holds yet
	changed    bool              // the cursor of sessions has news
	dirty      map[string]bool   // sessions to emit
	touched    string            // the last one marked as such

	scanner     filecursor.Scanner
	parser      parser
	preview     jsonraw.Clipper
	looked      int                      // files whose names say nothing, and that were looked into
	families    map[string][]*transcript // by their first uuid
	copies      map[uint64]uint64        // uuids that the file being read leaves to others, and sums of what they have
	seen        map[uint64]uint64        // uuids of the file being read, as far as this run reads it
	alike       map[uint64]int           // messages without a uuid of the file being read, and how often each is there
	begun       int64                    // byte of the file being read at which this run begins
	met         bool                     // the file being read has a line
	lost        int64                    // of it, lines that no record holds, until they are counted
	understood  bool                     // and one that Claude Code writes
	lastSession string
	time        string

	total, read, step int64 // bytes: to read, done, done but not in read yet
	unsaved           int64 // bytes read since the last slice
	cutNow, cutEver   int64 // messages cut, by this run and by all
	slices            int
	cursor            []byte
}

func newCollection(h *sdk.Host) *collection {
	c := &collection{
		h: h, problems: problems.NewPlaces(h, kinds()...), notes: files.New(h, "memory_notes", "memory_notes:"),
		otherTypes: map[string]*int64{}, dirty: map[string]bool{}, families: map[string][]*transcript{},
	}
	c.notes.Reader(documentReader)
	c.results.Reader(documentReader)
	return c
}

func collect(h *sdk.Host) error {
	home, ok := h.Root(rootHome)
	if !ok {
		return &sdk.Failure{
			Code: "claude_code_home_missing", Message: "no folder was granted as " + rootHome,
			Hint: "manual_action_required",
		}
	}
	c := newCollection(h)
	c.books = accounts.Open(h)
	for _, stream := range [...]string{"messages", "attachments", "memory_notes", "skills", "slash_commands"} {
		c.books.Items(stream)
	}
	c.home.folder = folder{home, rootHome, ".", "."}
	c.projects = c.home.sub(rootProjects)
	if other, ok := h.Root(rootProjects); ok {
		c.projects = folder{other, rootProjects, ".", rootProjects}
	}
	c.home.entries = c.noted(c.home.folder, files.Walk{Depth: 1, Most: noBound, Pass: func(string) bool { return true }, Times: true}.List(home, "."))
	if err := c.readProjects(); err != nil {
		return err
	}
	if h.Wants("skills") {
		if err := c.skills(); err != nil {
			return err
		}
	}
	if h.Wants("slash_commands") {
		if err := c.commands(); err != nil {
			return err
		}
	}
	if err := c.inventories(); err != nil {
		return err
	}
	c.countTypes()
	if err := c.coverage(); err != nil {
		return err
	}
	if c.cutNow > 0 {
		h.Log(sdk.Info, problems.Counted(c.cutNow, cutOne, cutMany)+" (of the messages read in this run)")
	}
	c.nothingFound()
	return c.problems.Report()
}

// slice hands over a cursor for the lines read so far: the host commits it as soon as
// their records are durable (PB-D8).
func (c *collection) slice() error {
	if err := c.emitSessions(); err != nil {
		return err
	}
	c.unsaved = 0
	if !c.changed && !c.notes.Changed() && !c.results.Changed() {
		return nil
	}
	c.slices++
	c.encode()
	c.changed = false
	return c.h.Slice("sessions", "transcripts:"+strconv.Itoa(c.slices), c.cursor)
}
