package guest

import (
	"context"
	"fmt"

	"github.com/tetratelabs/wazero/api"

	"github.com/pdpp-host/pdpp-host/abi"
)

// link exports every row of abi.Calls from the import module of raw guests.
func (r *Runtime) link(ctx context.Context) error {
	b := r.wazero.NewHostModuleBuilder(abi.ImportModule)
	for i := range abi.Calls {
		call := &abi.Calls[i]
		b.NewFunctionBuilder().
			WithGoModuleFunction(r.rawCall(call), wireTypes(call.Params), wireTypes(call.Results)).
			Export(call.Name)
	}
	_, err := b.Instantiate(ctx)
	return err
}

// rawCall is the host side of call: it reads its arguments from the stack and its
// payload from the caller's memory. No pointer is kept.
func (r *Runtime) rawCall(call *abi.Call) api.GoModuleFunc {
	switch call.Name {
	case "log":
		return func(_ context.Context, m api.Module, stack []uint64) {
			s := r.session
			s.enter(call, 0)
			// An overlong text is shortened, not refused; its whole range must be
			// inside the guest's memory.
			p := s.view(m, call, stack[1], stack[2])
			s.log(api.DecodeI32(stack[0]), p[:min(len(p), int(call.MaxBytes))])
		}
	case "submit":
		return func(_ context.Context, m api.Module, stack []uint64) {
			s := r.session
			s.enter(call, uint64(uint32(stack[2])))
			p := s.view(m, call, stack[1], stack[2])
			stack[0] = api.EncodeI32(s.submit(abi.Operation(api.DecodeI32(stack[0])), p))
		}
	case "wait":
		return func(_ context.Context, _ api.Module, stack []uint64) {
			s := r.session
			s.enter(call, 0)
			stack[0] = uint64(s.wait(int64(api.DecodeI32(stack[0]))))
		}
	case "read":
		return func(_ context.Context, m api.Module, stack []uint64) {
			s := r.session
			s.enter(call, 0)
			dst := s.view(m, call, stack[1], stack[2])
			stack[0] = api.EncodeI32(s.readAnswer(api.DecodeI32(stack[0]), dst))
		}
	case "last_error":
		return func(_ context.Context, m api.Module, stack []uint64) {
			s := r.session
			s.enter(call, 0)
			copy(s.view(m, call, stack[0], stack[1]), s.refusal)
			stack[0] = api.EncodeI32(int32(len(s.refusal)))
		}
	default:
		kind := carriedBy(call.Name)
		return func(_ context.Context, m api.Module, stack []uint64) {
			s := r.session
			s.enter(call, uint64(uint32(stack[1])))
			stack[0] = api.EncodeI32(s.process(call, kind, s.view(m, call, stack[0], stack[1])))
		}
	}
}

// view returns length bytes of the guest's memory at ptr without copying, or ends the
// guest if the range is outside its memory.
func (s *Session) view(m api.Module, call *abi.Call, ptr, length uint64) []byte {
	p, n := uint32(ptr), uint32(length)
	if mem := m.Memory(); mem != nil {
		if b, ok := mem.Read(p, n); ok {
			return b
		}
	}
	s.violate(abi.CodeCallOutOfBounds, call,
		fmt.Sprintf("%d bytes at %#x are not inside its memory", n, p))
	return nil
}

// readAnswer copies the next part of an answer to dst. An empty buffer is refused, because
// its result 0 would mean "drained".
func (s *Session) readAnswer(handle int32, dst []byte) int32 {
	if len(dst) == 0 {
		return s.refuse(refuse(abi.CodeHandleUnknown, "a buffer of 0 bytes reads nothing"))
	}
	p, refused := s.part(handle, min(len(dst), 1<<30))
	if refused != nil {
		return s.refuse(refused)
	}
	return int32(copy(dst, p))
}

func wireTypes(ts []abi.ValueType) []api.ValueType {
	out := make([]api.ValueType, len(ts))
	for i, t := range ts {
		if out[i] = api.ValueTypeI32; t == abi.I64 {
			out[i] = api.ValueTypeI64
		}
	}
	return out
}
