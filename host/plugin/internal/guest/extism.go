package guest

import (
	"context"
	"errors"
	"fmt"
	"math"

	extism "github.com/extism/go-sdk"
	"github.com/tetratelabs/wazero"

	"github.com/pdpp-host/pdpp-host/abi"
)

// varBytes bounds an Extism guest's Extism variables. They exist as long as the
// instance and leave it in no way.
const varBytes = 64 << 10

// partBytes is the size of the part of an answer that one pdpp_read copies to Extism's
// memory.
const partBytes = 1 << 20

// extismModule is a module compiled through the Extism SDK; the zero value means none.
type extismModule struct{ compiled *extism.CompiledPlugin }

// extismPlugin is an instance of one; the zero value means none.
type extismPlugin struct{ plugin *extism.Plugin }

func (m *extismModule) compile(ctx context.Context, rc wazero.RuntimeConfig, module []byte, r *Runtime) error {
	var err error
	m.compiled, err = extism.NewCompiledPlugin(ctx, extism.Manifest{
		Wasm: []extism.Wasm{extism.WasmData{Data: module, Name: "main"}},
		// No host is allowed, so http_request ends the guest before it resolves a
		// name. Invariant 6: a guest cannot open a socket.
		AllowedHosts: nil,
		Config:       nil,
		Memory:       &extism.ManifestMemory{MaxVarBytes: varBytes, MaxHttpResponseBytes: 0},
	}, extism.PluginConfig{RuntimeConfig: rc, EnableWasi: true}, r.extismCalls())
	return err
}

func (m *extismModule) close(ctx context.Context) {
	if m.compiled != nil {
		_ = m.compiled.Close(ctx)
	}
}

func (i *Instance) startExtism(mounts []Mount) (int32, error) {
	// The SDK's own messages are below this level; the others are the guest's.
	extism.SetLogLevel(extism.LogLevelInfo)
	p, err := i.runtime.extism.compiled.Instance(i.ctx, extism.PluginInstanceConfig{
		ModuleConfig: moduleConfig(i.session, mounts),
	})
	if err != nil {
		return 0, err
	}
	p.SetLogger(func(level extism.LogLevel, text string) {
		i.session.log(extismLevel(level), []byte(text[:min(len(text), abi.MaxLogBytes)]))
	})
	i.plugin.plugin = p
	return i.call(abi.ExportVersion)
}

// extismLevel maps Extism's levels to those of the call log, which are slog's.
func extismLevel(l extism.LogLevel) int32 {
	switch {
	case l >= extism.LogLevelError:
		return 8
	case l >= extism.LogLevelWarn:
		return 4
	default:
		return 0
	}
}

// call calls an export. A text that the guest set with Extism's error_set is treated
// as written to its standard error, and turns a result of 0 into a failure.
func (p extismPlugin) call(ctx context.Context, s *Session, export string) (int32, error) {
	if p.plugin == nil {
		return 0, errors.New("there is no instance")
	}
	code, _, err := p.plugin.CallWithContext(ctx, export, nil)
	if err != nil {
		if said := p.plugin.GetErrorWithContext(ctx); said != "" && said == err.Error() {
			_, _ = s.outputs[1].Write([]byte(said + "\n"))
			return max(int32(code), 1), nil
		}
	}
	return int32(code), err
}

func (p extismPlugin) close() error {
	if p.plugin == nil {
		return nil
	}
	return p.plugin.CloseWithContext(context.Background())
}

// extismCalls are the rows of abi.Calls in Extism's shape, each
// pdpp_<call>(i64) -> i64. The argument is the offset of a block in Extism's
// memory that holds the payload, and stays the guest's to free, except:
//
//   - submit and log: the block's first byte is the operation, or the level;
//   - wait: the argument is timeout_ms itself;
//   - read: the argument is the handle; the result is the offset of a new block
//     with the next part of the answer, 0 when it is drained, and -1 when
//     refused;
//   - last_error: the argument is ignored; the result is the offset of a new
//     block, or 0 when nothing was refused.
//
// A new block is the guest's to free.
func (r *Runtime) extismCalls() []extism.HostFunction {
	shape := []extism.ValueType{extism.ValueTypeI64}
	out := make([]extism.HostFunction, len(abi.Calls))
	for i := range abi.Calls {
		out[i] = extism.NewHostFunctionWithStack("pdpp_"+abi.Calls[i].Name, r.extismCall(&abi.Calls[i]), shape, shape)
		out[i].SetNamespace(abi.ExtismUserModule)
	}
	return out
}

func (r *Runtime) extismCall(call *abi.Call) extism.HostFunctionStackCallback {
	kind := carriedBy(call.Name)
	return func(_ context.Context, p *extism.CurrentPlugin, stack []uint64) {
		s, arg := r.session, stack[0]
		var result int64
		switch call.Name {
		case "log":
			s.enter(call, 0)
			level, text := s.tagged(p, call, arg)
			s.log(int32(int8(level)), text[:min(len(text), int(call.MaxBytes))])
		case "submit":
			// The tag byte is added to the payload.
			op, request := s.tagged(p, call, arg)
			s.enter(call, uint64(len(request)))
			result = int64(s.submit(abi.Operation(op), request))
		case "wait":
			s.enter(call, 0)
			result = s.wait(int64(arg))
		case "read":
			s.enter(call, 0)
			result = s.readBlock(p, int64(arg))
		case "last_error":
			s.enter(call, 0)
			result = s.newBlock(p, s.refusal)
		default:
			b := s.block(p, call, arg)
			s.enter(call, uint64(len(b)))
			result = int64(s.process(call, kind, b))
		}
		stack[0] = uint64(result)
	}
}

// block returns the block at an offset, without copying it.
func (s *Session) block(p *extism.CurrentPlugin, call *abi.Call, offset uint64) []byte {
	if offset == 0 {
		return nil
	}
	n, err := p.Length(offset)
	if err == nil && n > 0 && n <= math.MaxUint32 && offset <= math.MaxUint32 {
		if b, ok := p.Memory().Read(uint32(offset), uint32(n)); ok {
			return b
		}
	}
	s.violate(abi.CodeCallOutOfBounds, call, fmt.Sprintf("there is no block at %#x", offset))
	return nil
}

// tagged splits a block into its first byte and the rest.
func (s *Session) tagged(p *extism.CurrentPlugin, call *abi.Call, offset uint64) (byte, []byte) {
	b := s.block(p, call, offset)
	if len(b) == 0 {
		s.violate(abi.CodeCallOutOfBounds, call, "the block is empty; it starts with one byte that says what follows")
	}
	return b[0], b[1:]
}

func (s *Session) readBlock(p *extism.CurrentPlugin, handle int64) int64 {
	if handle < 1 || handle > math.MaxInt32 {
		return int64(s.refuse(refuse(abi.CodeHandleUnknown, fmt.Sprintf("handle %d does not exist", handle))))
	}
	part, refused := s.part(int32(handle), partBytes)
	if refused != nil {
		return int64(s.refuse(refused))
	}
	return s.newBlock(p, part)
}

func (s *Session) newBlock(p *extism.CurrentPlugin, b []byte) int64 {
	if len(b) == 0 {
		return 0
	}
	offset, err := p.WriteBytes(b)
	if err != nil {
		s.fail(abi.NewError(abi.CodeGuestTrap, "an answer did not fit the connector's memory", "").Wrap(err))
	}
	return int64(offset)
}
