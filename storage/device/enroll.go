package device

import (
	"context"
	"crypto/subtle"
	"database/sql"
	"errors"
	"strconv"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/storage/evidence"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
)

// forgetCodes is how long after its end a code is remembered, so that a late caller learns
// why it no longer works.
const forgetCodes = 7 * 24 * time.Hour

// NewEnrollmentCode keeps a code that the owner made, until it has expired.
func (s *Store) NewEnrollmentCode(ctx context.Context, c EnrollmentCode) error {
	if !device.IsSum256(c.CodeHash) {
		return badRequest("enrollment_code", "a SHA-256")
	}
	if err := checkName("connector_id", c.ConnectorID, "local_binding_name", c.Binding); err != nil {
		return err
	}
	return s.db.Alone(ctx, "keep the enrollment code", func(t *db.Tx) error {
		if _, err := t.DB.ExecContext(t.Ctx, "DELETE FROM enrollment_codes WHERE expires_us < ?", db.Micros(t.Now.Add(-forgetCodes))); err != nil {
			return err
		}
		row := codeRow{
			CodeSHA256: c.CodeHash, Connector: c.ConnectorID, Binding: c.Binding, DisplayName: labelOf(c.DisplayName),
			CreatedUS: db.Micros(t.Now), ExpiresUS: db.Micros(c.ExpiresAt),
			Manifest: string(c.Manifest),
		}
		_, err := t.DB.NewInsert().Model(&row).Exec(t.Ctx)
		return err
	})
}

// EnrollmentCodes returns the codes that a device can still enrol with, the newest first.
func (s *Store) EnrollmentCodes(ctx context.Context) ([]EnrollmentCode, error) {
	var rows []codeRow
	err := s.db.Read.NewSelect().Model(&rows).Where("source_id = '' AND expires_us > ?", db.Micros(s.db.Now())).Order("created_us DESC", "code_sha256").Scan(ctx)
	if err != nil {
		return nil, s.db.Fail("read the enrollment codes", err)
	}
	out := make([]EnrollmentCode, len(rows))
	for i := range rows {
		r := &rows[i]
		out[i] = EnrollmentCode{CodeHash: r.CodeSHA256, ConnectorID: r.Connector, Binding: r.Binding, DisplayName: r.DisplayName, CreatedAt: db.Time(r.CreatedUS), ExpiresAt: db.Time(r.ExpiresUS)}
	}
	return out, nil
}

// ForgetEnrollmentCode ends a code that no device has enrolled with, by its hash. It reports whether there was one.
func (s *Store) ForgetEnrollmentCode(ctx context.Context, hash string) (had bool, err error) {
	err = s.db.Alone(ctx, "end the enrollment code", func(t *db.Tx) error {
		done, err := t.DB.NewDelete().Model((*codeRow)(nil)).Where("code_sha256 = ? AND source_id = ''", hash).Exec(t.Ctx)
		if err != nil {
			return err
		}
		n, err := done.RowsAffected()
		had = n > 0
		return err
	})
	return had, err
}

// Enroll turns a code into a device with one source, and the source into the feed of a
// connection: the one that the same connector and binding had before, else a new one. A
// device that had the binding before is revoked, and its cursors are forgotten: they belong
// to another machine's files.
//
// A code is good once. A caller that did not get the answer may show it again while it lasts
// and while the credential was never used: the device is the same and the credential the new
// one. Errors: device_unauthorized for no code of the owner's, enrollment_code_expired,
// _used, and _raced when another device is enrolling with it.
func (s *Store) Enroll(ctx context.Context, e Enrolling) (*SourceInstance, error) {
	if !device.IsSum256(e.CodeHash) || !device.IsSum256(e.TokenHash) {
		return nil, badRequest("enrollment_code", "a SHA-256")
	}
	e.Label, e.AgentVersion = labelOf(e.Label), labelOf(e.AgentVersion)
	var src *SourceInstance
	err := s.db.Alone(ctx, "enroll the device", func(t *db.Tx) error {
		code, err := redeemed(t, e)
		if err != nil {
			return err
		}
		row, err := sourceByID(t, code.SourceID)
		if err == nil {
			src = publicSource(row)
		}
		return err
	})
	return src, err
}

