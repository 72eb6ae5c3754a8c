package sdk

import (
	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/fingerprint"
	"github.com/pdpp-host/pdpp-host/sdk/internal/shape"
	"github.com/pdpp-host/pdpp-host/sdk/jsonappend"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

// Copy sets a field to a value of the source, checked against the stream's schema. A value
// that the schema does not allow becomes null where it allows null; the SDK counts these
// and reports them to the host at the end of the run. In a field that may not be null the
// value stays as it is, and the host rejects the record and reports it.
func (r *Record) Copy(name string, value jsonvalue.Value) {
	if r.off {
		return
	}
	f := r.declared(name)
	if f == nil {
		r.Value(name, value)
		return
	}
	if !f.Takes(value.Kind()) && !f.Fits(value) && r.misfit(f) {
		value = jsonvalue.Value{}
	}
	if !f.Plain {
		r.Value(name, value)
		return
	}
	if len(r.data) > len("{") {
		r.data = append(r.data, ',')
	}
	r.data = value.AppendJSON(append(r.data, f.Label...))
}

// Expect is Copy for a value that the source always gives: a missing one counts as one that
// does not fit.
func (r *Record) Expect(name string, value jsonvalue.Value) {
	if !r.off && value.IsNull() {
		if f := r.search(name); f != nil {
			r.misfit(f)
		}
	}
	r.Copy(name, value)
}

// CopyMembers copies members of an object into the fields of the same name.
func (r *Record) CopyMembers(of jsonvalue.Value, names ...string) {
	for _, name := range names {
		r.Copy(name, of.Get(name))
	}
}

// ExpectMembers is CopyMembers with Expect.
func (r *Record) ExpectMembers(of jsonvalue.Value, names ...string) {
	for _, name := range names {
		r.Expect(name, of.Get(name))
	}
}

// Object is an element of an array that CopyObjects sets.
type Object struct {
	r    *Record
	of   *shape.Field
	fits bool
}

// Copy sets a member of the object as Record.Copy does a field: null stands for a value that
// does not fit, and for an array or an object, which would nest too deep.
func (o *Object) Copy(name string, value jsonvalue.Value) {
	fits := value.Kind() != jsonvalue.Array && value.Kind() != jsonvalue.Object
	if o.of != nil {
		for i := range o.of.Of {
			if f := &o.of.Of[i]; f.Name == name {
				fits = fits && f.Fits(value)
			}
		}
	}
	if !fits {
		o.fits, value = false, jsonvalue.Value{}
	}
	o.r.data = value.AppendJSON(jsonappend.Name(o.r.data, name))
}

// CopyObjects sets a field to an array with an object for each element of an array, or each
// member of an object. each sets the object's members, and returns false to leave it out. A
// missing list is an empty one. The field counts as a misfit when a member of an object is.
func (r *Record) CopyObjects(name string, list jsonvalue.Value, each func(o *Object, element jsonvalue.Value) bool) {
	if k := list.Kind(); k != jsonvalue.Array && k != jsonvalue.Object && k != jsonvalue.Null {
		r.Copy(name, list)
		return
	}
	if !r.field(name) {
		return
	}
	o := Object{r: r, of: r.search(name), fits: true}
	r.data = append(r.data, '[')
	for it := list.Children(); it.Next(); {
		from := len(r.data)
		r.data = append(jsonappend.Elem(r.data), '{')
		if !each(&o, it.Value()) {
			r.data = r.data[:from]
			continue
		}
		r.data = append(r.data, '}')
	}
	r.data = append(r.data, ']')
	if !o.fits && o.of != nil {
		r.misfit(o.of)
	}
	r.set(name, nil)
}

// CopyEach is Copy for an array of which each element becomes one of its members.
func (r *Record) CopyEach(name string, list jsonvalue.Value, member string) {
	if list.Kind() != jsonvalue.Array {
		r.Copy(name, list)
		return
	}
	if !r.field(name) {
		return
	}
	f := r.declared(name)
	from, fits := len(r.data), true
	r.data = append(r.data, '[')
	for it := list.Children(); it.Next(); {
		one := it.Value().Get(member)
		fits = fits && (f == nil || f.TakesItem(one.Kind()) || f.Items.In(one))
		r.data = one.AppendJSON(jsonappend.Elem(r.data))
	}
	r.data = append(r.data, ']')
	if !fits && r.misfit(f) {
		r.data = jsonappend.Null(r.data[:from])
	}
	if f == nil || !f.Plain {
		r.set(name, nil)
	}
}

// declared returns what the schema says of a field, nil when it does not have it. Most
// connectors set the fields in the schema's order, so it looks behind the last one first.
func (r *Record) declared(name string) *shape.Field {
	if fields := r.s.shape; r.next < len(fields) && fields[r.next].Name == name {
		r.next++
		return &fields[r.next-1]
	}
	return r.search(name)
}

func (r *Record) search(name string) *shape.Field {
	fields := r.s.declared()
	for range fields {
		if r.next >= len(fields) {
			r.next = 0
		}
		f := &fields[r.next]
		r.next++
		if f.Name == name {
			return f
		}
	}
	return nil
}

// misfit notes that a value does not fit its field, and reports whether null does.
func (r *Record) misfit(f *shape.Field) bool {
	for i := range r.s.shape {
		if &r.s.shape[i] == f {
			r.drift = append(r.drift, i)
		}
	}
	return f.Types&shape.Null != 0
}

// Sum returns the fingerprint of the fields that were set so far, of which 48 bits are
// used. It is 0 when a value among them did not fit, or when the record may be too large:
// the host may lack that record, so a connector that compares sums emits it again.
func (r *Record) Sum() uint64 {
	if len(r.drift) > 0 || len(r.data) > abi.MaxRecordBytes-1024 {
		return 0
	}
	return fingerprint.Sum48(r.data)
}
