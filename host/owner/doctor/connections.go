package doctor

import (
	"context"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/health/verdict"
	"github.com/pdpp-host/pdpp-host/health/view"
	"github.com/pdpp-host/pdpp-host/host/config"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/modules"
	"github.com/pdpp-host/pdpp-host/host/owner/running"
	"github.com/pdpp-host/pdpp-host/host/owner/words"
	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/host/send/call"
	"github.com/pdpp-host/pdpp-host/storage"
)

// connections looks at each connection: could it run, and how is it?
func (e *exam) connections(ctx context.Context, store *storage.Store) error {
	connections, err := store.Connections(ctx)
	if err != nil {
		return err
	}
	fed, err := owner.FeedsByConnection(ctx, store)
	if err != nil {
		return err
	}
	for i := range connections {
		if why := connections[i].Unreadable; why != nil {
			e.fail("connection "+connections[i].Name, why)
			continue
		}
		if there := fed[connections[i].ID]; len(there) > 0 {
			e.feeds(&connections[i], there)
			continue
		}
		e.connection(&connections[i])
	}
	return e.EachBrief(ctx, func(x *storage.Evidence, b view.Brief) {
		e.health(&Health{b, x.Name, x.Connector, owner.FeedsOf(fed[x.ConnectionID]), !x.Accepted()})
	})
}

// health says of a connection what `status` says of it: its verdict, with the code of
// what keeps it from being collected.
func (e *exam) health(h *Health) {
	f := Finding{Check: "health " + h.Connection, Outcome: Healthy, Message: h.Verdict.Pill.Label + ": " + h.Verdict.ForwardStatement, Health: h}
	if tone := h.Verdict.Pill.Tone; tone == verdict.Amber || tone == verdict.Red {
		f.Outcome = Notice
	}
	if h.Verdict.Cause != nil {
		f.Code = string(h.Verdict.Cause.Code)
	}
	e.all = append(e.all, f)
}

// connection asks whether the connection could run now: is its module the accepted
// one, are its folders there?
func (e *exam) connection(conn *storage.Connection) {
	check := "connection " + conn.Name
	at, err := elsewhere(e.Config, conn)
	if err != nil {
		e.fail(check, err)
		return
	}
	installed := e.sound[abi.CanonicalKey(conn.Connector)]
	if at == "" && installed != nil && conn.PinnedSHA256 != "" && conn.PinnedSHA256 != installed.File.SHA256 {
		e.broken(check, "its module is not the accepted one", string(abi.CodePluginChanged), "look at it with: pdpp-host plugins verify "+installed.File.Name)
		return
	}
	if at == "" && installed == nil {
		e.add(check, Notice, "no sound module of connector "+conn.Connector+" is in the plugins folder",
			"put it there, or run it by its path: pdpp-host run ./"+conn.Connector+".wasm")
		return
	}
	m := modules.Pinned(conn)
	if m == nil {
		refusal := run.NotAccepted(conn.Connector, conn.Name, at)
		e.add(check, Notice, refusal.Message, refusal.Hint)
		return
	}
	if e.reads(check, conn, m) && e.asks(check, conn, m) {
		e.ok(check, "its module and its folders are there")
	}
}

// asks reports whether there is nothing to say of the address that the connection asks. Of
// one that asks its owner's server it says where that is.
func (e *exam) asks(check string, conn *storage.Connection, m *abi.Manifest) bool {
	n := m.Requirements.Network
	if n == nil || n.OwnServer() == nil {
		return true
	}
	address := conn.Options[run.OptionBaseURL]
	err := call.CheckAddress(n, address, e.Config.AllowPrivate())
	switch p := words.ProblemOf(err); {
	case err != nil && address == "":
		e.broken(check, p.Message, p.Code, "set it: pdpp-host connections set "+conn.Name+" --set base_url=https://ADDRESS")
		return false
	case err != nil:
		e.fail(check, err)
		return false
	}
	e.ok(check, "its module is there; it asks your own server at "+address)
	return false
}

// reads reports whether the connection's folders are there, or none are read.
func (e *exam) reads(check string, conn *storage.Connection, m *abi.Manifest) bool {
	declared, required := m.Declares(abi.BindingFilesystem)
	if !declared {
		return true
	}
	roots, err := e.Folders.Resolve(m, conn.Roots, conn.Accepted)
	// Without folders of its own the connection may be given one by its next run.
	if abi.CodeOf(err) == abi.CodeRootMissing && (!required || len(conn.Roots) == 0 && !running.FolderGone(conn)) {
		e.add(check, Notice, words.ProblemOf(err).Message, words.ProblemOf(err).Hint)
		return false
	}
	if err == nil {
		err = run.CheckSources(conn, roots, conn.Options)
	}
	if err != nil {
		e.fail(check, running.OfConnection(e.Home, conn, err))
	}
	return err == nil
}

// elsewhere is where the connection's module is, if that was named by its path and is
// not the plugins folder's.
func elsewhere(c *config.Config, conn *storage.Connection) (path string, err error) {
	if run.ModulePath(conn) == "" {
		return "", nil
	}
	file, path, err := modules.Of(c, conn)
	if err == nil && path != "" && conn.PinnedSHA256 != "" && conn.PinnedSHA256 != file.SHA256 {
		err = abi.NewError(abi.CodePluginChanged, "its module is not the accepted one", "look at it with: pdpp-host plugins verify "+words.Quoted(path))
	}
	return path, err
}

// feeds says who collects a connection of devices: what it needs is there and not
// here.
func (e *exam) feeds(conn *storage.Connection, fed []storage.SourceInstance) {
	check := "connection " + conn.Name
	trusted := owner.ActiveFeeds(fed)
	if len(trusted) == 0 {
		e.add(check, Notice, "its device was revoked: nothing new comes in", words.ProblemOf(owner.OnDevice(conn.Name, conn.Connector, fed)).Hint)
		return
	}
	var hosts []string
	for i := range trusted {
		hosts = append(hosts, owner.HostOf(&trusted[i]))
	}
	e.ok(check, "is collected on "+strings.Join(hosts, ", "))
}
