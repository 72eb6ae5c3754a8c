package abi

// Version is the ABI version that pdpp_abi_version must return.
const Version = 1

// ImportModule is the WebAssembly import module that carries the host calls.
const ImportModule = "pdpp"

// ExtismUserModule is the import module under which an Extism guest finds the
// same calls, each named "pdpp_" + Call.Name with the shape (i64) -> i64.
const ExtismUserModule = "extism:host/user"

// ExtismEnvModule is the import module whose presence makes a module an
// Extism guest.
const ExtismEnvModule = "extism:host/env"

// ValueType is a WebAssembly value type, in the text format's spelling.
type ValueType string

// The value types that the ABI uses.
const (
	I32 ValueType = "i32"
	I64 ValueType = "i64"
)

// Phase says during which guest export a call may be made.
type Phase uint8

// The phases. A call outside its phase is refused with CodeCallOutOfPhase.
const (
	PhaseDescribe Phase = 1 << iota // inside pdpp_describe
	PhaseCollect                    // inside pdpp_collect
	PhaseAny      = PhaseDescribe | PhaseCollect
)

// Call is one row of the host-call table. Guests import it from ImportModule.
type Call struct {
	Name     string
	Params   []ValueType
	Results  []ValueType
	Phase    Phase
	MaxBytes uint32 // the largest payload one call may carry; 0: no payload
	Binding  string // the manifest binding that must be declared; "": none
	Doc      string
}

// Result codes of every call that returns i32.
const (
	ResultOK      int32 = 0  // accepted
	ResultStop    int32 = 1  // accepted; the host requests a stop: finish and call done
	ResultRefused int32 = -1 // refused; last_error says why
)

// Payload limits, in bytes.
const (
	MaxManifestBytes = 1 << 20
	MaxEmitBytes     = 4 << 20 // one emit call, one or more lines
	MaxRecordBytes   = 1 << 20 // one RECORD line
	MaxMessageBytes  = 1 << 20 // one DETAIL_GAP, ENUMERATION, SKIP_RESULT, ACCOUNT, PROGRESS or DONE
	MaxStateBytes    = 8 << 20 // one STATE: a cursor over ten thousand files fits
	MaxCoverageBytes = 8 << 20 // one DETAIL_COVERAGE
	MaxLogBytes      = 16 << 10
	MaxKeyBytes      = 2000 // a record's key: no key is too long for an index of PostgreSQL
	MaxPartBytes     = 200  // the name of a part that is enumerated
	MaxSubmitBytes   = 4 << 20
	MaxErrorBytes    = 4 << 10
	// EmitFlushBytes is the size at which the SDK flushes its batch of records.
	EmitFlushBytes = 64 << 10
	// MaxInFlight is the maximum number of unanswered requests.
	MaxInFlight = 64
	// MaxNesting is the maximum nesting depth of a message's JSON, its own object
	// included.
	MaxNesting = 64
)

// Calls is the host-call table. The host links exactly these calls, the SDK wraps
// exactly these, and abi/ABI.md documents exactly these; tests compare all three. A
// new call gets a new name; a row never changes its meaning.
var Calls = []Call{
	{"manifest", []ValueType{I32, I32}, []ValueType{I32}, PhaseDescribe, MaxManifestBytes, "", "hands over the manifest, once"},
	{"emit", []ValueType{I32, I32}, []ValueType{I32}, PhaseCollect, MaxEmitBytes, "", "one or more RECORD lines"},
	{"state", []ValueType{I32, I32}, []ValueType{I32}, PhaseCollect, MaxStateBytes, "", "one STATE"},
	{"gap", []ValueType{I32, I32}, []ValueType{I32}, PhaseCollect, MaxMessageBytes, "", "one DETAIL_GAP, DETAIL_GAP_ATTEMPTED or DETAIL_GAP_RECOVERED"},
	{"coverage", []ValueType{I32, I32}, []ValueType{I32}, PhaseCollect, MaxCoverageBytes, "", "one DETAIL_COVERAGE"},
	{"enumerate", []ValueType{I32, I32}, []ValueType{I32}, PhaseCollect, MaxMessageBytes, "", "one ENUMERATION"},
	{"skip", []ValueType{I32, I32}, []ValueType{I32}, PhaseCollect, MaxMessageBytes, "", "one SKIP_RESULT"},
	{"account", []ValueType{I32, I32}, []ValueType{I32}, PhaseCollect, MaxMessageBytes, "", "one ACCOUNT"},
	{"progress", []ValueType{I32, I32}, []ValueType{I32}, PhaseCollect, MaxMessageBytes, "", "one PROGRESS"},
	{"done", []ValueType{I32, I32}, []ValueType{I32}, PhaseCollect, MaxMessageBytes, "", "the DONE; nothing may follow"},
	{"log", []ValueType{I32, I32, I32}, nil, PhaseAny, MaxLogBytes, "", "level, text"},
	{"submit", []ValueType{I32, I32, I32}, []ValueType{I32}, PhaseCollect, MaxSubmitBytes, "", "operation, request; returns a handle above 0, or a negative refusal"},
	{"wait", []ValueType{I32}, []ValueType{I64}, PhaseCollect, 0, "", "next completed request within timeout_ms: handle<<32 | length; 0 on timeout; -1 when nothing is in flight"},
	{"read", []ValueType{I32, I32, I32}, []ValueType{I32}, PhaseCollect, 0, "", "copies the next part of an answer to dst; returns bytes copied, 0 when drained (and freed)"},
	{"last_error", []ValueType{I32, I32}, []ValueType{I32}, PhaseAny, 0, "", "copies {\"code\",\"message\"} of the last refusal to dst; returns its whole length"},
}

