package main

import (
	"strconv"
	"strings"

	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

// scaled ends the names of members that have ten millions of a degree.
const (
	scaled    = "E7"
	perDegree = 1e7
	overflow  = 1 << 32 // what older exports have too much of, where a negative number was written without its sign
)

// degreesIn reads a latitude or longitude, as the name of a member says; ok is false for one that the earth has not.
func degreesIn(v jsonvalue.Value, name string) (degrees float64, ok bool) {
	m := v.Get(name)
	degrees, ok = m.FloatOK()
	if m.Kind() == jsonvalue.String {
		var err error
		degrees, err = strconv.ParseFloat(strings.TrimSpace(m.Str()), 64)
		ok = err == nil
	}
	most := 180.0
	if strings.HasPrefix(name, "latitude") {
		most = 90
	}
	if strings.HasSuffix(name, scaled) {
		if degrees > most*perDegree {
			degrees -= overflow
		}
		degrees /= perDegree
	}
	return degrees, ok && degrees >= -most && degrees <= most
}

// degrees sets a field to the degrees that a member has.
func degrees(rec *sdk.Record, field string, v jsonvalue.Value, member string) {
	f, ok := degreesIn(v, member)
	if !ok {
		rec.Null(field)
		return
	}
	rec.Float(field, f)
}

// earthly tells of degrees that the earth has not, which give no field.
func (r *run) earthly(v jsonvalue.Value, members ...string) {
	for _, name := range members {
		if m := v.Get(name); m.Exists() && !m.IsNull() {
			if _, ok := degreesIn(v, name); !ok {
				r.Books.Miss("", problemPlace, 1, r.file, r.entry()+", "+name)
			}
		}
	}
}

// takenAt returns the place of a photo: that which its owner or Google gave it, else that of the camera. Both are zero where
// they are not known, and not in the Gulf of Guinea.
func takenAt(photo jsonvalue.Value) jsonvalue.Value {
	for _, name := range []string{"geoData", "geoDataExif"} {
		place := photo.Get(name)
		latitude, north := degreesIn(place, "latitude")
		longitude, east := degreesIn(place, "longitude")
		if !north && place.Get("latitude").Exists() || !east && place.Get("longitude").Exists() || latitude != 0 || longitude != 0 {
			return place
		}
	}
	return jsonvalue.Value{}
}
