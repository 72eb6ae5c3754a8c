package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/host/config"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/modules"
	"github.com/pdpp-host/pdpp-host/host/plugin"
	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/host/run/holder"
	"github.com/pdpp-host/pdpp-host/storage"
)

// checkPlugins looks at the plugins folder and loads each module. It returns
// the sound ones by connector key. The error is an interruption.
func (a *app) checkPlugins(ctx context.Context, f *findings, c *config.Config) (map[string]*modules.Described, error) {
	sound := map[string]*modules.Described{}
	dir := c.PluginsDir()
	if !exists(dir) {
		f.add("plugins", notice, "there is no "+dir, "make it and copy connectors there, or run one by its path")
		return sound, nil
	}
	names, err := modules.Installed(dir)
	if err == nil {
		err = plugin.CheckDir(dir)
	}
	if err != nil {
		f.fail("plugins", err)
		return sound, nil
	}
	f.ok("plugins", fmt.Sprintf("%s in %s", output.Plural(int64(len(names)), "connector"), dir))
	return sound, a.WithAnyEngine(c, func(engine *plugin.Engine) error {
		for _, name := range names {
			file, err := plugin.Open(filepath.Join(dir, name+plugin.Extension), c.ModuleBytes())
			var d *modules.Described
			if err == nil {
				d, err = modules.Describe(ctx, engine, file)
			}
			if ctx.Err() != nil {
				return errors.Join(context.Cause(ctx), err)
			}
			if err == nil {
				err = modules.Misnamed(name, d)
			}
			if err != nil {
				f.fail("plugin "+name, err)
				continue
			}
			sound[abi.CanonicalKey(d.Manifest.ConnectorKey)] = d
			f.ok("plugin "+name, fmt.Sprintf("%s %s  sha256 %s", d.Manifest.ConnectorKey, d.Manifest.Version, output.ShortHash(file.SHA256)))
		}
		return nil
	})
}

// runsPage is how many runs are read at a time.
const runsPage = 100

// checkStore looks at the database, its promises, its connections and the runs
// that were left behind. The error is an interruption.
func (a *app) checkStore(ctx context.Context, f *findings, c *config.Config, sound map[string]*modules.Described, repair bool) error {
	if !c.StoreOnServer() && !exists(c.StorageDSN()) {
		f.ok("store", "not made yet; the first run makes it")
		return nil
	}
	open := a.toRead
	if repair {
		open = a.withStore
	}
	err := open(ctx, func(c *config.Config, store *storage.Store) error {
		report, err := store.Check(ctx)
		if err != nil {
			return err
		}
		for _, p := range report.Problems {
			f.all = append(f.all, finding{"store", broken, p, string(abi.CodeStoreCorrupt),
				"copy the data folder somewhere safe, then restore a back-up or collect again into a new one"})
		}
		if len(report.Problems) == 0 {
			f.ok("store", "sound, "+output.Plural(report.Records, "record")+" looked at")
		}
		if err := checkServer(ctx, f, store); err != nil {
			return err
		}
		if err := checkSpace(ctx, f, store); err != nil {
			return err
		}
		if err := a.checkEvidence(ctx, f, store, repair); err != nil {
			return err
		}
		if err := a.checkConnections(ctx, f, c, store, sound); err != nil {
			return err
		}
		if err := a.checkCredentials(ctx, f, c, store); err != nil {
			return err
		}
		if err := checkRuns(ctx, f, store); err != nil {
			return err
		}
		return a.checkServing(ctx, f, repair)
	})
	if err != nil && ctx.Err() != nil {
		return errors.Join(context.Cause(ctx), err)
	}
	if err != nil {
		f.fail("store", err)
	}
	return nil
}

// checkConnections looks at each connection: could it run, and how is it?
func (a *app) checkConnections(ctx context.Context, f *findings, c *config.Config, store *storage.Store, sound map[string]*modules.Described) error {
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
			f.fail("connection "+connections[i].Name, why)
			continue
		}
		if there := fed[connections[i].ID]; len(there) > 0 {
			checkFeeds(f, &connections[i], there)
			continue
		}
		a.checkConnection(f, c, &connections[i], sound)
	}
	return a.checkHealth(ctx, f, c, fed)
}

