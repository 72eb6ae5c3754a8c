package collector

import (
	"context"
	"errors"
	"maps"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/manifest"
	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/storage"
)

// Keep keeps folders and options with a lane that has not run yet, so that its
// runs need not be told them. Nothing to keep makes no file.
func (c *Collector) Keep(ctx context.Context, m *abi.Manifest, roots, options map[string]string) error {
	if len(roots)+len(options) == 0 {
		return nil
	}
	if err := c.enrolledFor(m); err != nil {
		return err
	}
	if secret := run.SecretOptions(m, options); len(secret) > 0 {
		return abi.NewError(abi.CodeUsage, "an option is a credential of the connector", "leave it out: nothing secret is kept here").WithDetail(secret[0])
	}
	if err := manifest.CheckOptions(m, options); err != nil {
		return err
	}
	store, err := c.open(ctx)
	if err != nil {
		return err
	}
	_, err = store.EnsureConnection(ctx, m.ConnectorKey, m.ConnectorKey)
	if err == nil {
		err = c.rememberSources(ctx, store, m.ConnectorKey, roots, options)
	}
	return errors.Join(err, store.Close())
}

// rememberSources keeps with the lane what it was told to read, and how. It is called only once the run
// may begin: another folder than before was refused, or meant. An empty value forgets what
// was kept under its name.
func (c *Collector) rememberSources(ctx context.Context, store *storage.Outbox, name string, roots, options map[string]string) error {
	if len(roots)+len(options) == 0 {
		return nil
	}
	conn, err := store.Connection(ctx, name)
	if err != nil {
		return err
	}
	now := *conn
	now.Roots, now.Options = with(conn.Roots, roots), with(conn.Options, options)
	if maps.Equal(now.Roots, conn.Roots) && maps.Equal(now.Options, conn.Options) {
		return nil
	}
	return store.UpdateConnection(ctx, now)
}

func with(kept, told map[string]string) map[string]string {
	all := map[string]string{}
	maps.Copy(all, kept)
	maps.Copy(all, told)
	maps.DeleteFunc(all, func(_, value string) bool { return value == "" })
	return all
}
