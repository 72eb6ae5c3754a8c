package owner

import (
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/host/owner/words"
	"github.com/pdpp-host/pdpp-host/storage"
)

// A device is never called nothing, and what it calls itself moves no cursor.
func TestDeviceName(t *testing.T) {
	t.Parallel()
	const id = "dev_06h00qx7breh298haw2twqym7g"
	for want, got := range map[string]string{
		"desk":         DeviceName("de\x1bsk", id, "codex"),
		"codex":        DeviceName("", id, "codex"),
		"codex, notes": DeviceName("\n", id, "codex", "notes"),
		"dev_06h00qx…": DeviceName("", id),
		"dev_1":        DeviceName("", "dev_1"),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func fedFrom(source, device, label string, revoked bool) storage.SourceInstance {
	f := storage.SourceInstance{ID: source, DeviceID: device, DeviceLabel: label, Binding: "home"}
	if revoked {
		f.RevokedAt = time.Unix(1, 0)
	}
	return f
}

// The refusal names where the operation is done instead: on one device, on one of
// several, or nowhere any more.
func TestOnDevice(t *testing.T) {
	t.Parallel()
	laptop, desk, gone := fedFrom("src_1", "dev_1", "laptop", false), fedFrom("src_2", "dev_2", "", false), fedFrom("src_3", "dev_3", "old", true)
	for want, feeds := range map[string][]storage.SourceInstance{
		`fed by laptop (dev_1)|on "laptop", type: pdpp-local-collector run --source-instance-id src_1`: {gone, laptop},
		`fed by laptop (dev_1), home (dev_2)|on "laptop", type: pdpp-local-collector run --source-instance-id src_1   ` +
			`on "home", type: pdpp-local-collector run --source-instance-id src_2`: {laptop, desk},
		"fed by old (dev_3, revoked)|its device was revoked: enrol one again with: pdpp-host devices invite codex --name home   " +
			"or collect it here under another name: pdpp-host run codex --connection mine-here": {gone},
	} {
		e := words.Typed(OnDevice("mine", "codex", feeds))
		if got := e.Detail + "|" + e.Hint; got != want || e.Code != CodeOnDevice {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
	if err := OnDevice("mine", "codex", nil); err != nil {
		t.Error(err)
	}
}