// redeemed looks the code up, and turns it into a device where it is good. Every
// code costs the same three look-ups before it is refused, one that there never was
// as well.
func redeemed(t *db.Tx, e Enrolling) (code codeRow, err error) {
	const again = "ask the owner for a new one"
	code.CodeSHA256 = e.CodeHash
	known := true
	if err := t.DB.NewSelect().Model(&code).WherePK().Scan(t.Ctx); errors.Is(err, sql.ErrNoRows) {
		known = false
	} else if err != nil {
		return code, err
	}
	d, err := enrolledWith(t, code.SourceID)
	switch {
	case err != nil:
		return code, err
	case !known:
		return code, abi.NewError(device.CodeUnauthorized, "there is no such enrollment code", again)
	case db.Micros(t.Now) >= code.ExpiresUS:
		return code, abi.NewError(device.CodeCodeExpired, "the enrollment code has expired", again)
	case code.SourceID == "":
		err = enrollNew(t, &code, e)
		return code, err
	case d.ID == "", d.RevokedUS != 0, d.UsedUS != 0:
		return code, abi.NewError(device.CodeCodeUsed, "the enrollment code has been used", again)
	case code.Label != e.Label:
		return code, abi.NewError(device.CodeCodeRaced, "another device is enrolling with this code", again)
	}
	return code, enrollAgain(t, d, e)
}

// enrolledWith reads the device that a code became, by its source; one without an
// id when there is none, or none any more.
func enrolledWith(t *db.Tx, sourceID string) (deviceRow, error) {
	src, err := sourceByID(t, sourceID)
	if err != nil && abi.CodeOf(err) != device.CodeNotFound {
		return deviceRow{}, err
	}
	var d deviceRow
	if src != nil {
		d.ID = src.DeviceID
	}
	if err := t.DB.NewSelect().Model(&d).WherePK().Scan(t.Ctx); err != nil && !errors.Is(err, sql.ErrNoRows) {
		return deviceRow{}, err
	}
	return d, nil
}

// enrollAgain gives a device whose answer was lost another credential.
func enrollAgain(t *db.Tx, d deviceRow, e Enrolling) error {
	d.TokenSHA256, d.AgentVersion = e.TokenHash, e.AgentVersion
	_, err := t.DB.NewUpdate().Model(&d).WherePK().Column("token_sha256", "agent_version").Exec(t.Ctx)
	return err
}

func enrollNew(t *db.Tx, code *codeRow, e Enrolling) error {
	connection, err := retireBinding(t, code)
	if err != nil {
		return err
	}
	if connection == "" {
		connection, err = deviceConnection(t, code)
	} else {
		err = forgetCursors(t, connection)
	}
	if err != nil {
		return err
	}
	d := deviceRow{
		ID: "dev_" + t.NewID(), TokenSHA256: e.TokenHash, Label: e.Label, AgentVersion: e.AgentVersion, CreatedUS: db.Micros(t.Now),
	}
	if d.Label == "" {
		d.Label = code.DisplayName
	}
	if _, err := t.DB.NewInsert().Model(&d).Exec(t.Ctx); err != nil {
		return err
	}
	row := tables.SourceRow{
		ID: "src_" + t.NewID(), DeviceID: d.ID, ConnectionID: connection, Connector: code.Connector, Binding: code.Binding, CreatedUS: d.CreatedUS,
		Scope: string(e.Scope),
	}
	if _, err := t.DB.NewInsert().Model(&row).Exec(t.Ctx); err != nil {
		return err
	}
	if code.Manifest != "" {
		if _, err := pinManifest(t, connection, device.Sum256([]byte(code.Connector)), []byte(code.Manifest)); err != nil {
			return err
		}
	}
	code.SourceID, code.Label = row.ID, e.Label
	if _, err := t.DB.NewUpdate().Model(code).WherePK().Column("source_id", "label").Exec(t.Ctx); err != nil {
		return err
	}
	return evidence.DevicesMoved(t, connection)
}

