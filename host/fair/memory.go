package fair

// mostRemembered bounds what is remembered, in keys.
const mostRemembered = 16 << 10

// memory remembers a value of each key. Where it is full, half of the keys are forgotten: those that were looked for
// longest ago. Its zero value is ready.
type memory[K comparable, V any] struct {
	young, old map[K]*V
}

// find returns the value of a key, or nil if it is not remembered.
func (m *memory[K, V]) find(k K) *V {
	if v := m.young[k]; v != nil {
		return v
	}
	v := m.old[k]
	if v != nil {
		delete(m.old, k)
		m.put(k, v)
	}
	return v
}

// of returns the value of a key, which is fresh if the key is not remembered.
func (m *memory[K, V]) of(k K, fresh V) *V {
	v := m.find(k)
	if v == nil {
		v = &fresh
		m.put(k, v)
	}
	return v
}

func (m *memory[K, V]) put(k K, v *V) {
	if m.young == nil || len(m.young) >= mostRemembered/2 {
		m.young, m.old = map[K]*V{}, m.young
	}
	m.young[k] = v
}

func (m *memory[K, V]) len() int { return len(m.young) + len(m.old) }
