package contract

// Outcome is how a clause came out.
type Outcome string

// The outcomes. Skip means that the clause could not be judged, because an
// earlier one failed or nothing was there to judge it on; Detail says which.
const (
	Pass Outcome = "pass"
	Fail Outcome = "fail"
	Skip Outcome = "skip"
)

// Clause is one promise of the ABI and how the module kept it.
type Clause struct {
	ID      string  `json:"id"` // stable: area, then what is promised
	Title   string  `json:"title"`
	Outcome Outcome `json:"outcome"`
	Detail  string  `json:"detail,omitempty"` // what was seen, when it is not a pass
}

// clauses is the suite, in the order in which it is run.
var clauses = []Clause{
	{ID: "module.loads", Title: "the file is a WebAssembly module that compiles, with allowed imports, the required exports, ABI version 1 and a memory minimum below the limit"},
	{ID: "describe.manifest", Title: "pdpp_describe hands over one manifest within its time, with nothing granted"},
	{ID: "describe.stable", Title: "describing again gives the same manifest"},
	{ID: "manifest.valid", Title: "the manifest satisfies every rule"},
	{ID: "manifest.schemas", Title: "every stream's schema is a JSON Schema 2020-12"},
	{ID: "manifest.imports", Title: "every import that needs a binding has that binding declared"},
	{ID: "collect.done", Title: "a run ends with one DONE, and nothing follows it"},
	{ID: "collect.messages", Title: "every message is well formed, in scope, and counted"},
	{ID: "collect.records", Title: "every record satisfies its stream's schema"},
	{ID: "collect.returns", Title: "pdpp_collect returns 0 right after DONE"},
	{ID: "resume.accepts", Title: "a second run accepts the cursors of the first"},
	{ID: "resume.quiet", Title: "a second run over unchanged input emits nothing again"},
	{ID: "refresh.repeats", Title: "a full refresh delivers the same records again"},
	{ID: "scope.streams", Title: "a run that is given one stream emits that stream only"},
	{ID: "scope.resources", Title: "a run that is given one key emits that key only"},
	{ID: "stop.complies", Title: "asked to stop, the guest winds up before it is killed"},
	{ID: "isolation.same", Title: "a worker process and inline mode give the same records"},
}

// Report is the outcome of the whole suite for one module.
type Report struct {
	Module  string   `json:"module"`
	SHA256  string   `json:"sha256"`
	Kind    string   `json:"kind,omitempty"` // raw or extism
	Clauses []Clause `json:"clauses"`
	Records int64    `json:"records"` // that the first run delivered
}

// Failed lists the clauses that failed.
func (r *Report) Failed() []Clause {
	var out []Clause
	for _, c := range r.Clauses {
		if c.Outcome == Fail {
			out = append(out, c)
		}
	}
	return out
}

func newReport() *Report {
	r := &Report{Clauses: append([]Clause(nil), clauses...)}
	for i := range r.Clauses {
		r.Clauses[i].Outcome, r.Clauses[i].Detail = Skip, "an earlier clause failed"
	}
	return r
}

func (r *Report) set(id string, outcome Outcome, detail string) {
	for i := range r.Clauses {
		if r.Clauses[i].ID == id {
			r.Clauses[i].Outcome, r.Clauses[i].Detail = outcome, detail
			return
		}
	}
	panic("contract: no clause " + id) // a slip in this package
}

// judge passes the clause, or fails it with what err says.
func (r *Report) judge(id string, err error) bool {
	if err != nil {
		r.set(id, Fail, err.Error())
		return false
	}
	r.set(id, Pass, "")
	return true
}