// LookupCall returns the row named name, and whether there is one.
func LookupCall(name string) (Call, bool) {
	for _, c := range Calls {
		if c.Name == name {
			return c, true
		}
	}
	return Call{}, false
}

// Operation is the kind of request that submit makes.
type Operation int32

// The operations of submit. Each answer is one JSON object; a failed
// operation answers {"error":{"code","message"}}.
const (
	OpStart    Operation = 1 // request empty; answer START. Exactly once, before anything else.
	OpHTTP     Operation = 2 // needs the network binding
	OpInteract Operation = 3 // request INTERACTION, answer INTERACTION_RESPONSE; needs the interactive binding
	OpGaps     Operation = 4 // next page of leased detail gaps
	OpBrowser  Operation = 5 // needs the browser binding
	OpNow      Operation = 6 // answer {"unix_ms"}
	OpMissing  Operation = 7 // next page of keys that an open enumeration has not met
)

// OperationInfo is one row of the operation table.
type OperationInfo struct {
	Op      Operation
	Name    string
	Binding string
}

// Operations is the operation table, in order of Op.
var Operations = []OperationInfo{
	{OpStart, "start", ""},
	{OpHTTP, "http", BindingNetwork},
	{OpInteract, "interact", BindingInteractive},
	{OpGaps, "gaps", ""},
	{OpBrowser, "browser", BindingBrowser},
	{OpNow, "now", ""},
	{OpMissing, "missing", ""},
}

// The guest's exports.
const (
	ExportMemory     = "memory"
	ExportInitialize = "_initialize"
	ExportVersion    = "pdpp_abi_version"
	ExportDescribe   = "pdpp_describe"
	ExportCollect    = "pdpp_collect"
)

// WASIModule is the import module of the WASI preview 1 functions below.
const WASIModule = "wasi_snapshot_preview1"

// WASI is the whole list of WASI functions that every guest may import. It
// gets no arguments and no environment.
var WASI = []string{
	"args_get", "args_sizes_get", "clock_time_get", "environ_get", "environ_sizes_get",
	"fd_write", "fd_close", "fd_fdstat_get", "fd_fdstat_set_flags",
	"fd_prestat_get", "fd_prestat_dir_name", "poll_oneoff", "proc_exit", "random_get", "sched_yield",
}

// WASIFilesystem lists the further functions that a guest may import if its manifest
// declares the filesystem binding. Every root is mounted read-only at "/" + its name.
var WASIFilesystem = []string{
	"fd_read", "fd_pread", "fd_readdir", "fd_seek", "fd_filestat_get",
	"path_open", "path_filestat_get", "path_readlink",
}

// The names of bindings that a manifest may declare. BindingBrowserLegacy is the
// Collection Profile draft's spelling of BindingBrowser; both are accepted.
const (
	BindingNetwork       = "network"
	BindingFilesystem    = "filesystem"
	BindingInteractive   = "interactive"
	BindingBrowser       = "browser"
	BindingBrowserLegacy = "browser_automation"
	BindingLocalDevice   = "local_device"
)
