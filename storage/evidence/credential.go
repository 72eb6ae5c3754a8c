package evidence

import (
	"github.com/pdpp-host/pdpp-host/health/stored"
	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
)

// Taken returns the removed credentials that the connection's settled run could
// use, by field.
func (g Gatherer) Taken(connectionID string) (rows []tables.RemovedCredentialRow, err error) {
	err = g.db.NewSelect().Model(&rows).Where("connection_id = ?", connectionID).
		Where(settledRun+" BETWEEN from_run AND to_run", connectionID).Order("field").Scan(g.ctx)
	return rows, err
}

// credential keeps which credentials are stored, and which the settled run had that
// are gone.
func (g Gatherer) credential(id string, f *stored.Facts) error {
	f.Credential = nil
	var kept []tables.CredentialRow
	err := g.db.NewSelect().Model(&kept).Column("field", "updated_us").Where("connection_id = ?", id).Order("field").Scan(g.ctx)
	if err != nil {
		return err
	}
	taken, err := g.Taken(id)
	if err != nil || len(kept)+len(taken) == 0 {
		return err
	}
	f.Credential = &stored.Credential{}
	for i := range kept {
		f.Credential.Fields = append(f.Credential.Fields, kept[i].Field)
		f.Credential.PutUS = max(f.Credential.PutUS, kept[i].UpdatedUS)
	}
	for i := range taken {
		f.Credential.Taken = append(f.Credential.Taken, taken[i].Field)
	}
	return nil
}

// settledRun is the pk of the connection's newest run that says how it is, see
// counts; NULL: there is none.
const settledRun = "(SELECT pk FROM runs WHERE connection_id = ? AND status NOT IN ('" + tables.StatusRunning + "', '" + tables.StatusCancelled + "') ORDER BY pk DESC LIMIT 1)"
