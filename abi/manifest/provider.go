package manifest

import (
	"reflect"
	"strconv"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/provider"
)

// readProvider reads what is known of the provider's limits. A field that nobody
// knows is refused: its author would believe that a limit is kept to.
func readProvider(p place) *abi.Provider {
	if !p.present() {
		return nil
	}
	before := len(p.c.problems)
	limits := new(abi.Provider)
	p.into(reflect.ValueOf(limits).Elem(), "")
	if len(p.c.problems) == before { // else a field of another type would be told twice
		provider.Check(limits, func(path, rule string) {
			q := p
			q.path += "." + path
			q.fail(rule)
		})
	}
	return limits
}

// into decodes the place into a value of the kinds that abi.Provider has, by the
// names in its json tags. unit is what a number counts, as in " of milliseconds".
func (p place) into(v reflect.Value, unit string) {
	if !p.present() {
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		p.into(v.Elem(), unit)
	case reflect.Struct:
		p.intoStruct(v)
	case reflect.Slice:
		items := p.list(maxHosts)
		v.Set(reflect.MakeSlice(v.Type(), len(items), len(items)))
		for i, item := range items {
			item.into(v.Index(i), "")
		}
	case reflect.String:
		if p.is(kindString) {
			v.SetString(p.n.text)
		}
	case reflect.Bool:
		v.SetBool(p.boolean())
	case reflect.Float64:
		if p.is(kindNumber) {
			f, err := strconv.ParseFloat(p.n.text, 64)
			if err != nil {
				p.fail("must be a number that is not as large")
			}
			v.SetFloat(f)
		}
	default:
		n, err := int64(0), error(nil)
		if p.n.kind == kindNumber {
			n, err = strconv.ParseInt(p.n.text, 10, 64)
		}
		if p.n.kind != kindNumber || err != nil {
			p.fail("must be a whole number" + unit + ", and is " + p.shown())
			return
		}
		v.SetInt(n)
	}
}

func (p place) intoStruct(v reflect.Value) {
	if !p.object() {
		return
	}
	names := make([]string, v.NumField())
	for i := range names {
		names[i], _, _ = strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
	}
	p.only("the provider's limits", names...)
	for i, name := range names {
		unit := ""
		switch {
		case strings.HasSuffix(name, "_ms"):
			unit = " of milliseconds"
		case strings.HasSuffix(name, "_bytes"):
			unit = " of bytes"
		}
		p.get(name).into(v.Field(i), unit)
	}
}

// shown is a value as a refusal repeats it.
func (p place) shown() string {
	switch p.n.kind {
	case kindString:
		return quote(p.n.text)
	case kindNumber:
		return p.n.text
	default:
		return p.n.kind.String()
	}
}
