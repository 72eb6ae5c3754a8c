package collector

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/host/collector/profile"
)

// A profile gives way to one of the same connection of the same host, and to no
// other.
func TestSupersede(t *testing.T) {
	t.Parallel()
	dir := &profile.Folder{Dir: filepath.Join(t.TempDir(), "collectors")}
	profile := func(name, base, source, connection string) *profile.Profile {
		p := &profile.Profile{
			Name: name, BaseURL: base, DeviceID: "dev_" + name, Token: profile.NewToken("ldt" + name), SourceInstanceID: source, ConnectorID: "scripted",
			ConnectorInstanceID: connection,
		}
		if err := dir.Save(p); err != nil {
			t.Fatal(err)
		}
		return p
	}
	profile("old", "https://a.example", "src_old", "conn_1")
	profile("elsewhere", "https://b.example", "src_b", "conn_1")
	profile("other", "https://a.example", "src_other", "conn_2")
	fresh := profile("new", "https://a.example", "src_new", "conn_1")
	gone, err := dir.Supersede(fresh)
	if err != nil || strings.Join(gone, " ") != "src_old" {
		t.Errorf("%v %v", gone, err)
	}
	list, err := dir.List()
	if err != nil || len(list) != 3 {
		t.Errorf("%v %v", list, err)
	}
	nameless := *fresh
	nameless.Name, nameless.ConnectorInstanceID = "x", ""
	if gone, err := dir.Supersede(&nameless); err != nil || len(gone) != 0 {
		t.Errorf("%v %v", gone, err)
	}
}

// A credential that the host has ended already is given up like one that it ends
// now; a page in its place ends nothing.
func TestLogoutOfARevokedDevice(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	dir := &profile.Folder{Dir: filepath.Join(t.TempDir(), "collectors")}
	w.ok(dir.Save(w.deps.Profile))
	w.host.fail(on("/self-revoke", answer{status: 401, body: "<html>sign in</html>"}))
	if _, err := w.collector().Logout(t.Context(), dir, false); err == nil {
		t.Error("a page in the host's place ended the credential")
	}
	w.host.fail(nil)
	w.host.revoked = true
	out, err := w.collector().Logout(t.Context(), dir, false)
	w.ok(err)
	w.same([]bool{out.EndedBefore, out.ProfileDeleted}, "[true true]", "ended before, deleted")
}

// Doctor asks the host too: a credential that was ended is critical, a host that
// does not answer a warning; and what is refused while it is tried again is shown.
func TestDoctorAsksTheHost(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d, err := w.collector().Doctor(t.Context())
	w.ok(err)
	w.same(level(d, "host"), LevelOK, "a host that is well")
	w.host.manifest = []byte("{}")
	w.enqueue(1)
	w.host.fail(on("/ingest-batches", answer{status: 422, body: `{"error":{"code":"` + device.CodeRecordsRejected + `","message":"record 0"}}`}))
	w.over(func(e *execution) { w.ok(e.d.Drain(t.Context())) })
	d, err = w.collector().Doctor(t.Context())
	w.ok(err)
	w.same(level(d, "refused"), LevelWarn, "with a refusal that is tried again")
	w.host.fail(on("/state", answer{status: 502}))
	d, err = w.collector().Doctor(t.Context())
	w.ok(err)
	w.same(level(d, "host"), LevelWarn, "a host that is away")
	w.host.fail(nil)
	w.host.revoked = true
	d, err = w.collector().Doctor(t.Context())
	w.ok(err)
	w.same(level(d, "host"), LevelCritical, "a credential that was ended")
	w.same(d.Overall, LevelCritical, "overall")
}
