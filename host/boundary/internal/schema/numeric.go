package schema

import (
	"math"
	"math/big"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/pdpp-host/pdpp-host/host/boundary/internal/tape"
)

// integral reports whether number i is an integer: 1.0 is one.
func integral(t *tape.Tape, i int) verdict {
	if t.Integer(i) {
		return yes
	}
	if t.HasExponent(i) {
		return unsure
	}
	text := t.Text(i)
	for k := len(text) - 1; text[k] != '.'; k-- {
		if text[k] != '0' {
			return no
		}
	}
	return yes
}

// bound is one of minimum, maximum and their exclusive variants.
type bound struct {
	keyword string
	upper   bool
	strict  bool
	// least and most are the integers nearest to the bound from above and from below:
	// a number n is at least the bound if and only if n >= least.
	least, most int64
	exact       float64 // the bound, rounded
}

func (sh *shape) setBounds(s *jsonschema.Schema) {
	add := func(keyword string, at *big.Rat, upper, strict bool) {
		if at == nil {
			return
		}
		b := bound{keyword: keyword, upper: upper, strict: strict}
		b.exact, _ = at.Float64()
		floor := new(big.Int).Div(at.Num(), at.Denom()) // Euclidean, and Denom is positive
		b.most = saturate(floor)
		if !at.IsInt() {
			floor.Add(floor, big.NewInt(1))
		}
		b.least = saturate(floor)
		sh.bounds = append(sh.bounds, b)
	}
	add("minimum", s.Minimum, false, false)
	add("maximum", s.Maximum, true, false)
	add("exclusiveMinimum", s.ExclusiveMinimum, false, true)
	add("exclusiveMaximum", s.ExclusiveMaximum, true, true)
}

// saturate preserves the order relative to every number of up to 18 digits.
func saturate(n *big.Int) int64 {
	if n.IsInt64() {
		return n.Int64()
	}
	if n.Sign() < 0 {
		return math.MinInt64
	}
	return math.MaxInt64
}

func (r *runner) number(sh *shape, i int) verdict {
	if len(sh.bounds) == 0 {
		return yes
	}
	if n, ok := r.t.Int64(i); ok {
		for k := range sh.bounds {
			if !sh.bounds[k].satisfiedBy(n) {
				return r.no(i, sh.bounds[k].keyword)
			}
		}
		return yes
	}
	f, ok := decimal(r.t, i)
	if !ok {
		return unsure
	}
	for k := range sh.bounds {
		switch sh.bounds[k].near(f) {
		case no:
			return r.no(i, sh.bounds[k].keyword)
		case unsure:
			return unsure
		}
	}
	return yes
}

func (b *bound) satisfiedBy(n int64) bool {
	switch {
	case b.upper && b.strict:
		return n < b.least
	case b.upper:
		return n <= b.most
	case b.strict:
		return n > b.most
	default:
		return n >= b.least
	}
}

// near compares with a tolerance for rounding, and is unsure close to the bound.
func (b *bound) near(f float64) verdict {
	margin := 1e-9 * (math.Abs(f) + math.Abs(b.exact))
	switch {
	case math.IsInf(b.exact, 0) || math.Abs(f-b.exact) <= margin:
		return unsure
	case (f < b.exact) == b.upper:
		return yes
	default:
		return no
	}
}

// decimal returns number i, which must have a fraction, no exponent and at most 15
// digits, correct except for rounding.
func decimal(t *tape.Tape, i int) (float64, bool) {
	text := t.Text(i)
	if t.Integer(i) || t.HasExponent(i) || len(text) > 17 {
		return 0, false
	}
	var digits, scale float64 = 0, 1
	fraction := false
	for _, c := range text {
		switch {
		case c == '-':
		case c == '.':
			fraction = true
		default:
			digits = digits*10 + float64(c-'0')
			if fraction {
				scale *= 10
			}
		}
	}
	if text[0] == '-' {
		digits = -digits
	}
	return digits / scale, true
}
