package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/host/config"
	"github.com/pdpp-host/pdpp-host/storage"
)

// codeDeviceUnknown is of a device that nobody enrolled.
const codeDeviceUnknown abi.Code = "connection.device_unknown"

func (a *app) devicesCommand() *cobra.Command {
	list := func(cmd *cobra.Command) error { return a.devicesList(cmd.Context()) }
	cmd := a.group("devices", "Let machines deliver what they collect, and show them", list)
	cmd.Long = "A device is another machine that runs pdpp-local-collector: it collects what lies on it and delivers it to\n" +
		"`pdpp-host serve --listen`. It is invited with a code, and may deliver until it is revoked; it can read nothing."
	var yes bool
	revoke := &cobra.Command{
		Use: "revoke DEVICE", Short: "Take nothing from a device any more", Args: takes("DEVICE"),
		Long:              "Takes nothing from a device any more. What it delivered stays; what it still holds does not come in.",
		ValidArgsFunction: a.completeDevice,
		RunE:              func(cmd *cobra.Command, args []string) error { return a.devicesRevoke(cmd.Context(), args[0], yes) },
	}
	revoke.Flags().BoolVar(&yes, "yes", false, "yes, it may not deliver any more")
	cmd.AddCommand(
		&cobra.Command{
			Use: "list", Short: "List the devices", Args: takes(),
			RunE: func(cmd *cobra.Command, _ []string) error { return list(cmd) },
		},
		a.inviteCommand(),
		&cobra.Command{
			Use: "show DEVICE", Short: "Show a device and what it says of its uploads", Args: takes("DEVICE"),
			ValidArgsFunction: a.completeDevice,
			RunE:              func(cmd *cobra.Command, args []string) error { return a.devicesShow(cmd.Context(), args[0]) },
		},
		revoke,
	)
	return cmd
}

// deviceRow is a device as it is listed.
type deviceRow struct {
	ID           string     `json:"device_id"`
	Label        string     `json:"label"`
	AgentVersion string     `json:"agent_version"`
	CreatedAt    time.Time  `json:"created_at"`
	HeardAt      *time.Time `json:"last_heartbeat_at"` // null: never
	RevokedAt    *time.Time `json:"revoked_at"`        // null: it may deliver
	Connections  []string   `json:"connections"`       // that it feeds
}

func viewDevice(d *storage.Device, sources []storage.SourceInstance) deviceRow {
	v := deviceRow{
		ID: d.ID, Label: d.Label, AgentVersion: d.AgentVersion, CreatedAt: d.CreatedAt, HeardAt: moment(d.HeardAt), RevokedAt: moment(d.RevokedAt),
		Connections: []string{},
	}
	for i := range sources {
		if sources[i].DeviceID == d.ID && !slices.Contains(v.Connections, sources[i].ConnectionName) {
			v.Connections = append(v.Connections, sources[i].ConnectionName)
		}
	}
	return v
}

func (v *deviceRow) state() string {
	switch {
	case v.RevokedAt != nil:
		return "revoked " + output.Timestamp(*v.RevokedAt)
	case v.HeardAt == nil:
		return "never heard"
	default:
		return "heard " + output.Timestamp(*v.HeardAt)
	}
}

func (a *app) devicesList(ctx context.Context) error {
	return a.withStore(ctx, func(_ *config.Config, store *storage.Store) error {
		devices, err := store.Devices(ctx)
		if err != nil {
			return err
		}
		sources, err := store.SourceInstances(ctx, "")
		if err != nil {
			return err
		}
		views := make([]deviceRow, len(devices))
		for i := range devices {
			views[i] = viewDevice(&devices[i], sources)
		}
		return a.printer.Result(output.Plural(int64(len(views)), "device"), map[string]any{"devices": views}, func(w io.Writer) {
			if len(views) == 0 {
				fmt.Fprintln(w, a.advice("no devices yet: `pdpp-host devices invite CONNECTOR` invites one"))
				return
			}
			rows := make([][]string, len(views))
			for i := range views {
				v := &views[i]
				rows[i] = []string{v.ID, dash(v.Label), v.state(), dash(strings.Join(v.Connections, ", ")), dash(v.AgentVersion)}
			}
			output.Table(w, a.printer.Style, []string{"device", "name", "state", "feeds", "version"}, rows)
		})
	})
}

func (a *app) devicesRevoke(ctx context.Context, typed string, yes bool) error {
	return a.withStore(ctx, func(_ *config.Config, store *storage.Store) error {
		d, err := findDevice(ctx, store, typed)
		if err != nil {
			return err
		}
		sources, err := store.SourceInstances(ctx, "")
		if err != nil {
			return err
		}
		v := viewDevice(d, sources)
		if !yes && d.Active() {
			what := "nothing that it delivered goes"
			if len(v.Connections) > 0 {
				what = "nothing new comes into " + strings.Join(v.Connections, ", ") + "; what came in stays"
			}
			return usage(fmt.Sprintf("revoking %s ends its deliveries: %s", output.Clean(dash(d.Label)), what),
				"if that is meant: pdpp-host devices revoke "+d.ID+" --yes")
		}
		at, err := store.RevokeDevice(ctx, d.ID)
		if err != nil {
			return err
		}
		v.RevokedAt = &at
		return a.printer.Result(output.Clean(strings.TrimSpace("revoked "+d.ID+" "+d.Label)), v, nil)
	})
}

// findDevice finds a device by its id, or by its name where one alone has it.
func findDevice(ctx context.Context, store *storage.Store, typed string) (*storage.Device, error) {
	all, err := store.Devices(ctx)
	if err != nil {
		return nil, err
	}
	var byName []*storage.Device
	known := make([]string, 0, 2*len(all))
	for i := range all {
		if all[i].ID == typed {
			return &all[i], nil
		}
		if all[i].Label == typed && typed != "" {
			byName = append(byName, &all[i])
		}
		known = append(known, all[i].ID, all[i].Label)
	}
	if len(byName) == 1 {
		return byName[0], nil
	}
	hint := "pdpp-host devices list shows them"
	if n := config.Nearest(typed, known); n != "" && len(byName) == 0 {
		hint = fmt.Sprintf("did you mean %q? %s", n, hint)
	}
	message := fmt.Sprintf("there is no device %q", typed)
	if len(byName) > 1 {
		message = fmt.Sprintf("%d devices are called %q", len(byName), typed)
	}
	return nil, abi.NewError(codeDeviceUnknown, message, hint)
}

func (a *app) completeDevice(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	c, err := a.config()
	if err != nil || len(args) > 0 || !exists(c.StorageDSN()) {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var ids []string
	_ = a.withStore(cmd.Context(), func(_ *config.Config, store *storage.Store) error {
		all, err := store.Devices(cmd.Context())
		for i := range all {
			ids = append(ids, all[i].ID)
		}
		return err
	}) // completion has nowhere to report to
	return ids, cobra.ShellCompDirectiveNoFileComp
}
