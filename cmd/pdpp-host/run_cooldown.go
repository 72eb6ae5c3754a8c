package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/schedule"
	"github.com/pdpp-host/pdpp-host/storage"
)

// cooledDown refuses a run that the provider's pressure puts off, and says until
// when. An owner who insists says --force.
func (a *app) cooledDown(ctx context.Context, store *storage.Store, connection string) error {
	in, err := cooldownInput(ctx, store, connection)
	if abi.CodeOf(err) == abi.CodeConnectionUnknown {
		return nil // its first run
	}
	if err != nil {
		return err
	}
	until, why := schedule.Cooldown(in, a.now())
	if until.IsZero() {
		return nil
	}
	return abi.NewError(abi.CodeCoolingDown, "the service asked for fewer requests: the connection cools down until "+a.clock(until),
		"wait until then, or run it now with --force; what was collected is kept").
		WithDetail(fmt.Sprintf("%s, until %s, %s", connection, until.UTC().Format(time.RFC3339), reasonsOf(why)))
}

func reasonsOf(why schedule.Cooling) string {
	words := make([]string, len(why.Reasons))
	for i, r := range why.Reasons {
		words[i] = string(r)
	}
	return strings.Join(words, ", ")
}

// clock is the time of day where that is enough.
func (a *app) clock(t time.Time) string {
	if t.Sub(a.now()) < 12*time.Hour {
		return t.Local().Format("15:04:05")
	}
	return t.Local().Format("2006-01-02 15:04")
}

// cooldownInput reads what a connection's cooldown is made of.
func cooldownInput(ctx context.Context, store *storage.Store, connection string) (schedule.CooldownInput, error) {
	var in schedule.CooldownInput
	conn, err := store.Connection(ctx, connection)
	if err != nil {
		return in, err
	}
	p, err := store.SourcePressure(ctx, connection, sourcePressure())
	if err != nil {
		return in, err
	}
	for _, g := range p.Gaps {
		in.Gaps = append(in.Gaps, schedule.Gap{
			Reason: abi.Reason(g.Reason), AttemptCount: g.AttemptCount, LastAttemptAt: g.At, NextAttemptAfter: g.NextAttemptAfter,
		})
	}
	if r := p.Record; r != nil {
		in.Run = &schedule.Gap{
			Reason: abi.Reason(r.Reason), AttemptCount: r.AttemptCount, LastAttemptAt: r.At, NextAttemptAfter: r.NextAttempt,
		}
	}
	var m abi.Manifest
	if json.Unmarshal(conn.PinnedManifest, &m) == nil && m.Capabilities.RefreshPolicy != nil {
		policy := m.Capabilities.RefreshPolicy
		if s := policy.RecommendedIntervalSeconds; s != nil {
			in.Base = time.Duration(*s) * time.Second
		}
		if n := policy.MaxCooldownCycles; n != nil {
			in.MaxCycles = *n
		}
	}
	return in, nil
}
