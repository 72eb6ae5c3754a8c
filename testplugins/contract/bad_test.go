package contract

import (
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/host/plugin"
	"github.com/pdpp-host/pdpp-host/testplugins/assembly"
	"github.com/pdpp-host/pdpp-host/testplugins/rig"
)

// bad is a module that fails one clause.
type bad struct {
	clause, detail string                        // the clause, and a part of its detail
	script         string                        // of the scripted guest
	file           func(*testing.T) *plugin.File // instead of a script
	options        map[string]string
	items          map[string]int64
	timeout        time.Duration
	limits         func(*plugin.Limits)
	second         func(*plugin.Limits) // the second engine's; nil: there is none
}

func handmade(manifest string, change func(*assembly.Module)) func(*testing.T) *plugin.File {
	return func(*testing.T) *plugin.File {
		m := assembly.Connector(manifest, assembly.Code(assembly.ReadStart(), assembly.Send("done", manifest, 0, assembly.Succeed(0))), assembly.Succeed(0))
		if change != nil {
			change(m)
		}
		return m.File("handmade")
	}
}

func credentialed(t *testing.T) *plugin.File { return rig.Guest(t, "testplugins/guests/credentialed") }

const manifestHead = `{"connector_id":"https://pdpp-host.example/connectors/handmade","connector_key":"handmade","version":"0.1.0",` +
	`"protocol_version":"0.1.0","display_name":"Handmade",`

const manifestText = manifestHead + `"streams":[{"name":"notes","primary_key":["id"],"semantics":"append_only","schema":{"type":"object"}}]}`

// restless returns another manifest each time, with random digits in its name.
func restless(m *assembly.Module) {
	at := int64(strings.Index(manifestText, "Handmade"))
	const scratch = 60000
	m.Imports = append(m.Imports, assembly.Import{Module: "wasi_snapshot_preview1", Name: "random_get", Params: "ii", Results: "i"})
	body := assembly.Code(assembly.I32(scratch), assembly.I32(8), assembly.Imported(len(m.Imports)-1), assembly.Drop)
	for i := range int64(8) {
		body = assembly.Code(body, assembly.I32(at+i), assembly.I32(scratch+i), assembly.Load8,
			assembly.I32(7), assembly.And, assembly.I32('0'), assembly.Add, assembly.Store8)
	}
	m.Funcs[assembly.Describe].Body = assembly.Code(body, m.Funcs[assembly.Describe].Body)
}

