package collector

import (
	"encoding/json"
	"strings"
	"testing"
)

// LC-05.1, LC-07.1: a status lists what is not done, with why, whether it is tried
// again, how often it was and when; it shows no path and no key of a record.
func TestStatusListsOpenWork(t *testing.T) {
	t.Parallel()
	w := newWorld(t).guest()
	w.run(`gap {"type":"DETAIL_GAP","stream":"messages","parent_stream":"chats","record_key":"/home/me/b","reason":"temporary_unavailable","retryable":true,"status":"pending","detail_locator":{"id":"b"}}
coverage {"type":"DETAIL_COVERAGE","stream":"messages","state_stream":"chats","required_keys":["/home/me/b"],"hydrated_keys":[],"gap_keys":["/home/me/b"]}
skip {"type":"SKIP_RESULT","stream":"notes","reason":"selector_missing","message":"no /home/me/x","recovery_hint":"update_selector"}
` + done(0))
	s, err := w.collector().Status(t.Context())
	w.ok(err)
	w.same(s.Open.Total, len(s.Open.Parts), "total")
	seen := map[string]OpenPart{}
	for _, p := range s.Open.Parts {
		seen[p.Kind+" "+p.Stream+" "+p.Reason] = p
	}
	gap, unit := seen["gap messages temporary_unavailable"], seen["unit notes selector_missing"]
	if !gap.Retryable || gap.Status != "pending" || unit.Retryable || unit.Status != "gap" || unit.Attempts != 1 || unit.LastAttemptAt == nil {
		t.Errorf("%+v", s.Open)
	}
	text, err := json.Marshal(s.Open)
	w.ok(err)
	if strings.Contains(string(text), "/home") {
		t.Errorf("%s", text)
	}

	s, err = newWorld(t).collector().Status(t.Context())
	w.ok(err)
	text, err = json.Marshal(s.Open)
	w.ok(err)
	w.same(string(text), `{"total":0,"parts":[]}`, "of a lane that has collected nothing")
}
