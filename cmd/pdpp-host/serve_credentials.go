package main

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/manifest"
	"github.com/pdpp-host/pdpp-host/health/verdict"
	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/host/schedule"
	"github.com/pdpp-host/pdpp-host/storage"
)

// probeCredentials holds against a failure what was stored since, and whether the
// environment has another value than the one that failed: that a process was started
// again is no news. Where nothing was rejected, and a stored one is gone, any that is
// there is worth a try.
func (s *server) probeCredentials(ctx context.Context, c storage.Connection, o schedule.Obstacle) (verdict.SatisfactionEvidence, string, error) {
	none := verdict.SatisfactionEvidence{}
	stored, err := s.store.StoredCredentials(ctx, c.ID)
	if err != nil {
		return none, "", err
	}
	var newest time.Time
	for _, f := range stored {
		if f.UpdatedAt.After(newest) {
			newest = f.UpdatedAt
		}
	}
	mark := s.environment(&c, stored)
	version := strconv.FormatInt(newest.UnixMicro(), 10) + " " + mark
	if o.Code == schedule.CodeSignedOut {
		return verdict.SatisfactionEvidence{Credential: &verdict.CredentialEvidence{Present: s.signedIn(&c, stored)}}, version, nil
	}
	// A failure in the future is of a clock that was put back: what was stored since
	// cannot be told from what was stored before, and each is tried once.
	fresh := newest.After(o.Since) || o.Since.After(s.app.Now())
	if mark != "" {
		was, err := s.store.RejectedEnvironment(ctx, c.ID)
		if err != nil {
			return none, "", err
		}
		fresh = fresh || was != mark
	}
	return verdict.SatisfactionEvidence{Credential: &verdict.CredentialEvidence{Present: len(stored) > 0 || mark != "", Rejected: !fresh}}, version, nil
}

// signedIn tells whether all is there that the connector requires, in the store or
// in the environment. A process that only looks does not know the one of what serves.
func (s *server) signedIn(c *storage.Connection, stored []storage.StoredCredential) bool {
	m, getenv := pinnedManifest(c), ownEnvironment(c, s.getenv)
	return m == nil || !slices.ContainsFunc(manifest.Credentials(m), func(f abi.CredentialField) bool {
		return f.Required && !isStored(stored, f.Name) && (!s.serves() || environmentName(f, getenv) == "")
	})
}

func (s *server) serves() bool { return !s.began.IsZero() }

func isStored(stored []storage.StoredCredential, field string) bool {
	return slices.ContainsFunc(stored, func(c storage.StoredCredential) bool { return c.Field == field })
}

// environment is the mark of what a run of the connection takes from the environment;
// "" when it takes nothing from there, or this process makes no runs.
func (s *server) environment(c *storage.Connection, stored []storage.StoredCredential) string {
	m := pinnedManifest(c)
	if m == nil || !s.serves() {
		return ""
	}
	return environmentMark(c, manifest.Credentials(m), stored, ownEnvironment(c, s.getenv))
}

// markBytes is how much is kept of a value: enough to see that it is another one, all
// but once in 65,536 times, and too little to find out which it is, unless there are few
// it can be, also for who has the store and so the key.
const markBytes = 2

// environmentMark tells values of the environment apart, of one connection: the key is
// its id, which is random and of this host.
func environmentMark(c *storage.Connection, fields []abi.CredentialField, stored []storage.StoredCredential, getenv func(string) string) string {
	h, used := hmac.New(sha256.New, []byte(c.ID)), false
	for _, f := range fields {
		name := environmentName(f, getenv)
		if name == "" || isStored(stored, f.Name) { // a stored one wins
			continue
		}
		value := getenv(name)
		fmt.Fprintf(h, "%d %s %d %s ", len(f.Name), f.Name, len(value), value)
		used = true
	}
	if !used {
		return ""
	}
	return hex.EncodeToString(h.Sum(nil)[:markBytes])
}

// keepRejected keeps with a run that failed for its credentials which it had of the
// environment.
func (s *server) keepRejected(ctx context.Context, c *storage.Connection, r *run.Result, err error) {
	ended := schedule.Ended{Status: schedule.StatusRefused, Code: string(abi.CodeOf(err))}
	if err == nil {
		ended = schedule.Ended{Status: r.Status, Class: schedule.FailureClass(r.Reason, "")}
		if f := r.Error; f != nil {
			ended.Class, ended.Code, ended.RecoveryHint = schedule.FailureClass(r.Reason, f.Code), f.Code, f.RecoveryHint
		}
	}
	if !ended.CredentialsAtFault() {
		return
	}
	ctx = context.WithoutCancel(ctx)
	// Read again: the first run has accepted the manifest.
	now, err := s.store.Connection(ctx, c.Name)
	if err != nil {
		return // it was removed meanwhile
	}
	stored, err := s.store.StoredCredentials(ctx, now.ID)
	if err == nil {
		err = s.store.RejectEnvironment(ctx, now.ID, s.environment(now, stored))
	}
	if err != nil {
		s.app.Logger.Warn("it cannot be kept which credentials were rejected", "code", abi.CodeOf(err))
	}
}
