package access_test

import (
	"bytes"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/storage"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/tree"
)

// OC-02.1: the audit log is shown on a page, filtered by who, what, outcome and time, and in
// pages.
func TestAuditPage(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	v := b.owned()
	store, err := b.owner.Store(t.Context())
	b.ok(err)
	for range 120 {
		b.ok(store.RecordAudit(t.Context(), storage.AuditEvent{Actor: "token", ActorID: "tok_1", Address: "192.0.2.9", Operation: "connections.set", Subject: "<b>work</b>\u202e", Outcome: "usage.invalid"}, 0))
	}
	page := v.get("/audit").body
	if strings.Count(page, "<code>connections.set</code>") != 100 || !strings.Contains(page, "/audit?before=") || !strings.Contains(page, "&lt;b&gt;work&lt;/b&gt;") || strings.Contains(page, "\u202e") {
		t.Errorf("the first page is %s", page)
	}
	_, rest, _ := strings.Cut(page, `href="/audit?before=`)
	before, _, _ := strings.Cut(rest, `"`)
	if older := v.get("/audit?before=" + before).body; strings.Count(older, "<code>connections.set</code>") != 20 || !strings.Contains(older, "<code>owner.set_password</code>") {
		t.Errorf("the second page is %s", older)
	}
	for query, want := range map[string]int{
		"by=token": 100, "by=command_line": 0, "outcome=done": 0, "outcome=refused": 100, "operation=owner.set_password": 0, "since=2026-03-01&until=2026-03-01": 100,
		"since=2026-03-02": 0, "until=2026-02-28": 0, "before=-1": 100, "before=x": 100,
	} {
		if got := strings.Count(v.get("/audit?"+query).body, "<code>connections.set</code>"); got != want {
			t.Errorf("%s: got %d events, want %d", query, got, want)
		}
	}
	v.says(v.get("/audit?since=yesterday"), http.StatusUnprocessableEntity, "That is no day")
}

// A device is invited on a page, which shows the code once, as text, as a picture and with
// the command; it may deliver until the owner revokes it there.
func TestDevicePages(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	v := b.owned()
	v.says(v.get("/devices/invite"), http.StatusOK, `value="https://pdpp.example.org"`)
	v.says(v.post("/devices/invite", "connector", "my_own", "expires", "15m"), http.StatusNotFound, `name="meant"`)
	const mine = `{"connector_id":"my_own","connector_key":"my_own","display_name":"Mine","version":"1.0.0","protocol_version":"0.1.0","streams":[{"name":"notes","semantics":"mutable_state","primary_key":["id"],"schema":{"type":"object","properties":{"id":{"type":"string"}}}}]}`
	v.says(v.post("/devices/invite", "other", "my_own", "expires", "15m", "manifest", `{"connector_id":7}`), http.StatusConflict, `{&#34;connector_id&#34;:7}`)
	v.says(v.post("/devices/invite", "other", "my_own", "expires", "15m", "manifest", mine), http.StatusOK, `value="lde`)
	v.says(v.post("/devices/invite", "connector", "claude_code", "expires", "1000h", "meant", "yes"), http.StatusUnprocessableEntity, "between 1m and 24h")
	a := v.post("/devices/invite", "connector", "claude_code", "name", "laptop", "base_url", "https://host.example", "expires", "15m", "meant", "yes")
	_, rest, found := strings.Cut(a.body, `value="lde`)
	if !found || !strings.Contains(a.body, "pdpp-local-collector setup --base-url https://host.example") || !strings.Contains(a.body, `<path d="M4 4h7v1h-7z`) {
		t.Fatalf("the invitation is %d %s", a.status, a.body)
	}
	store, err := b.owner.Store(t.Context())
	b.ok(err)
	code := "lde" + rest[:64]
	src, err := store.Enroll(t.Context(), storage.Enrolling{CodeHash: device.SecretHash(code), TokenHash: device.SecretHash("x"), Label: "<i>Ada's</i>\u202e laptop"})
	b.ok(err)
	at := "/devices/of/" + src.DeviceID
	v.says(v.get("/devices"), http.StatusOK, "&lt;i&gt;Ada&#39;s&lt;/i&gt; laptop")
	v.says(v.get(at), http.StatusOK, "It has said nothing yet.")
	v.says(v.post(at+"/accept"), http.StatusConflict, "device.nothing_offered")
	v.says(v.get("/devices/of/dev_2"), http.StatusNotFound, "connection.device_unknown")
	v.leads(v.post(at+"/revoke"), at+"?done=device_revoked")
	v.says(v.get(at+"?done=device_revoked"), http.StatusOK, "The device may not deliver any more.")
	if strings.Contains(v.get("/audit").body, code) {
		t.Error("the audit log has the code")
	}
}

// upload sends a file as the form of the page does.
func (v *visitor) upload(module []byte, fields ...string) answer {
	v.t.Helper()
	var b bytes.Buffer
	form := multipart.NewWriter(&b)
	for i := 0; i < len(fields); i += 2 {
		v.ok(form.WriteField(fields[i], fields[i+1]))
	}
	file, err := form.CreateFormFile("module", "../../evil.wasm")
	v.ok(err)
	_, err = file.Write(module)
	v.ok(err)
	v.ok(form.Close())
	return v.do(http.MethodPost, "/connectors/install", form.FormDataContentType(), &b)
}

