package owner

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/owner/words"
	"github.com/pdpp-host/pdpp-host/storage"
)

// CodeOnDevice says that something cannot be done to a connection here, because a
// device feeds it.
const CodeOnDevice abi.Code = "connection.on_device"

// Feed is a source on a device as the connection that it feeds shows it. Sources of
// devices that were revoked are feeds as well: what they collected is theirs.
type Feed struct {
	DeviceID         string     `json:"device_id"`
	Label            string     `json:"label"`
	SourceInstanceID string     `json:"source_instance_id"`
	Binding          string     `json:"local_binding_name"`
	HeardAt          *time.Time `json:"last_heartbeat_at"` // null: never
	RevokedAt        *time.Time `json:"revoked_at"`        // null: it is trusted

	FeedNews
}

// FeedNews is what a source's deliveries have for the owner to know, in this host's
// words and not the device's.
type FeedNews struct {
	Refused *storage.RefusedDelivery `json:"refused_delivery"` // null: the last one was taken
	// Refusals hold records up: the last of each stream and code, until one of the stream is taken. The last comes first.
	Refusals   []storage.RefusedDelivery `json:"refused_deliveries,omitempty"`
	ReplacedAt *time.Time                `json:"manifest_replaced_at"`      // null: it runs the manifest that it began with
	Offered    []string                  `json:"offered_streams,omitempty"` // streams that the owner has not accepted yet
	OfferedAt  *time.Time                `json:"offered_at,omitempty"`
}

// FeedsOf are stored sources as feeds.
func FeedsOf(all []storage.SourceInstance) []Feed {
	feeds := make([]Feed, len(all))
	for i := range all {
		f := &all[i]
		feeds[i] = Feed{
			DeviceID: f.DeviceID, Label: f.DeviceLabel, SourceInstanceID: f.ID, Binding: f.Binding, HeardAt: Moment(f.HeardAt), RevokedAt: Moment(f.RevokedAt),
			FeedNews: NewsOf(f),
		}
	}
	return feeds
}

// NewsOf returns what a source's deliveries have for the owner to know.
func NewsOf(f *storage.SourceInstance) FeedNews {
	n := FeedNews{Refused: f.Refused, Refusals: f.Refusals, ReplacedAt: Moment(f.ReplacedAt), OfferedAt: Moment(f.OfferedAt)}
	if !f.OfferedAt.IsZero() {
		n.Offered = f.OfferedStreams
	}
	return n
}

// RefusedBeside is the last delivery that was refused, nil if it is among those that hold records up.
func (n *FeedNews) RefusedBeside() *storage.RefusedDelivery {
	if r := n.Refused; r != nil && !slices.ContainsFunc(n.Refusals, func(o storage.RefusedDelivery) bool { return o.Code == r.Code && o.Message == r.Message }) {
		return r
	}
	return nil
}

// Moment is nil for a time that never was.
func Moment(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// shortID is how much of an id names a device that has no other name.
const shortID = 12

// DeviceName returns what a device is called: what it calls itself, else what is
// collected there, else the start of its id.
func DeviceName(label, id string, bindings ...string) string {
	if label = strings.TrimSpace(words.Clean(label)); label != "" {
		return label
	}
	if name := strings.TrimSpace(words.Clean(strings.Join(bindings, ", "))); name != "" {
		return name
	}
	return words.Cut(id, shortID)
}

// HostOf names the device that a source is on.
func HostOf(f *storage.SourceInstance) string {
	return DeviceName(f.DeviceLabel, f.DeviceID, f.Binding)
}

// FeedsByConnection returns the sources that feed each connection, by its id.
func FeedsByConnection(ctx context.Context, store *storage.Store) (map[string][]storage.SourceInstance, error) {
	all, err := store.SourceInstances(ctx, "")
	byID := map[string][]storage.SourceInstance{}
	for _, f := range all {
		byID[f.ConnectionID] = append(byID[f.ConnectionID], f)
	}
	return byID, err
}

// OwnConnections returns the connections that this host runs: no module here is held
// against what a device runs.
func OwnConnections(ctx context.Context, store *storage.Store) ([]storage.Connection, error) {
	all, err := store.Connections(ctx)
	if err != nil {
		return nil, err
	}
	fed, err := FeedsByConnection(ctx, store)
	return slices.DeleteFunc(all, func(c storage.Connection) bool { return len(fed[c.ID]) > 0 }), err
}

// ActiveFeeds returns the sources of devices that are trusted.
func ActiveFeeds(all []storage.SourceInstance) []storage.SourceInstance {
	var out []storage.SourceInstance
	for _, f := range all {
		if f.Active() {
			out = append(out, f)
		}
	}
	return out
}

// CollectThere is the command that collects a source, on its device. It holds no
// address, token or path: the device knows its own.
func CollectThere(source string) string {
	return "pdpp-local-collector run --source-instance-id " + words.Quoted(source)
}

// OnDevice refuses to do something to a connection here, and says where it is
// done instead; nil when no device feeds it.
func OnDevice(connection, connector string, all []storage.SourceInstance) error {
	if len(all) == 0 {
		return nil
	}
	trusted := ActiveFeeds(all)
	var hosts, there []string
	for i := range all {
		f := &all[i]
		if !f.Active() && len(trusted) > 0 {
			continue // another one has taken its place
		}
		state := ", revoked"
		if f.Active() {
			state = ""
			there = append(there, fmt.Sprintf("on %q, type: %s", HostOf(f), CollectThere(f.ID)))
		}
		hosts = append(hosts, HostOf(f)+" ("+f.DeviceID+state+")")
	}
	hint := strings.Join(there, "   ")
	if len(trusted) == 0 {
		hint = fmt.Sprintf("its device was revoked: enrol one again with: pdpp-host devices invite %s --name %s   or collect it here under another name: "+
			"pdpp-host run %s --connection %s", words.Quoted(connector), words.Quoted(all[0].Binding), words.Quoted(connector), words.Quoted(connection+"-here"))
	}
	return abi.NewError(CodeOnDevice, fmt.Sprintf("connection %q is collected on a device, and not by this host", connection), hint).
		WithDetail("fed by " + strings.Join(hosts, ", "))
}

// NotOnDevice refuses a connection that a device feeds: what this host found in its own
// folders would take the place of what the device has. No connection of that name is no
// error.
func NotOnDevice(ctx context.Context, store *storage.Store, name string) error {
	conn, err := store.Connection(ctx, name)
	if abi.CodeOf(err) == abi.CodeConnectionUnknown {
		return nil
	}
	if conn == nil { // one that is unreadable has feeds all the same
		return err
	}
	all, err := store.SourceInstances(ctx, conn.ID)
	if err != nil {
		return err
	}
	return OnDevice(conn.Name, conn.Connector, all)
}