// checkConnection asks whether the connection could run now: is its module the
// accepted one, are its folders there?
func (a *app) checkConnection(f *findings, c *config.Config, conn *storage.Connection, sound map[string]*modules.Described) {
	check := "connection " + conn.Name
	at, err := elsewhere(c, conn)
	if err != nil {
		f.fail(check, err)
		return
	}
	if d := sound[abi.CanonicalKey(conn.Connector)]; at == "" && d != nil && conn.PinnedSHA256 != "" && conn.PinnedSHA256 != d.File.SHA256 {
		f.all = append(f.all, finding{check, broken, "its module is not the accepted one", string(abi.CodePluginChanged),
			"look at it with: pdpp-host plugins verify " + d.File.Name})
		return
	}
	if at == "" && sound[abi.CanonicalKey(conn.Connector)] == nil {
		f.add(check, notice, "no sound module of connector "+conn.Connector+" is in the plugins folder",
			"put it there, or run it by its path: pdpp-host run ./"+conn.Connector+".wasm")
		return
	}
	m := modules.Pinned(conn)
	if m == nil {
		refusal := run.NotAccepted(conn.Connector, conn.Name, at)
		f.add(check, notice, refusal.Message, refusal.Hint)
		return
	}
	if declared, required := m.Declares(abi.BindingFilesystem); declared {
		roots, err := a.Resolver(c).Resolve(m, conn.Roots, conn.Accepted)
		// Without folders of its own the connection may be given one by its next run.
		if root, _ := goneFolder(run.Folders(conn)); abi.CodeOf(err) == abi.CodeRootMissing && (!required || len(conn.Roots) == 0 && root == "") {
			f.add(check, notice, output.ProblemOf(err).Message, output.ProblemOf(err).Hint)
			return
		}
		if err == nil {
			err = run.CheckSources(conn, roots, conn.Options)
		}
		if err != nil {
			f.fail(check, a.ofConnection(conn, runFlags{}, err))
			return
		}
	}
	f.ok(check, "its module and its folders are there")
}

// elsewhere is where the connection's module is, if that was named by its path and is
// not the plugins folder's.
func elsewhere(c *config.Config, conn *storage.Connection) (path string, err error) {
	if run.ModulePath(conn) == "" {
		return "", nil
	}
	file, path, err := modules.Of(c, conn)
	if err == nil && path != "" && conn.PinnedSHA256 != "" && conn.PinnedSHA256 != file.SHA256 {
		err = abi.NewError(abi.CodePluginChanged, "its module is not the accepted one", "look at it with: pdpp-host plugins verify "+quoted(path))
	}
	return path, err
}

// checkFeeds says who collects a connection of devices: what it needs is there and
// not here.
func checkFeeds(f *findings, conn *storage.Connection, fed []storage.SourceInstance) {
	check := "connection " + conn.Name
	trusted := owner.ActiveFeeds(fed)
	if len(trusted) == 0 {
		f.add(check, notice, "its device was revoked: nothing new comes in", output.ProblemOf(owner.OnDevice(conn.Name, conn.Connector, fed)).Hint)
		return
	}
	var hosts []string
	for i := range trusted {
		hosts = append(hosts, owner.HostOf(&trusted[i]))
	}
	f.ok(check, "is collected on "+strings.Join(hosts, ", "))
}

// checkRuns names runs whose process is gone. However long the history is, only
// what has no end is read, a page at a time.
func checkRuns(ctx context.Context, f *findings, store *storage.Store) error {
	for after := int64(0); ; {
		runs, next, err := store.UnfinishedRuns(ctx, after, runsPage)
		if err != nil {
			return err
		}
		for i := range runs {
			if !holder.Alive(runs[i].Holder) {
				f.add("runs", notice, runs[i].ID+" of "+runs[i].Connector+" was left behind by a process that is gone",
					"nothing has to be done: the connection's next run takes over and goes on from the last checkpoint")
			}
		}
		if next == 0 {
			return nil
		}
		after = next
	}
}

// checkServer says what the store's server is, and whether it keeps what it confirms.
func checkServer(ctx context.Context, f *findings, store *storage.Store) error {
	s, err := store.Host(ctx)
	if err != nil || s == nil {
		return err
	}
	f.ok("store server", fmt.Sprintf("PostgreSQL %s, %s, at %s", s.Version, s.Encoding, store.Path()))
	if !s.Durable {
		f.add("store server", notice, "the server confirms a write before it is on its disk", "set fsync, synchronous_commit and full_page_writes to on, their defaults")
	}
	return nil
}

// checkSpace says what takes the store's room.
func checkSpace(ctx context.Context, f *findings, store *storage.Store) error {
	s, err := store.Space(ctx)
	if err != nil {
		return err
	}
	f.ok("space", fmt.Sprintf("records %s, run history %s, details still to fetch and their like %s, the rest %s, free %s (pdpp-host store compact gives it back)",
		output.Bytes(s.Records), output.Bytes(s.History), output.Bytes(s.Gaps), output.Bytes(s.Rest), output.Bytes(s.Free)))
	return nil
}
