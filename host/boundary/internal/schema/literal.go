package schema

import (
	"encoding/json"
	"strconv"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/pdpp-host/pdpp-host/host/boundary/internal/tape"
)

// literal is one value of an enum or const.
type literal struct {
	kind  tape.Kind
	text  string // of a string
	n     int64  // of a number that is a short integer
	plain bool   // compared here: not a container, not any other number
}

func (sh *shape) setValues(s *jsonschema.Schema) {
	if s.Const != nil {
		sh.values = append(sh.values, []literal{literalOf(*s.Const)})
		sh.words = append(sh.words, "const")
	}
	if s.Enum != nil {
		list := []literal{}
		for _, v := range s.Enum.Values {
			list = append(list, literalOf(v))
		}
		sh.values = append(sh.values, list)
		sh.words = append(sh.words, "enum")
	}
}

func literalOf(v any) literal {
	switch v := v.(type) {
	case nil:
		return literal{kind: tape.Null, plain: true}
	case bool:
		if v {
			return literal{kind: tape.True, plain: true}
		}
		return literal{kind: tape.False, plain: true}
	case string:
		return literal{kind: tape.String, text: v, plain: true}
	case json.Number:
		n, err := strconv.ParseInt(v.String(), 10, 64)
		return literal{kind: tape.Number, n: n, plain: err == nil}
	case []any:
		return literal{kind: tape.Array}
	default:
		return literal{kind: tape.Object}
	}
}

// among reports whether value i is in list.
func (r *runner) among(list []literal, i int) verdict {
	kind := r.t.Kind(i)
	r.work -= len(list) / 8
	answer := no
	for k := range list {
		l := &list[k]
		if l.kind != kind {
			continue
		}
		if !l.plain {
			answer = unsure
			continue
		}
		switch kind {
		case tape.String:
			if r.t.Equal(i, l.text) {
				return yes
			}
		case tape.Number:
			n, ok := r.t.Int64(i)
			if !ok {
				answer = unsure
			} else if n == l.n {
				return yes
			}
		default:
			return yes
		}
	}
	return answer
}
