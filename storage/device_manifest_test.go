package storage

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/device"
)

// A device that replaces its manifest is told of, and one that adds streams waits for
// the owner.
func TestAReplacedManifestWaitsForTheOwner(t *testing.T) {
	t.Parallel()
	x := newExercise(t)
	ctx := x.Context()
	x.invite("code", "laptop")
	src, err := x.enroll("code", "token")
	x.ok(err)
	put := func(module, manifest string) error {
		_, err := x.s.PutDeviceManifest(ctx, src, hashOf(module), []byte(manifest))
		return err
	}
	now := func() *SourceInstance {
		s, err := x.s.SourceInstance(ctx, src.DeviceID, src.ID)
		x.ok(err)
		return s
	}
	pinned := func() string {
		c, err := x.s.Connection(ctx, src.ConnectionID)
		x.ok(err)
		return string(c.PinnedManifest)
	}
	const one, two, other = `{"streams":[{"name":"a"}]}`, `{"streams":[{"name":"a"},{"name":"b"}]}`, `{"streams":[{"name":"b"}]}`
	x.ok(put("m1", two))
	if s := now(); !s.ReplacedAt.IsZero() || !s.OfferedAt.IsZero() {
		t.Errorf("the first manifest: replaced %v, offered %v, want neither", s.ReplacedAt, s.OfferedAt)
	}
	x.ok(put("m2", one))
	if s := now(); s.ReplacedAt.IsZero() || pinned() != one {
		t.Errorf("one stream fewer: replaced %v, pinned %s, want the new one at once", s.ReplacedAt, pinned())
	}
	for range 2 {
		err := put("m3", other)
		if abi.CodeOf(err) != device.CodeManifestNotAccepted || !strings.Contains(err.Error(), ": b") {
			t.Errorf("a stream more: %v, want %s naming b", err, device.CodeManifestNotAccepted)
		}
	}
	if s := now(); s.OfferedAt.IsZero() || string(s.OfferedManifest) != other || pinned() != one {
		t.Errorf("offered %q at %v, pinned %s, want it offered and the old one pinned", s.OfferedManifest, s.OfferedAt, pinned())
	}
	seen := now()
	const third = `{"streams":[{"name":"b"},{"name":"secrets"}]}`
	if err := put("m3", third); abi.CodeOf(err) != device.CodeManifestNotAccepted {
		t.Errorf("another offer: %v, want %s", err, device.CodeManifestNotAccepted)
	}
	if err := x.s.AcceptDeviceManifest(ctx, seen); abi.CodeOf(err) != device.CodeManifestNotAccepted || pinned() != one {
		t.Errorf("accepted an offer that came after the one that was seen: %v, pinned %s, want %s and the old one", err, pinned(), device.CodeManifestNotAccepted)
	}
	if err := put("m3", other); abi.CodeOf(err) != device.CodeManifestNotAccepted {
		t.Errorf("the first offer again: %v, want %s", err, device.CodeManifestNotAccepted)
	}
	x.ok(x.s.AcceptDeviceManifest(ctx, now()))
	if s := now(); !s.OfferedAt.IsZero() || len(s.OfferedManifest) != 0 || pinned() != other {
		t.Errorf("after the owner accepted: offered %q, pinned %s, want none and the new one", s.OfferedManifest, pinned())
	}
	x.ok(put("m3", other))
	if err := x.s.AcceptDeviceManifest(ctx, now()); abi.CodeOf(err) != device.CodeNotFound {
		t.Errorf("accepted without an offer: %v, want %s", err, device.CodeNotFound)
	}
	x.ok(x.s.LearnManifest(ctx, src, hashOf("m4"), []byte(one)))
	if pinned() != other {
		t.Errorf("pinned %s over the manifest that the source put, want %s", pinned(), other)
	}
}

// A manifest that this host learns is pinned at once, and ends what was offered.
func TestALearnedManifestWaitsForNobody(t *testing.T) {
	t.Parallel()
	x := newExercise(t)
	ctx := x.Context()
	x.invite("code", "laptop")
	src, err := x.enroll("code", "token")
	x.ok(err)
	for _, m := range []string{`{"streams":[{"name":"a"}]}`, `{"streams":[{"name":"a"},{"name":"b"}]}`, `{"streams":[{"name":"b"}]}`} {
		x.ok(x.s.LearnManifest(ctx, src, hashOf("module"), []byte(m)))
		s, err := x.s.SourceInstance(ctx, src.DeviceID, src.ID)
		x.ok(err)
		c, err := x.s.Connection(ctx, src.ConnectionID)
		x.ok(err)
		if string(c.PinnedManifest) != m || !s.ReplacedAt.IsZero() || !s.OfferedAt.IsZero() || s.ManifestSHA256 != "" {
			t.Errorf("pinned %s, replaced %v, offered %v, put %q; want %s and nothing else", c.PinnedManifest, s.ReplacedAt, s.OfferedAt, s.ManifestSHA256, m)
		}
	}
}

// The manifest that an owner gives with a code is pinned for the device that enrols with it, on a connection that another
// device has fed as well.
func TestACodeHasAManifest(t *testing.T) {
	t.Parallel()
	x := newExercise(t)
	ctx := x.Context()
	for i, given := range []string{"", `{"streams":[{"name":"a"}]}`, `{"streams":[{"name":"b"}]}`, ""} {
		name := fmt.Sprint("code", i)
		x.ok(x.s.NewEnrollmentCode(ctx, EnrollmentCode{
			CodeHash: hashOf(name), ConnectorID: "slack", Binding: "laptop", ExpiresAt: x.clock.Now().Add(time.Hour), Manifest: []byte(given),
		}))
		src, err := x.enroll(name, name)
		x.ok(err)
		c, err := x.s.Connection(ctx, src.ConnectionID)
		x.ok(err)
		if i == 3 {
			given = `{"streams":[{"name":"b"}]}` // what is known stays
		}
		x.same([]any{string(c.PinnedManifest), src.ManifestSHA256}, []any{given, ""})
	}
}
