package guest

import "github.com/tetratelabs/wazero/experimental"

// budget is the linear memory of one instance, over all its memories (an Extism guest
// has two). It records a refusal, which distinguishes an out-of-memory crash from any
// other.
type budget struct {
	limit, used uint64
	refused     bool
	short       bool // the machine had no more, within the limit
}

// Allocate reserves address space for a memory; pages become real, and count, only
// when the guest grows into them. Invariant 6: a guest cannot exceed its memory.
func (b *budget) Allocate(_, most uint64) experimental.LinearMemory {
	return &linear{budget: b, region: reserve(min(most, b.limit))}
}

// linear is one memory. wazero calls it from one goroutine at a time.
type linear struct {
	budget *budget
	region region
	size   uint64
}

// Reallocate returns nil if the budget or the machine has no more.
func (l *linear) Reallocate(size uint64) []byte {
	if size > l.size && size-l.size > l.budget.limit-l.budget.used {
		l.budget.refused = true
		return nil
	}
	b := l.region.grow(size)
	if b == nil {
		l.budget.short = true
		return nil
	}
	l.budget.used = l.budget.used - l.size + size
	l.size = size
	return b
}

// Free releases the memory. The guest must not be running.
func (l *linear) Free() {
	l.region.release()
	l.budget.used -= l.size
	l.size = 0
}
