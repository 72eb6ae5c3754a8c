package plugin

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/plugin/internal/wasmbin"
)

// The kinds of guest.
const (
	KindRaw    = "raw"
	KindExtism = "extism"
)

// Info describes a module before it runs.
type Info struct {
	Kind           string   // KindRaw or KindExtism
	ABI            int      // the ABI version for which it was built
	Imports        []string // "module.name", in the module's order
	MemoryMinBytes int64
	SizeBytes      int64
	SHA256         string
}

// extismEnv lists the functions of the Extism SDK under abi.ExtismEnvModule. All of
// them concern memory or logging, or have no effect.
var extismEnv = strings.Fields(`
	alloc free length length_unsafe load_u8 load_u64 store_u8 store_u64
	input_load_u8 input_load_u64 input_length input_offset input_set
	output_set output_length output_offset error_set error_get reset memory_bytes
	config_get var_get var_set http_request http_status_code http_headers
	get_log_level log_trace log_debug log_info log_warn log_error`)

var (
	noneToI32 = wasmbin.Signature{Results: []abi.ValueType{abi.I32}}
	i64ToI64  = wasmbin.Signature{Params: []abi.ValueType{abi.I64}, Results: []abi.ValueType{abi.I64}}
)

// admit checks a module's imports, exports and memory against the ABI. It names every
// refused import. Invariant 6: only listed functions are linked, so no module that
// loads can ask for a socket, an environment or a file that it was not granted.
func admit(file *File, memoryBytes int64) (Info, error) {
	m, err := wasmbin.Parse(file.Bytes)
	if err != nil {
		return Info{}, err
	}
	info := Info{
		Kind: KindRaw, ABI: abi.Version, SizeBytes: file.Size, SHA256: file.SHA256,
		MemoryMinBytes: int64(m.MemoryMinPages) * wasmbin.PageBytes,
	}
	for _, im := range m.Imports {
		if im.Module == abi.ExtismEnvModule {
			info.Kind = KindExtism
		}
		info.Imports = append(info.Imports, im.Module+"."+im.Name)
	}
	if err := admitImports(m, info.Kind); err != nil {
		return info, err
	}
	if err := admitExports(m, info.Kind); err != nil {
		return info, err
	}
	if info.MemoryMinBytes > memoryBytes {
		return info, abi.NewError(abi.CodePluginMemoryMinimum, "the plugin needs more memory than allowed",
			"raise limits.memory if the plugin is known to need it").
			WithDetail(fmt.Sprintf("it starts with %s, the limit is %s", sizeText(info.MemoryMinBytes), sizeText(memoryBytes)))
	}
	return info, nil
}

func admitImports(m *wasmbin.Module, kind string) error {
	var refused []string
	for _, im := range m.Imports {
		if why := refusal(im, kind); why != "" {
			if from := importedBy(im); from != "" {
				why += "; it usually comes with " + from
			}
			name := clean(nil, []byte(im.Module+"."+im.Name))
			refused = append(refused, fmt.Sprintf("%s (%s)", name, why))
		}
	}
	if len(refused) == 0 {
		return nil
	}
	return abi.NewError(abi.CodePluginImportRefused, "the plugin asks for functions that this host does not offer",
		"rebuild it against the plugin ABI, without what brings these in; a plugin has no sockets, no environment and no writable files").
		WithDetail(truncate(strings.Join(refused, ", "), 4<<10))
}

// refusal returns why an import is refused; "" if it is not.
func refusal(im wasmbin.Import, kind string) string {
	if im.Kind != wasmbin.KindFunc {
		return "a " + im.Kind.String() + " cannot be imported"
	}
	var want wasmbin.Signature
	switch {
	case im.Module == abi.WASIModule:
		if !slices.Contains(abi.WASI, im.Name) && !slices.Contains(abi.WASIFilesystem, im.Name) {
			return "not offered"
		}
		return "" // wazero checks the signature when it links
	case im.Module == abi.ImportModule && kind == KindRaw:
		call, ok := abi.LookupCall(im.Name)
		if !ok {
			return "no such call"
		}
		want = wasmbin.Signature{Params: call.Params, Results: call.Results}
	case im.Module == abi.ExtismUserModule && kind == KindExtism:
		if _, ok := abi.LookupCall(strings.TrimPrefix(im.Name, "pdpp_")); !ok || !strings.HasPrefix(im.Name, "pdpp_") {
			return "no such call"
		}
		want = i64ToI64
	case im.Module == abi.ImportModule:
		return "an Extism guest finds the calls in " + abi.ExtismUserModule
	case im.Module == abi.ExtismUserModule:
		return "only an Extism guest finds the calls there"
	case im.Module == abi.ExtismEnvModule:
		if !slices.Contains(extismEnv, im.Name) {
			return "not offered"
		}
		return ""
	default:
		return "unknown module"
	}
	if !im.Signature.Equal(want) {
		return "its type is " + im.Signature.String() + ", not " + want.String()
	}
	return ""
}

func admitExports(m *wasmbin.Module, kind string) error {
	var missing []string
	need := func(name string, want wasmbin.Signature) {
		switch e, ok := m.Exports[name]; {
		case !ok || e.Kind != wasmbin.KindFunc:
			missing = append(missing, name)
		case !e.Signature.Equal(want):
			missing = append(missing, name+" of type "+want.String()+" (it has "+e.Signature.String()+")")
		}
	}
	if kind == KindRaw {
		if e, ok := m.Exports[abi.ExportMemory]; !ok || e.Kind != wasmbin.KindMemory || m.Memories != 1 {
			missing = append(missing, abi.ExportMemory)
		}
		need(abi.ExportInitialize, wasmbin.Signature{})
	}
	need(abi.ExportVersion, noneToI32)
	need(abi.ExportDescribe, noneToI32)
	need(abi.ExportCollect, noneToI32)
	if len(missing) == 0 {
		return nil
	}
	return abi.NewError(abi.CodePluginExportMissing, "this is not a connector: it lacks exports that the host calls",
		"build it as a reactor module that exports these functions").WithDetail(truncate(strings.Join(missing, ", "), 4<<10))
}

// CheckImports refuses a module that imports a binding's functions although its
// manifest does not declare the binding. The error is an *abi.Error
// plugin.import_refused whose Detail names each import and its binding.
func CheckImports(info Info, m *abi.Manifest) error {
	return checkBindings(info, func(binding string) bool {
		declared, _ := m.Declares(binding)
		return declared
	}, "declare the binding in the manifest, or build the plugin without these functions")
}

func checkBindings(info Info, has func(binding string) bool, hint string) error {
	var refused []string
	for _, im := range info.Imports {
		if b := bindingOf(im); b != "" && !has(b) {
			refused = append(refused, im+" needs the binding "+b)
		}
	}
	if len(refused) == 0 {
		return nil
	}
	return abi.NewError(abi.CodePluginImportRefused, "the plugin uses functions of a binding that it does not have", hint).
		WithDetail(truncate(strings.Join(refused, ", "), 4<<10))
}

// bindingOf returns the binding that an import "module.name" needs, or "".
func bindingOf(im string) string {
	if name, ok := strings.CutPrefix(im, abi.WASIModule+"."); ok && slices.Contains(abi.WASIFilesystem, name) {
		return abi.BindingFilesystem
	}
	name, raw := strings.CutPrefix(im, abi.ImportModule+".")
	if !raw {
		name = strings.TrimPrefix(im, abi.ExtismUserModule+".pdpp_")
	}
	call, _ := abi.LookupCall(name)
	return call.Binding
}

func truncate(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + " …"
}
