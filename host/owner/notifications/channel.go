package notifications

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/notify"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/credential"
	"github.com/pdpp-host/pdpp-host/host/owner/words"
	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/host/vault"
	"github.com/pdpp-host/pdpp-host/storage"
)

// The codes of this room, beside those of host/notify.
const (
	CodeUnknown        = storage.CodeChannelUnknown // there is no such channel
	CodeAddressInvalid = notify.CodeAddressInvalid
)

// Email is an address of mail.
type Email = notify.Email

// Push is a browser that subscribed.
type Push = notify.Push

// longestName is in bytes.
const longestName = 100

// Channel is a way to the owner, as every face may show it.
type Channel struct {
	ID        string     `json:"id"`
	Kind      string     `json:"kind"` // web_push, email, service
	Name      string     `json:"name"`
	Target    string     `json:"target"` // a host or a mailbox
	CreatedAt time.Time  `json:"created_at"`
	SentAt    *time.Time `json:"sent_at"` // null: nothing was sent
	Failing   bool       `json:"failing"`
	FailedAt  *time.Time `json:"failed_at"` // the last failure; null: it works
	Failures  int64      `json:"failures"`  // since it worked
	Code      string     `json:"code,omitempty"`
	NextAt    *time.Time `json:"next_at"` // the next attempt, where it fails
}

func shown(c *storage.Channel) Channel {
	out := Channel{
		ID: c.ID, Kind: c.Kind, Name: c.Name, Target: c.Target, CreatedAt: c.CreatedAt, SentAt: owner.Moment(c.SentAt),
		Failing: c.Failures > 0, FailedAt: owner.Moment(c.FailedAt), Failures: c.Failures, Code: c.Code,
	}
	if out.Failing {
		out.NextAt = owner.Moment(c.NextAt)
	}
	return out
}

// Address is where a channel leads.
type Address = notify.Address

// NewChannel is a channel to be added. Its address is a secret.
type NewChannel struct {
	Name    string // what the owner calls it; "": its target
	Address notify.Address
}

// Add adds a channel. It sends nothing: Test does.
func Add(ctx context.Context, o *owner.Owner, n NewChannel) (*Channel, error) {
	kind, target, err := n.Address.Kind()
	if err != nil {
		return nil, err
	}
	if n.Name = strings.TrimSpace(n.Name); n.Name == "" {
		n.Name = target
	}
	if len(n.Name) > longestName || words.Clean(n.Name) != n.Name {
		return nil, abi.NewError(abi.CodeUsage, "the channel's name is longer than 100 bytes, or not plain text", "name where it leads, such as phone")
	}
	store, err := o.Store(ctx)
	if err != nil {
		return nil, err
	}
	v, err := credential.OpenVault(ctx, store, o.Vault, true)
	if err != nil {
		return nil, err
	}
	id := newID(o, "chan_")
	sealed, err := seal(v, id, &n.Address)
	if err != nil {
		return nil, err
	}
	err = o.Audited(ctx, store, "notifications.add", id, func(ctx context.Context) error {
		return store.AddChannel(ctx, storage.Channel{ID: id, Kind: kind, Name: n.Name, Target: words.Clean(target), Sealed: sealed})
	})
	if err != nil {
		return nil, err
	}
	return Show(ctx, o, id)
}

// Show returns one channel.
func Show(ctx context.Context, o *owner.Owner, id string) (*Channel, error) {
	_, c, err := find(ctx, o, id)
	if err != nil {
		return nil, err
	}
	out := shown(c)
	return &out, nil
}

// Remove forgets a channel, and what is on its way to it.
func Remove(ctx context.Context, o *owner.Owner, id string) (*Channel, error) {
	store, c, err := find(ctx, o, id)
	if err != nil {
		return nil, err
	}
	err = o.Audited(ctx, store, "notifications.remove", c.ID, func(ctx context.Context) error {
		_, err := store.RemoveChannel(ctx, c.ID)
		return err
	})
	out := shown(c)
	return &out, err
}

// testWithin bounds a test.
const testWithin = 30 * time.Second

// Test sends a test by a channel, also in quiet hours, and keeps whether it works.
func Test(ctx context.Context, o *owner.Owner, id string) (*Channel, error) {
	store, c, err := find(ctx, o, id)
	if err != nil {
		return nil, err
	}
	s, err := newSending(ctx, o, store)
	if err != nil {
		return nil, err
	}
	title, body := notify.TestText()
	err = o.Audited(ctx, store, "notifications.test", c.ID, func(ctx context.Context) error {
		within, cancel := context.WithTimeout(ctx, testWithin)
		defer cancel()
		err := s.send(within, c, notify.Notification{ID: newID(o, "note_"), Title: title, Body: body})
		if err == nil {
			return store.ChannelWorked(ctx, c.ID)
		}
		return err
	})
	if err != nil {
		if kerr := store.ChannelFailed(context.WithoutCancel(ctx), c.ID, string(abi.CodeOf(err)), o.Now()); kerr != nil {
			o.Logger.Warn("it cannot be kept that a channel fails", "code", abi.CodeOf(kerr))
		}
		return nil, err
	}
	return Show(ctx, o, c.ID)
}

// find returns the channel of that id, or the only one of that name.
func find(ctx context.Context, o *owner.Owner, id string) (*storage.Store, *storage.Channel, error) {
	store, err := o.Store(ctx)
	if err != nil {
		return nil, nil, err
	}
	c, err := store.Channel(ctx, id)
	if abi.CodeOf(err) != CodeUnknown {
		return store, c, err
	}
	all, lerr := store.Channels(ctx)
	if lerr != nil {
		return store, nil, lerr
	}
	var named []*storage.Channel
	for i := range all {
		if all[i].Name == id {
			named = append(named, &all[i])
		}
	}
	if len(named) == 1 {
		return store, named[0], nil
	}
	return store, nil, err
}

func newID(o *owner.Owner, prefix string) string {
	return run.SortedID(prefix, o.Now(), o.Random)
}

// sealedFor is what addresses are sealed for, in the place of a connection.
const sealedFor = "notifications"

func seal(v *vault.Vault, id string, a *notify.Address) ([]byte, error) {
	plain, err := json.Marshal(a)
	if err != nil {
		return nil, err
	}
	defer clear(plain)
	return v.Seal(sealedFor, id, plain)
}