// Each clause fails for a guest that breaks it, alone, and says why.
func TestEachClauseCanFail(t *testing.T) {
	t.Parallel()
	note := func(stream, key, data string) string {
		return `emit {"type":"RECORD","stream":"` + stream + `","key":` + key + `,"data":` + data + `,"emitted_at":"2026-01-01T00:00:00Z"}` + "\n"
	}
	without := func(line, instead string) string {
		if !strings.Contains(honest(), line) {
			panic("no such line: " + line)
		}
		return strings.Replace(honest(), line, instead, 1)
	}
	const whenMessages = "when \"name\":\"messages\" unless \"state\":{ "
	const riders = "when \"name\":\"riders\" unless \"state\":{ "
	cases := []bad{
		{clause: "module.loads", detail: "env.system", file: handmade(manifestText, func(m *assembly.Module) {
			m.Imports = append(m.Imports, assembly.Import{Module: "env", Name: "system"})
		})},
		{clause: "describe.manifest", detail: "describe", file: handmade(manifestText, func(m *assembly.Module) {
			m.Funcs[assembly.Describe].Body = assembly.Zero
		})},
		{clause: "describe.manifest", detail: "limit.time", limits: func(l *plugin.Limits) { l.Describe = time.Second }, file: handmade(manifestText, func(m *assembly.Module) {
			m.Funcs[assembly.Initialize].Body = assembly.Loop()
		})},
		{clause: "describe.stable", detail: "the same way twice", file: handmade(manifestText, restless)},
		{clause: "manifest.valid", detail: "protocol_version", file: handmade(strings.Replace(manifestText, `"protocol_version":"0.1.0"`, `"protocol_version":"7.0.0"`, 1), nil)},
		{clause: "manifest.schemas", detail: "pattern", file: handmade(strings.Replace(manifestText, `{"type":"object"}`, `{"type":"object","properties":{"id":{"pattern":"("}}}`, 1), nil)},
		{clause: "manifest.imports", detail: "path_open", file: handmade(manifestText, func(m *assembly.Module) {
			m.Imports = append(m.Imports, assembly.Import{Module: "wasi_snapshot_preview1", Name: "path_open", Params: "iiiiillii", Results: "i"})
		})},
		{clause: "manifest.bindings", detail: "camera", file: handmade(strings.Replace(manifestText, `"streams"`, `"runtime_requirements":{"bindings":{"example.org/camera":{"required":true}}},"streams"`, 1), nil)},
		{clause: "credentials.named", detail: "CREDENTIALED_TOKEN", file: credentialed, options: map[string]string{"manner": "mute"}},
		{clause: "credentials.asked", detail: "CREDENTIALED_TOKEN", file: credentialed, options: map[string]string{"manner": "blunt"}},
		{clause: "collect.done", detail: "DONE", script: "return 0"},
		{clause: "collect.done", detail: "exit(3)", script: "exit 3"},
		{clause: "collect.done", detail: "asked to trap", script: "trap"},
		{clause: "collect.limits", detail: "limit.time", script: "loop", timeout: time.Second},
		{clause: "collect.limits", detail: "limit.memory", script: "hunger", limits: func(l *plugin.Limits) { l.MemoryBytes = 48 << 20 }},
		{clause: "collect.limits", detail: "limit.log", script: "log 100000 on and on", limits: func(l *plugin.Limits) { l.LogBytes = 64 << 10 }},
		{clause: "collect.calls", detail: "out_of_bounds", script: "pointer emit 0xfffffff0 64"},
		{clause: "collect.calls", detail: "too_large", script: "big emit 4194305"},
		{clause: "collect.order", detail: "after_done", script: "finish" + "\n" + "finish"},
		{clause: "collect.messages", detail: "boundary.syntax", script: "emit nonsense"},
		{clause: "collect.messages", detail: "boundary.envelope", script: `done {"type":"DONE","status":"fine","records_emitted":0}`},
		{clause: "collect.scope", detail: "ghosts", script: note("ghosts", `"x"`, `{"id":"x"}`)},
		{clause: "collect.keys", detail: "notes", script: note("notes", `"x"`, `{"id":"y"}`)},
		{clause: "collect.keys", detail: "stream notes: a field of primary_key is missing (record_key_missing)", script: strings.Repeat(`skip {"type":"SKIP_RESULT","stream":"notes","reason":"record_key_missing","message":"a field of primary_key is missing"}`+"\n", 2) + "finish"},
		{clause: "collect.keys", detail: "record_key_invalid", script: `skip {"type":"SKIP_RESULT","stream":"notes","reason":"record_key_invalid","message":"its key holds a NUL"}` + "\n" +
			`done {"type":"DONE","status":"failed","records_emitted":0,"error":{"code":"scripted_down","message":"down","retryable":true}}`},
		{clause: "collect.deletes", detail: "journal", script: `emit {"type":"RECORD","stream":"journal","key":"x","op":"delete","emitted_at":"2026-01-01T00:00:00Z"}`},
		{clause: "collect.lanes", detail: "coverage_invalid", script: `coverage {"type":"DETAIL_COVERAGE","stream":"messages","state_stream":"chats","reference_only":true,"required_keys":[],"hydrated_keys":["m"],"gap_keys":[]}`},
		{clause: "collect.lanes", detail: "1 details of stream messages", script: without("finish",
			whenMessages+`coverage {"type":"DETAIL_COVERAGE","stream":"messages","state_stream":"chats","reference_only":true,"required_keys":["m"],"hydrated_keys":["m"]}`+"\n"+
				state("chats")+"finish")},
		{clause: "collect.lanes", detail: "1 details of stream messages", script: without("finish",
			whenMessages+`state {"type":"STATE","stream":"chats","cursor":{"at":1},"slice":{"id":"s","complete":true},"coverage":[{"stream":"messages","required_keys":["m"],"hydrated_keys":["m"]}]}`+"\n"+"finish")},
		{clause: "collect.enumerations", detail: "not being enumerated", script: `enumerate {"type":"ENUMERATION","stream":"notes","status":"whole"}`},
		{clause: "collect.count", detail: "4", script: `done {"type":"DONE","status":"succeeded","records_emitted":4}`},
		{clause: "collect.records", detail: "/n", script: without("finish", riders+note("riders", `"y"`, `{"id":"y","n":1}`)+riders+note("riders", `"x"`, `{"id":"x","n":"text"}`)+"finish")},
		{clause: "collect.returns", detail: "return 0", script: honest() + "\nreturn 5"},
		{clause: "collect.items", detail: "it emitted 3 of its items, and 4 records came", script: accounting(`"met":3,"emitted":3`) + honest()},
		{clause: "collect.items", detail: "2 items have the key of another one", script: accounting(`"met":6,"emitted":4,"merged":2`) + honest()},
		{clause: "collect.items", detail: "1 items have the key of another one", script: accounting(`"met":5,"emitted":5`) + without("finish", onFirst+note("notes", `"notes-0"`, `{"id":"notes-0","again":1}`)+"finish")},
		{clause: "collect.items", detail: "1 records say that a field was cut, and 0 are counted", script: accounting(`"met":5,"emitted":5`) + without("finish", strings.TrimSuffix(firstNotes, "records notes 0 3\n")+note("notes", `"z"`, `{"id":"z","text_truncated":true}`)+"finish")},
		{clause: "collect.items", detail: "the source has 5 items, and 4 were met: 4 emitted", items: map[string]int64{"notes": 5}, script: accounting(`"met":4,"emitted":4`) + honest()},
		{clause: "collect.items", detail: "the source has 5 items, and 0 were met", items: map[string]int64{"notes": 5}, script: honest()},
		{clause: "collect.names", detail: "stream notes: mood (2)", script: accounting(`"met":4,"emitted":4,"unknown":[{"name":"mood","count":2}]`) + honest()},
		{clause: "collect.files", detail: "scripted/here.txt: 0 of 5 bytes were read", script: onFirst + `account {"type":"ACCOUNT","files":[{"root":"scripted","path":"here.txt","as":"read"}]}` + "\n" + honest()},
		{clause: "collect.files", detail: "scripted/there.txt: there is no such file", script: onFirst + `account {"type":"ACCOUNT","files":[{"root":"scripted","path":"there.txt","as":"read"}]}` + "\n" + honest()},
		{clause: "collect.empty", detail: "here.txt", script: "open /scripted/here.txt hello\n" + honest()},
		{clause: "checkpoint.committed", detail: "chats", script: without("finish", state("chats")+"finish")},
		{clause: "checkpoint.covers", detail: "journal", script: without(state("journal"), "")},
		{clause: "resume.accepts", detail: "asked to trap", script: "when \"state\":{ trap\n" + honest()},
		{clause: "resume.quiet", detail: "journal (2 records)", script: without(firstPapers, strings.Replace(firstPapers, `unless "journal":{"at" `, "", 1))},
		{clause: "resume.quiet", detail: "notes (1 records)", script: enumerating + "when \"state\":{ " + note("notes", `"notes-1"`, `{"id":"notes-1","changed":true}`) +
			firstPapers + state("notes") + state("journal") + "finish"},
		{clause: "refresh.repeats", detail: "journal", script: without(firstPapers, `unless "collection_mode":"full_refresh" `+firstPapers)},
		{clause: "scope.streams", detail: "stream notes alone", script: without(firstNotes, `when "name":"journal" `+firstNotes)},
		{clause: "scope.resources", detail: "notes", script: without(oneNote, "when \"resources\" records notes 0 2\n")},
		{clause: "scope.time_range", detail: "notes", script: without(timed, strings.Replace(timed, `unless "time_range" `, "", 1))},
		{clause: "stop.complies", detail: "killed", script: "when \"run_id\":\"run_contract_stop\" repeat 4000000000 records notes 0 1\n" + honest()},
		{clause: "stop.complies", detail: "without DONE", script: "when \"run_id\":\"run_contract_stop\" records notes 0 1\nwhen \"run_id\":\"run_contract_stop\" return 0\n" + honest()},
		{clause: "isolation.same", detail: "limit.output", script: honest(), second: func(l *plugin.Limits) { l.OutputBytes = 100 }},
	}
	covered := map[string]bool{}
	for _, c := range cases {
		covered[c.clause] = true
		t.Run(c.clause+"/"+c.detail, func(t *testing.T) {
			t.Parallel()
			c.fails(t)
		})
	}
	for _, c := range clauses {
		if !covered[c.ID] {
			t.Errorf("no guest fails %s: a clause that cannot fail promises nothing", c.ID)
		}
	}
}

