package api_test

import (
	"testing"

	"github.com/pdpp-host/pdpp-host/sdk/api"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

// AC-09: what an answer with a good status says of its own failure, or of rows that are missing, in
// the ways of many providers; and what says neither, such as a row's own status.
func TestEnvelope(t *testing.T) {
	t.Parallel()
	const failed, partial, good = "failed", "partial", "good"
	for answer, want := range map[string]string{
		`{"status":500,"items":[]}`:                               failed,
		`{"status":"503","items":[]}`:                             failed,
		`{"statusCode":503,"items":[]}`:                           failed,
		`{"status_code":404,"items":[{"id":"a"}]}`:                failed,
		`{"code":40001,"message":"internal","items":[]}`:          failed,
		`{"result":"error","items":[]}`:                           failed,
		`{"error_code":17,"error_message":"limit","items":[]}`:    failed,
		`{"errorCode":"LIMIT","items":[]}`:                        failed,
		`{"isError":true,"items":[]}`:                             failed,
		`{"failed":true,"items":[]}`:                              failed,
		`{"Status":"ERROR","items":[]}`:                           failed,
		`{"meta":{"code":400,"error":"x"},"items":[]}`:            failed,
		`{"status":{"code":500},"items":[]}`:                      failed,
		`{"data":{"errors":[{"message":"x"}],"items":[]}}`:        failed,
		`{"message":"Service unavailable","items":[]}`:            failed,
		`{"message":"Service unavailable","data":{"items":[]}}`:   failed,
		`{"Error":"down","items":[]}`:                             failed,
		`{"success":false,"items":[]}`:                            failed,
		`{"partial":true,"failed":true,"items":[]}`:               failed,
		`{"truncated":true,"items":[]}`:                           partial,
		`{"partial":true,"items":[{"id":"a"}]}`:                   partial,
		`{"timed_out":true,"items":[]}`:                           partial,
		`{"timedOut":true,"items":[]}`:                            partial,
		`{"status":"partial","items":[]}`:                         partial,
		`{"meta":{"truncated":true},"items":[]}`:                  partial,
		`{"incomplete_results":true,"items":[]}`:                  partial,
		`{"items":[]}`:                                            good,
		`[]`:                                                      good,
		`[{"id":"a","status":500,"error":"x","failed":true}]`:     good,
		`{"items":[{"status":"error","code":404,"message":"x"}]}`: good,
		`{"data":{"items":[{"status":"failed","error":"x"}]}}`:    good,
		`{"status":200,"code":0,"items":[]}`:                      good,
		`{"status":"success","message":"no rows","items":[]}`:     good,
		`{"ok":true,"message":"no rows","items":[]}`:              good,
		`{"message":"OK","items":[]}`:                             good,
		`{"message":"a note","items":[{"id":"a"}]}`:               good,
		`{"message":"a note","data":{"items":[{"id":"a"}]}}`:      good,
		`{"errors":[],"error":null,"error_code":0,"items":[]}`:    good,
		`{"error_code":"0","failed":0,"items":[]}`:                good,
		`{"result":[],"truncated":false,"timed_out":false}`:       good,
		`{"total":500,"limit":500,"count":404,"items":[]}`:        good,
	} {
		v, err := jsonvalue.Parse([]byte(answer))
		if err != nil {
			t.Fatal(err)
		}
		got := good
		if r := api.Envelope(v); r != nil && r.Partial {
			got = partial
		} else if r != nil {
			got = failed
		}
		if got != want {
			t.Errorf("%s is %s, want %s", answer, got, want)
		}
	}
}
