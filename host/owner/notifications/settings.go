package notifications

import (
	"context"
	"fmt"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/notify"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/credential"
	"github.com/pdpp-host/pdpp-host/storage"
)

// Settings are when the owner is told of what.
type Settings struct {
	QuietFrom  string `json:"quiet_from"` // HH:MM; "" with QuietUntil: no hour is quiet
	QuietUntil string `json:"quiet_until"`
	Zone       string `json:"zone"`        // of these, as Europe/Berlin; "": UTC
	TellsOver  bool   `json:"tells_over"`  // also when the owner is needed no more
	PushPublic string `json:"push_public"` // with which a browser subscribes; "": no key was made
}

// Overview is every channel, and the settings.
type Overview struct {
	Channels []Channel `json:"channels"`
	Settings Settings  `json:"settings"`
}

// List returns every channel, the oldest first, and the settings.
func List(ctx context.Context, o *owner.Owner) (*Overview, error) {
	store, err := o.Store(ctx)
	if err != nil {
		return nil, err
	}
	all, err := store.Channels(ctx)
	if err != nil {
		return nil, err
	}
	kept, _, err := store.NoticeSettings(ctx)
	if err != nil {
		return nil, err
	}
	out := &Overview{Channels: make([]Channel, len(all)), Settings: settingsOf(&kept)}
	for i := range all {
		out.Channels[i] = shown(&all[i])
	}
	return out, nil
}

func settingsOf(s *storage.NoticeSettings) Settings {
	out := Settings{Zone: s.Zone, TellsOver: s.TellsOver, PushPublic: s.PushPublic}
	if s.QuietFrom != s.QuietUntil {
		out.QuietFrom, out.QuietUntil = clock(s.QuietFrom), clock(s.QuietUntil)
	}
	return out
}

func clock(minutes int64) string { return fmt.Sprintf("%02d:%02d", minutes/60, minutes%60) }

// Change is a change of the settings. A field that is nil stays.
type Change struct {
	QuietFrom, QuietUntil *string // HH:MM, both or neither; "" for both ends quiet hours
	Zone                  *string
	TellsOver             *bool
}

// ChangeSettings changes when the owner is told of what.
func ChangeSettings(ctx context.Context, o *owner.Owner, c Change) (*Settings, error) {
	var from, until int64
	switch {
	case (c.QuietFrom == nil) != (c.QuietUntil == nil):
		return nil, abi.NewError(abi.CodeUsage, "quiet hours have a beginning and an end", "give both, such as 22:00 and 07:00")
	case c.QuietFrom != nil && (*c.QuietFrom != "" || *c.QuietUntil != ""):
		var err error
		if from, err = minutes(*c.QuietFrom); err == nil {
			until, err = minutes(*c.QuietUntil)
		}
		if err != nil || from == until {
			return nil, abi.NewError(abi.CodeUsage, "quiet hours are two times of the day, and not the same", "write them such as 22:00 and 07:00")
		}
	}
	if c.Zone != nil {
		if _, err := time.LoadLocation(*c.Zone); err != nil || *c.Zone == "Local" {
			return nil, abi.NewError(abi.CodeUsage, "there is no such time zone", "write it such as Europe/Berlin")
		}
	}
	store, err := o.Store(ctx)
	if err != nil {
		return nil, err
	}
	var now storage.NoticeSettings
	err = o.Audited(ctx, store, "notifications.settings", "notifications", func(ctx context.Context) (err error) {
		now, err = store.ChangeNoticeSettings(ctx, func(s *storage.NoticeSettings) {
			if c.QuietFrom != nil {
				s.QuietFrom, s.QuietUntil = from, until
			}
			if c.Zone != nil {
				s.Zone = *c.Zone
			}
			if c.TellsOver != nil {
				s.TellsOver = *c.TellsOver
			}
		})
		return err
	})
	if err != nil {
		return nil, err
	}
	out := settingsOf(&now)
	return &out, nil
}

func minutes(text string) (int64, error) {
	t, err := time.Parse("15:04", text)
	return int64(t.Hour()*60 + t.Minute()), err
}

// PushKey returns the public key with which a browser subscribes to Web Push. It makes one
// the first time.
func PushKey(ctx context.Context, o *owner.Owner) (string, error) {
	store, err := o.Store(ctx)
	if err != nil {
		return "", err
	}
	kept, _, err := store.NoticeSettings(ctx)
	if err != nil || kept.PushPublic != "" {
		return kept.PushPublic, err
	}
	v, err := credential.OpenVault(ctx, store, o.Vault, true)
	if err != nil {
		return "", err
	}
	key, err := notify.NewPushKey()
	if err != nil {
		return "", err
	}
	sealed, err := v.Seal(sealedFor, pushKeyField, []byte(key.Private))
	if err != nil {
		return "", err
	}
	err = o.Audited(ctx, store, "notifications.push_key", "notifications", func(ctx context.Context) (err error) {
		kept, err = store.ChangeNoticeSettings(ctx, func(s *storage.NoticeSettings) {
			if s.PushPublic == "" { // else another request was faster
				s.PushKey, s.PushPublic = sealed, key.Public
			}
		})
		return err
	})
	return kept.PushPublic, err
}

// pushKeyField is what the key of Web Push is sealed for.
const pushKeyField = "web push key"