func (c bad) fails(t *testing.T) {
	t.Helper()
	l := limits()
	if c.limits != nil {
		c.limits(&l)
	}
	o := Options{Engine: rig.Engine(t, plugin.IsolationInline, l), Options: c.options, Items: c.items, Timeout: c.timeout}
	if c.file != nil {
		o.File = c.file(t)
	} else {
		o.File, o.Roots, o.Options = scripted(t), folder(t), map[string]string{"script": c.script}
	}
	if c.second != nil {
		l := limits()
		c.second(&l)
		o.Second = rig.Engine(t, plugin.IsolationInline, l)
	}
	r := check(t, o)
	failed := r.Failed()
	if len(failed) != 1 || failed[0].ID != c.clause {
		t.Fatalf("failed %+v, want %s alone", failed, c.clause)
	}
	if !strings.Contains(failed[0].Detail, c.detail) || failed[0].Hint == "" {
		t.Errorf("%q (hint %q) does not say %q", failed[0].Detail, failed[0].Hint, c.detail)
	}
	for _, other := range r.Clauses {
		if other.Outcome == Skip && other.Detail == "" || other.Outcome == "" {
			t.Errorf("%s is %q, and nothing says why", other.ID, other.Outcome)
		}
	}
}

// A module that needs the network, or a browser, is not judged without it, and the report says
// what it lacks.
func TestWithoutItsBindingNothingIsJudged(t *testing.T) {
	t.Parallel()
	for binding, lacks := range map[string]string{"network": "base_url", "browser": "sdktest.Site"} {
		file := handmade(strings.Replace(manifestText, `"streams"`, `"runtime_requirements":{"bindings":{"`+binding+`":{"required":true}}},"streams"`, 1), nil)
		report := check(t, Options{File: file(t)})
		for _, c := range report.Clauses {
			if c.ID == "manifest.bindings" && (c.Outcome != Skip || !strings.Contains(c.Detail, lacks)) {
				t.Errorf("%s: got %+v, want it skipped for lack of %s", binding, c, lacks)
			}
		}
		if failed := report.Failed(); len(failed) > 0 {
			t.Errorf("%s: got %+v, want nothing failed", binding, failed)
		}
	}
}
