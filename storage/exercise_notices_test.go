package storage

import (
	"testing"
	"time"
)

// OC-19.3, OC-19.6: what is on its way is taken once, waits while its channel is left alone,
// and ends with its episode, its channel and its connection; a look is kept with all that
// came of it.
func exerciseNotices(_ *testing.T, x *exercise) {
	ctx := x.Context()
	n := x.newRun("c")
	_, looked, err := x.s.NoticeSettings(ctx)
	x.ok(err)
	x.same(looked, NoticeLooked{})
	settings, err := x.s.ChangeNoticeSettings(ctx, func(s *NoticeSettings) {
		s.QuietFrom, s.Zone, s.TellsOver, s.PushKey = 60, "Europe/Berlin", true, []byte("sealed")
	})
	x.ok(err)
	for _, id := range []string{"n1", "n2"} {
		x.ok(x.s.AddChannel(ctx, Channel{ID: id, Kind: "email", Name: "mail " + id, Target: "a@b", Sealed: []byte("sealed")}))
	}
	now := x.clock.Now().UTC()
	tell := func(id, identity string) NoticeLook {
		e := Episode{ConnectionID: n.ConnectionID, Identity: identity, BeganAt: now, SentAt: now}
		return NoticeLook{Kept: []Episode{e}, Texts: []NoticeText{{ConnectionID: n.ConnectionID, Identity: identity, ID: id, Title: "t", Body: id}}, Place: 7, At: now}
	}
	x.ok(x.s.KeepLook(ctx, tell("1", "reauth")))
	kept, looked, err := x.s.NoticeSettings(ctx)
	x.ok(err)
	x.same(kept, settings)
	x.same(looked, NoticeLooked{Place: 7, At: now})
	episodes, err := x.s.Episodes(ctx)
	x.ok(err)
	x.same(episodes, []Episode{{ConnectionID: n.ConnectionID, Identity: "reauth", BeganAt: now, SentAt: now}})
	x.same(x.due(), "n1;n2;")

	first, err := x.s.ClaimNotice(ctx, "n1")
	x.ok(err)
	x.same(*first, Notice{ID: "1.n1", ChannelID: "n1", Identity: "reauth", Title: "t", Body: "1", CreatedAt: now})
	x.same(x.due(), "n2;")
	again, err := x.s.ClaimNotice(ctx, "n1")
	x.ok(err)
	x.same(again == nil, true)
	x.ok(x.s.NoticeFailed(ctx, first, "egress.address_refused", now.Add(time.Minute), false))
	x.same(x.due(), "n2;")
	c, err := x.s.Channel(ctx, "n1")
	x.ok(err)
	x.same([]any{c.Failures, c.Code, c.FailedAt, c.NextAt}, []any{int64(1), "egress.address_refused", now, now.Add(time.Minute)})
	x.clock.forward(time.Minute)
	second, err := x.s.ClaimNotice(ctx, "n1")
	x.ok(err)
	x.same(second.Attempts, int64(1))
	x.ok(x.s.NoticeSent(ctx, second))
	c, err = x.s.Channel(ctx, "n1")
	x.ok(err)
	x.same([]any{c.Failures, c.Code, c.FailedAt, c.SentAt}, []any{int64(0), "", time.Time{}, x.clock.Now().UTC()})

	// The host dies in an attempt: it is not made again.
	_, err = x.s.ClaimNotice(ctx, "n2")
	x.ok(err)
	x.ok(x.s.DropClaimed(ctx))
	x.same(x.due(), "")

	// Told anew, over, and given up.
	x.ok(x.s.KeepLook(ctx, tell("2", "reauth")))
	x.ok(x.s.KeepLook(ctx, tell("3", "reauth")))
	third, err := x.s.ClaimNotice(ctx, "n1")
	x.ok(err)
	x.same(third.Body, "3")
	x.ok(x.s.NoticeFailed(ctx, third, "x", now, true))
	x.same(x.due(), "n2;")
	x.ok(x.s.KeepLook(ctx, NoticeLook{Over: []Episode{{ConnectionID: n.ConnectionID, Identity: "reauth"}}, At: now}))
	x.same(x.due(), "")

	x.ok(x.s.KeepLook(ctx, tell("4", "reauth")))
	had, err := x.s.RemoveChannel(ctx, "n1")
	x.ok(err)
	x.same(had, true)
	x.same(x.due(), "n2;")
	_, err = x.s.Channel(ctx, "n1")
	x.code(err, CodeChannelUnknown)
	x.ok(x.s.RemoveConnection(ctx, "c", nil))
	x.same(x.due(), "")
	x.ok(x.s.KeepLook(ctx, tell("5", "reauth")))
	x.same(x.due(), "")
}

// due are the channels that something is on its way to.
func (x *exercise) due() (text string) {
	x.Helper()
	ids, err := x.s.DueChannels(x.Context())
	x.ok(err)
	for _, id := range ids {
		text += id + ";"
	}
	return text
}
