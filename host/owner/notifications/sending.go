package notifications

import (
	"context"
	"encoding/json"
	"log/slog"
	"sync"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/notify"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/credential"
	"github.com/pdpp-host/pdpp-host/storage"
)

// How often and for how long a channel that fails is tried.
const (
	firstPause   = 30 * time.Second
	longestPause = time.Hour
	triedFor     = 24 * time.Hour
	sendWithin   = 20 * time.Second
)

// sending speaks to channels.
type sending struct {
	o      *owner.Owner
	store  *storage.Store
	sender *notify.Sender
	logger *slog.Logger

	mu      sync.Mutex
	busy    map[string]bool // by the channel's id
	running sync.WaitGroup
}

func newSending(ctx context.Context, o *owner.Owner, store *storage.Store) (*sending, error) {
	s := &sending{o: o, store: store, logger: o.Logger, sender: &notify.Sender{AllowPrivate: o.Config.AllowPrivate()}, busy: map[string]bool{}}
	return s, s.readPushKey(ctx)
}

// readPushKey reads the key of Web Push, where there is one.
func (s *sending) readPushKey(ctx context.Context) error {
	kept, _, err := s.store.NoticeSettings(ctx)
	if err != nil || kept.PushPublic == "" {
		return err
	}
	v, err := credential.OpenVault(ctx, s.store, s.o.Vault, false)
	if err != nil {
		return err
	}
	private, err := v.Unseal(sealedFor, pushKeyField, kept.PushKey)
	if err != nil {
		return err
	}
	sender := *s.sender
	sender.PushKey = &notify.PushKey{Public: kept.PushPublic, Private: string(private), Contact: s.o.Config.Origin()}
	s.sender = &sender
	return nil
}

// send sends one notification by a channel.
func (s *sending) send(ctx context.Context, c *storage.Channel, n notify.Notification) error {
	v, err := credential.OpenVault(ctx, s.store, s.o.Vault, false)
	if err != nil {
		return err
	}
	plain, err := v.Unseal(sealedFor, c.ID, c.Sealed)
	if err != nil {
		return err
	}
	defer clear(plain)
	var a notify.Address
	if err := json.Unmarshal(plain, &a); err != nil {
		return abi.NewError(notify.CodeAddressInvalid, "the channel's address cannot be read", "remove the channel and add it again")
	}
	return s.sender.Send(ctx, &a, n)
}

// deliver sends what is on its way, each channel by itself, so that one that hangs holds up
// no other. It does not wait for that.
func (s *sending) deliver(ctx context.Context) error {
	due, err := s.store.DueChannels(ctx)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range due {
		if s.busy[id] {
			continue
		}
		s.busy[id] = true
		s.running.Go(func() {
			defer func() { s.mu.Lock(); defer s.mu.Unlock(); delete(s.busy, id) }()
			for more := true; more && ctx.Err() == nil; {
				var err error
				if more, err = s.next(context.WithoutCancel(ctx), id); err != nil {
					s.logger.Warn("a notification cannot be read or kept; tried again", "code", abi.CodeOf(err))
					return
				}
			}
		})
	}
	return nil
}

// next sends the next notice by a channel, and reports whether there may be more. An attempt
// that has begun goes to its end: what became of one that was cut nobody knows.
func (s *sending) next(ctx context.Context, id string) (more bool, err error) {
	n, err := s.store.ClaimNotice(ctx, id)
	if err != nil || n == nil {
		return false, err
	}
	c, err := s.store.Channel(ctx, id)
	if err != nil {
		return false, err
	}
	within, cancel := context.WithTimeout(ctx, sendWithin)
	defer cancel()
	failure := s.send(within, c, notify.Notification{ID: n.ID, Title: n.Title, Body: n.Body})
	if failure == nil {
		return true, s.store.NoticeSent(ctx, n)
	}
	now := s.o.Now()
	next, last := now.Add(pause(c.Failures)), now.Sub(n.CreatedAt).Abs() >= triedFor
	s.logger.Warn("a channel of notifications fails", "channel", c.ID, "code", abi.CodeOf(failure), "again", next.UTC().Format(time.RFC3339), "given_up", last)
	return false, s.store.NoticeFailed(ctx, n, string(abi.CodeOf(failure)), next, last)
}

// pause is how long a channel is left alone that has failed so often before.
func pause(failures int64) time.Duration {
	wait := firstPause
	for range min(failures, 10) {
		wait = min(2*wait, longestPause)
	}
	return wait
}