// retireBinding revokes the device that had the code's binding, and returns the
// connection that the binding feeds, "" when it is new.
func retireBinding(t *db.Tx, code *codeRow) (connection string, err error) {
	var before []tables.SourceJoined
	err = tables.SelectSources(t.DB, &before).Where("replace(lower(s.connector), '-', '_') = ? AND s.binding = ?", abi.CanonicalKey(code.Connector), code.Binding).Scan(t.Ctx)
	if err != nil {
		return "", err
	}
	for i := range before {
		connection = before[i].ConnectionID
		if before[i].RevokedUS == 0 {
			if err := revokeDevice(t, before[i].DeviceID); err != nil {
				return "", err
			}
		}
	}
	return connection, nil
}

// forgetCursors has a connection collected from the beginning: its cursors belong to the
// files of the device before, and would have another one pass over its own.
func forgetCursors(t *db.Tx, connectionID string) error {
	_, err := t.DB.NewDelete().Model((*tables.StateRow)(nil)).Where("connection_id = ? AND bookmark = ?", connectionID, tables.BookmarkIncremental).Exec(t.Ctx)
	return err
}

// deviceConnection makes the connection that a new binding feeds. It has the
// binding's name where that is free and can be one.
func deviceConnection(t *db.Tx, code *codeRow) (id string, err error) {
	name := connectionNameOf(code.Binding)
	if name != code.Binding {
		name = connectionNameOf(code.Connector + "-" + code.Binding)
	}
	if name == "" {
		name = "device"
	}
	row := tables.ConnectionRow{
		ID: t.NewID(), Name: name, Connector: code.Connector, Options: "{}", Roots: "{}", ReadRoots: "{}", Accepted: "[]", CreatedUS: db.Micros(t.Now),
	}
	for n := 2; ; n++ {
		taken, err := t.DB.NewSelect().Model((*tables.ConnectionRow)(nil)).Where("name = ? OR id = ?", row.Name, row.Name).Exists(t.Ctx)
		if err != nil {
			return "", err
		}
		if !taken {
			break
		}
		row.Name = name + "-" + strconv.Itoa(n)
	}
	if _, err := t.DB.NewInsert().Model(&row).Exec(t.Ctx); err != nil {
		return "", err
	}
	return row.ID, evidence.InsertRow(t, &row)
}

// DeviceByToken returns the device of a credential. One that is not known, or
// that is revoked, is device_unauthorized.
func (s *Store) DeviceByToken(ctx context.Context, tokenHash string) (*Device, error) {
	const what = "read the device"
	var rows []deviceRow
	if err := s.db.Read.NewSelect().Model(&rows).Where("token_sha256 = ?", tokenHash).Scan(ctx); err != nil {
		return nil, s.db.Fail(what, err)
	}
	if len(rows) != 1 || rows[0].RevokedUS != 0 || subtle.ConstantTimeCompare([]byte(rows[0].TokenSHA256), []byte(tokenHash)) != 1 {
		return nil, unauthorizedDevice()
	}
	d := &rows[0]
	if d.UsedUS != 0 {
		return d.public(), nil
	}
	// From here on the answer of the enrolment is known to have come through.
	err := s.db.Alone(ctx, "keep the credential's first use", func(t *db.Tx) error {
		res, err := t.DB.ExecContext(t.Ctx, "UPDATE devices SET used_us = ? WHERE id = ? AND token_sha256 = ? AND revoked_us = 0", db.Micros(t.Now), d.ID, tokenHash)
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil || n == 0 {
			return errors.Join(err, unauthorizedDevice())
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return d.public(), nil
}
