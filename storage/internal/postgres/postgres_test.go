package postgres

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pdpp-host/pdpp-host/abi"
)

// No word of an address shows its password, whatever is wrong with it.
func TestPasswordsStayHidden(t *testing.T) {
	t.Parallel()
	const secret = "hunter2-5f1e"
	for _, dsn := range []string{
		"postgres://ada:" + secret + "@db/pdpp", "postgres://ada:" + secret + "@db:x y/pdpp", "postgres://ada@db/pdpp?password=" + secret,
		"postgres://ada:" + secret + "@127.0.0.1:1/pdpp?connect_timeout=1", "postgres://ada:" + secret + "@db/pdpp?sslmode=no", "postgres://%zz:" + secret + "@db",
	} {
		s, err := Parse(dsn)
		if err != nil {
			if got := err.Error(); strings.Contains(got, secret) || abi.CodeOf(err) != abi.CodeStoreUnavailable {
				t.Errorf("%q: got %q, want it without the password and with %s", dsn, got, abi.CodeStoreUnavailable)
			}
			continue
		}
		if got := s.String(); strings.Contains(got, secret) {
			t.Errorf("%q: got %q, want no secret in it", dsn, got)
		}
		if !strings.Contains(dsn, "127.0.0.1") {
			continue
		}
		pool := s.Pool(1, false)
		err = pool.PingContext(t.Context())
		if cerr := pool.Close(); cerr != nil {
			t.Error(cerr)
		}
		if err == nil || strings.Contains(err.Error(), secret) || strings.Contains(Describe(err).Error(), secret) {
			t.Errorf("%q: got %v, want an error without the password", dsn, err)
		}
	}
}

// FL-04: text that the server cannot hold is refused at the door.
func TestTextIsChecked(t *testing.T) {
	t.Parallel()
	for text, refused := range map[string]bool{"": false, "grüß \U0001f600 \u0001": false, "a\x00": true, "a\xff": true, "\xed\xa0\x80": true} {
		if err := CheckText(text); refused != (abi.CodeOf(err) == abi.CodeStoreText) {
			t.Errorf("%q: got %v, want refused %v", text, err, refused)
		}
	}
}

// An error that each run meets again is not told as one that a repetition mends, and a
// statement that was cancelled not as one that waited for a lock.
func TestErrorsAreTold(t *testing.T) {
	t.Parallel()
	for sqlstate, want := range map[string]abi.Code{
		"54000": abi.CodeStoreText, "22021": abi.CodeStoreText, "53100": abi.CodeStoreFull, "57014": abi.CodeStoreUnavailable, "XX001": abi.CodeStoreCorrupt,
	} {
		err := &pgconn.PgError{Code: sqlstate}
		if got := Describe(err).Code; got != want || Waited(err) {
			t.Errorf("%s: got %s, waited for a lock %v; want %s, false", sqlstate, got, Waited(err), want)
		}
	}
}
