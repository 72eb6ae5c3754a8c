package notice

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"github.com/pdpp-host/pdpp-host/storage/internal/db"
	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
)

// Settings are what the owner wants of notices.
type Settings struct {
	QuietFrom, QuietUntil int64  // minutes of the day; equal: no hour is quiet
	Zone                  string // of these; "": UTC
	TellsOver             bool   // also that an episode is over
	PushKey               []byte // sealed; nil: none was made
	PushPublic            string
}

// Looked is the last look that was kept.
type Looked struct {
	Place int64
	At    time.Time // zero: nobody has looked
}

type settingsRow struct {
	bun.BaseModel `bun:"table:notice_settings"`

	Name       string `bun:"name,pk"`
	QuietFrom  int64  `bun:"quiet_from"`
	QuietUntil int64  `bun:"quiet_until"`
	Zone       string `bun:"zone"`
	Tells      int64  `bun:"tells_over"`
	PushKey    []byte `bun:"push_key"`
	PushPublic string `bun:"push_public"`
	Place      int64  `bun:"place"`
	LookedUS   int64  `bun:"looked_us"`
}

func readSettings(ctx context.Context, q bun.IDB) (r settingsRow, err error) {
	r.Name = tables.TheOwner
	err = tables.ReadOwners(ctx, q, &r)
	return r, err
}

func keepSettings(t *db.Tx, change func(*settingsRow)) error {
	r, err := readSettings(t.Ctx, t.DB)
	if err != nil {
		return err
	}
	change(&r)
	_, err = t.DB.NewInsert().Model(&r).On("CONFLICT (name) DO UPDATE").
		Set("quiet_from = EXCLUDED.quiet_from, quiet_until = EXCLUDED.quiet_until, zone = EXCLUDED.zone, tells_over = EXCLUDED.tells_over").
		Set("push_key = EXCLUDED.push_key, push_public = EXCLUDED.push_public, place = EXCLUDED.place, looked_us = EXCLUDED.looked_us").Exec(t.Ctx)
	return err
}

func (r *settingsRow) public() Settings {
	return Settings{r.QuietFrom, r.QuietUntil, r.Zone, r.Tells == 1, r.PushKey, r.PushPublic}
}

// NoticeSettings returns the owner's settings, and the last look.
func (s *Store) NoticeSettings(ctx context.Context) (Settings, Looked, error) {
	r, err := readSettings(ctx, s.db.Read)
	if err != nil {
		return Settings{}, Looked{}, s.db.Fail("read the settings of notices", err)
	}
	return r.public(), Looked{r.Place, db.Time(r.LookedUS)}, nil
}

// ChangeNoticeSettings changes the owner's settings.
func (s *Store) ChangeNoticeSettings(ctx context.Context, change func(*Settings)) (now Settings, err error) {
	err = s.db.Alone(ctx, "keep the settings of notices", func(t *db.Tx) error {
		return keepSettings(t, func(r *settingsRow) {
			now = r.public()
			change(&now)
			r.QuietFrom, r.QuietUntil, r.Zone, r.PushKey, r.PushPublic, r.Tells = now.QuietFrom, now.QuietUntil, now.Zone, now.PushKey, now.PushPublic, 0
			if now.TellsOver {
				r.Tells = 1
			}
		})
	})
	return now, err
}
