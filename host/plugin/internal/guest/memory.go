package guest

import "github.com/tetratelabs/wazero/experimental"

// budget is the linear memory that one instance may have, over all the
// memories it is made of (an Extism guest has two). It notes when it had to
// refuse, which is how an out-of-memory crash is told from any other.
type budget struct {
	limit, used uint64
	refused     bool
}

// Allocate reserves address space for a memory; pages become real, and count,
// only as the guest grows into them. Invariant 6: a guest cannot exceed its
// memory.
func (b *budget) Allocate(_, most uint64) experimental.LinearMemory {
	return &linear{budget: b, region: reserve(min(most, b.limit))}
}

// linear is one memory. wazero calls it from one goroutine at a time.
type linear struct {
	budget *budget
	region region
	size   uint64
}

// Reallocate returns nil when the budget or the machine has no more.
func (l *linear) Reallocate(size uint64) []byte {
	if size > l.size && size-l.size > l.budget.limit-l.budget.used {
		l.budget.refused = true
		return nil
	}
	b := l.region.grow(size)
	if b == nil {
		l.budget.refused = true
		return nil
	}
	l.budget.used = l.budget.used - l.size + size
	l.size = size
	return b
}

// Free gives the memory back. The guest must not be running.
func (l *linear) Free() {
	l.region.release()
	l.budget.used -= l.size
	l.size = 0
}
