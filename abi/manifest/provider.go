package manifest

import (
	"reflect"
	"strconv"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/provider"
)

// readProvider reads the provider's documented limits. It refuses an unknown field:
// its author would believe that a limit is in force.
func readProvider(p place) *abi.Provider {
	if !p.present() {
		return nil
	}
	before := len(p.c.problems)
	limits := new(abi.Provider)
	p.decodeInto(reflect.ValueOf(limits).Elem(), "")
	if len(p.c.problems) == before { // a field with a wrong type has its problem already
		provider.Check(limits, func(path, rule string) {
			q := p
			q.path += "." + path
			q.fail(rule)
		})
	}
	return limits
}

// decodeInto decodes the place into one of the kinds that abi.Provider uses, by the names in
// its json tags. unit is the unit of a number, as in " of milliseconds".
func (p place) decodeInto(v reflect.Value, unit string) {
	if !p.present() {
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		p.decodeInto(v.Elem(), unit)
	case reflect.Struct:
		p.intoStruct(v)
	case reflect.Slice:
		items := p.list(maxHosts)
		v.Set(reflect.MakeSlice(v.Type(), len(items), len(items)))
		for i, item := range items {
			item.decodeInto(v.Index(i), "")
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
			p.fail("must be a whole number" + unit + ", and is " + p.quotedValue())
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
	p.refuseOthers("the provider's limits", names...)
	for i, name := range names {
		unit := ""
		switch {
		case strings.HasSuffix(name, "_ms"):
			unit = " of milliseconds"
		case strings.HasSuffix(name, "_bytes"):
			unit = " of bytes"
		}
		p.member(name).decodeInto(v.Field(i), unit)
	}
}

// quotedValue returns a value as a refusal repeats it.
func (p place) quotedValue() string {
	switch p.n.kind {
	case kindString:
		return quote(p.n.text)
	case kindNumber:
		return p.n.text
	default:
		return p.n.kind.String()
	}
}