// A hostile upload is refused and leaves no file: what is no module, one too large, a form
// without end, one with too many or too long fields, and one that is cut short.
func TestHostileUploads(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	v := b.owned()
	v.says(v.upload(nil), http.StatusUnprocessableEntity, "The module is empty.")
	v.says(v.upload([]byte("#!/bin/sh")), http.StatusUnprocessableEntity, "Install a connector")
	v.says(v.upload([]byte("\x00asm\x01\x00\x00\x00")), http.StatusConflict, "Install a connector")
	v.says(v.upload(make([]byte, 8<<20+1)), http.StatusRequestEntityTooLarge, "The module is too large.")
	many := make([]string, 0, 40)
	for range 20 {
		many = append(many, "x", "y")
	}
	v.says(v.upload([]byte("x"), many...), http.StatusUnprocessableEntity, "No file was sent.")
	v.says(v.upload([]byte("x"), "x", strings.Repeat("y", 1<<20)), http.StatusUnprocessableEntity, "No file was sent.")
	const head = "--b\r\nContent-Disposition: form-data; name=\"module\"; filename=\"x\"\r\n\r\n"
	for name, body := range map[string]string{"nothing": "", "no end": head + "\x00asm", "no file name": strings.ReplaceAll(head, `; filename="x"`, "") + "x\r\n--b--\r\n"} {
		if a := v.do(http.MethodPost, "/connectors/install", "multipart/form-data; boundary=b", strings.NewReader(body)); a.status < 400 || a.status >= 500 {
			t.Errorf("%s: got %d, want a refusal", name, a.status)
		}
	}
	if a := v.do(http.MethodPost, "/connectors/install", "application/octet-stream", strings.NewReader("x")); a.status != http.StatusUnprocessableEntity {
		t.Errorf("no form: got %d, want 422", a.status)
	}
	left, err := filepath.Glob(filepath.Join(b.dir, "plugins", "*"))
	b.ok(err)
	hidden, err := filepath.Glob(filepath.Join(b.dir, "plugins", ".*"))
	if b.ok(err); len(left)+len(hidden) > 0 {
		t.Errorf("%v %v lie in the plugins folder, want nothing", left, hidden)
	}
	for _, path := range []string{"/connectors/of/..%2f..%2fevil", "/connectors/of/%2fetc%2fpasswd.wasm", "/connectors/of/.hidden"} {
		v.says(v.get(path), http.StatusNotFound, "web.not_found")
		v.says(v.post(path+"/remove"), http.StatusNotFound, "web.not_found")
	}
}

// A connector is installed by upload under its own name, for its owner alone, and accepted
// by the hash that the page showed: another module is not.
func TestConnectorPages(t *testing.T) {
	t.Parallel()
	path, err := tree.Module("testplugins/guests/echo")
	b := newBed(t)
	b.ok(err)
	module, err := os.ReadFile(path)
	b.ok(err)
	v := b.owned()
	v.leads(v.upload(module), "/connectors/of/echo/accept?done=module_installed")
	info, err := os.Stat(filepath.Join(b.dir, "plugins", "echo.wasm"))
	if b.ok(err); info.Mode().Perm() != 0o600 {
		t.Errorf("the module has mode %s, want 0600", info.Mode())
	}
	v.leads(v.upload(module), "/connectors/of/echo?done=module_there")
	v.says(v.get("/connectors"), http.StatusOK, "Not accepted yet")
	terms := v.get("/connectors/of/echo/accept")
	v.says(terms, http.StatusOK, "What it asks for")
	_, rest, _ := strings.Cut(terms.body, `name="sha256" value="`)
	sha256 := rest[:64]

	changed := append(bytes.Clone(module), 0, 3, 1, 'x', 0) // the same code, and another hash
	v.says(v.upload(changed), http.StatusConflict, "Another module of echo is installed")
	v.leads(v.upload(changed, "replace", "yes"), "/connectors/of/echo/accept?done=module_installed")
	v.says(v.post("/connectors/of/echo/accept", "sha256", sha256), http.StatusConflict, "plugin.changed")
	v.says(v.post("/connectors/of/echo/accept"), http.StatusConflict, "plugin.changed")
	v.leads(v.upload(module, "replace", "yes"), "/connectors/of/echo/accept?done=module_installed")
	v.leads(v.post("/connectors/of/echo/accept", "sha256", sha256), "/connectors/of/echo?done=module_accepted")
	v.says(v.get("/connectors/of/echo"), http.StatusOK, "runs this module")
	v.leads(v.upload(changed, "replace", "yes"), "/connectors/of/echo/accept?done=module_installed")
	v.says(v.get("/connectors"), http.StatusOK, "Changed since it was accepted")
	v.leads(v.post("/connectors/of/echo/remove"), "/connectors?done=module_removed")
	v.says(v.get("/connectors/of/echo"), http.StatusNotFound, "plugin.unknown")
	audit := v.get("/audit").body
	for _, operation := range []string{"connectors.install", "connectors.accept", "connectors.remove"} {
		if !strings.Contains(audit, "<code>"+operation+"</code>") {
			t.Errorf("no event of %s", operation)
		}
	}
}
