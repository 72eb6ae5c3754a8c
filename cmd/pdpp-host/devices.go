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
	var allow []string
	accept := &cobra.Command{
		Use: "accept DEVICE", Short: "Let a device deliver the streams that its renewed connector adds", Args: takes("DEVICE"),
		Long: "Lets a device deliver the streams that its renewed connector adds. On a terminal you are asked; elsewhere you name them\n" +
			"with --allow. Until then none of them comes in.",
		ValidArgsFunction: a.completeDevice,
		RunE:              func(cmd *cobra.Command, args []string) error { return a.devicesAccept(cmd.Context(), args[0], allow) },
	}
	accept.Flags().StringArrayVar(&allow, "allow", nil, "accept the stream `NAME` without being asked (repeatable)")
	cmd.AddCommand(
		&cobra.Command{
			Use: "list", Short: "List the devices", Args: takes(),
			RunE: func(cmd *cobra.Command, _ []string) error { return list(cmd) },
		},
		a.inviteCommand(),
		accept,
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

	bindings []string
}

func viewDevice(d *storage.Device, sources []storage.SourceInstance) deviceRow {
	v := deviceRow{
		ID: d.ID, Label: d.Label, AgentVersion: d.AgentVersion, CreatedAt: d.CreatedAt, HeardAt: moment(d.HeardAt), RevokedAt: moment(d.RevokedAt),
		Connections: []string{},
	}
	for i := range sources {
		if sources[i].DeviceID != d.ID {
			continue
		}
		if !slices.Contains(v.Connections, sources[i].ConnectionName) {
			v.Connections = append(v.Connections, sources[i].ConnectionName)
		}
		if !slices.Contains(v.bindings, sources[i].Binding) {
			v.bindings = append(v.bindings, sources[i].Binding)
		}
	}
	return v
}

// deviceRows are all devices, the oldest first, revoked ones as well.
func deviceRows(ctx context.Context, store *storage.Store) ([]deviceRow, error) {
	devices, err := store.Devices(ctx)
	if err != nil {
		return nil, err
	}
	sources, err := store.SourceInstances(ctx, "")
	if err != nil {
		return nil, err
	}
	rows := make([]deviceRow, len(devices))
	for i := range devices {
		rows[i] = viewDevice(&devices[i], sources)
	}
	return rows, nil
}

func (v *deviceRow) name() string { return deviceName(v.Label, v.ID, v.bindings...) }

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
	return a.toRead(ctx, func(_ *config.Config, store *storage.Store) error {
		views, err := deviceRows(ctx, store)
		if err != nil {
			return err
		}
		return a.Printer.Result(output.Plural(int64(len(views)), "device"), map[string]any{"devices": views}, func(w io.Writer) {
			if len(views) == 0 {
				fmt.Fprintln(w, a.advice("no devices yet: `pdpp-host devices invite CONNECTOR` invites one"))
				return
			}
			rows := make([][]string, len(views))
			for i := range views {
				v := &views[i]
				rows[i] = []string{v.ID, v.name(), v.state(), dash(strings.Join(v.Connections, ", ")), dash(v.AgentVersion)}
			}
			output.Table(w, a.Printer.Style, []string{"device", "name", "state", "feeds", "version"}, rows)
		})
	})
}

func (a *app) devicesRevoke(ctx context.Context, typed string, yes bool) error {
	return a.withStore(ctx, func(_ *config.Config, store *storage.Store) error {
		v, err := findDevice(ctx, store, typed)
		if err != nil {
			return err
		}
		if !yes && v.RevokedAt == nil {
			what := "nothing that it delivered goes"
			if len(v.Connections) > 0 {
				what = "nothing new comes into " + strings.Join(v.Connections, ", ") + "; what came in stays"
			}
			return usage(fmt.Sprintf("revoking %s ends its deliveries: %s", v.name(), what), "if that is meant: pdpp-host devices revoke "+v.ID+" --yes")
		}
		at, err := store.RevokeDevice(ctx, v.ID)
		if err != nil {
			return err
		}
		v.RevokedAt = &at
		return a.Printer.Result("revoked "+v.ID+" "+v.name(), v, nil)
	})
}

func (a *app) completeDevice(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	c, err := a.config()
	if err != nil || len(args) > 0 || !exists(c.StorageDSN()) {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var ids []string
	_ = a.toRead(cmd.Context(), func(_ *config.Config, store *storage.Store) error {
		all, err := store.Devices(cmd.Context())
		for i := range all {
			ids = append(ids, all[i].ID)
		}
		return err
	}) // completion has nowhere to report to
	return ids, cobra.ShellCompDirectiveNoFileComp
}
