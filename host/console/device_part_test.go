package console_test

import (
	"html"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/host/public"
	"github.com/pdpp-host/pdpp-host/storage"
)

// delivers has a device feed the connection of that name, and returns its source.
func (b *bed) delivers(connector, name string) *storage.SourceInstance {
	b.t.Helper()
	code := device.SecretHash("code of " + name)
	err := b.Store.NewEnrollmentCode(b.t.Context(), storage.EnrollmentCode{CodeHash: code, ConnectorID: connector, Binding: name, ExpiresAt: time.Now().Add(time.Hour)})
	if err != nil {
		b.t.Fatal(err)
	}
	src, err := b.Store.Enroll(b.t.Context(), storage.Enrolling{CodeHash: code, TokenHash: device.SecretHash("token of " + name), Label: "laptop"})
	if err != nil {
		b.t.Fatal(err)
	}
	return src
}

// A connection's page names the fields of another type than before, and asks for nothing over them.
func TestAConnectionsPageTellsDrift(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	src := b.delivers("ical", "calendars")
	m := public.New("ical", nil)
	for _, data := range []string{`{"id":"1","end<":"x"}`, `{"id":"1","end<":{}}`} {
		m.Record("events", "1", []byte(data), time.Now())
	}
	text, err := m.Text()
	if err != nil {
		t.Fatal(err)
	}
	if page := b.get("/connections/calendars").body; strings.Contains(page, "another type") {
		t.Error("a page tells of drift before there is any")
	}
	if err := b.Store.LearnManifest(t.Context(), src, device.Sum256(text), text); err != nil {
		t.Fatal(err)
	}
	page := html.UnescapeString(b.get("/connections/calendars").body)
	for _, want := range []string{`Field "end<" of stream "events" has another type than before: object, where it was string.`, "The records are taken"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	if front := b.get("/").body; !strings.Contains(front, "Nothing needs you") {
		t.Error("the front page asks for something, want nothing over a field of another type")
	}
}

// A connection's page and the front page say what this host refuses of a device, in the words of its verdict, with what
// ends it.
func TestAConnectionsPageTellsWhatIsRefused(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	src := b.delivers("ical", "calendars")
	refused := storage.RefusedDelivery{Code: device.CodeRecordsRejected, Message: `records[3] of stream "events": the host's schema has no "end<"`, Stream: "events"}
	if err := b.Store.RefuseDelivery(t.Context(), src, refused, false); err != nil {
		t.Fatal(err)
	}
	said := `This host refuses what the device delivers: of stream events, the host's schema has no "end<"; install the same version of the connector`
	for path, want := range map[string][]string{"/": {said}, "/connections/calendars": {said, "This host refuses a delivery.", "Records[3] of stream \"events\"", device.CodeRecordsRejected}} {
		page := html.UnescapeString(b.get(path).body)
		for _, text := range want {
			if !strings.Contains(page, text) {
				t.Errorf("%s lacks %s", path, text)
			}
		}
	}
	for face, said := range b.faces("calendars") {
		if said.label != "Degraded" || said.cause != "delivery_refused" || said.does != "cta_delivery_refused" {
			t.Errorf("%s: got %+v, want the refusal", face, said)
		}
	}
}
