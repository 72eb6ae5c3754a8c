package storage

import (
	"strings"
	"testing"

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
	x.ok(x.s.AcceptDeviceManifest(ctx, src))
	if s := now(); !s.OfferedAt.IsZero() || len(s.OfferedManifest) != 0 || pinned() != other {
		t.Errorf("after the owner accepted: offered %q, pinned %s, want none and the new one", s.OfferedManifest, pinned())
	}
	x.ok(put("m3", other))
	if err := x.s.AcceptDeviceManifest(ctx, src); abi.CodeOf(err) != device.CodeNotFound {
		t.Errorf("accepted without an offer: %v, want %s", err, device.CodeNotFound)
	}
}
