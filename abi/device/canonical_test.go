package device_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi/device"
)

func TestCanonical(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ in, want string }{
		{`{"b":1,"a":2}`, `{"a":2,"b":1}`},
		{` [ 1.0 , 1e3, -0, 0.000001, 1e-7, 1e21, 4.50 ] `, `[1,1000,0,0.000001,1e-7,1e+21,4.5]`},
		{`"\u00e9\u2028</\/\u0001\n"`, "\"é\u2028<//\\u0001\\n\""},
		{`{"\ud83d\ude00":1,"\ufb33":2}`, "{\"😀\":1,\"\ufb33\":2}"},
		{`{"a":[{"d":null,"c":true}],"":false}`, `{"":false,"a":[{"c":true,"d":null}]}`},
		{`[1e400,-1e400]`, `[null,null]`},
		{`{"b":1,"10":2,"9":3,"-1":4,"4294967294":5,"4294967295":6,"07":7,"__proto__":{}}`,
			`{"9":3,"10":2,"4294967294":5,"-1":4,"07":7,"4294967295":6,"b":1}`},
		{`"\uD800 \uD83D\uDE00 \uDE00"`, `"\ud800 😀 \ude00"`},
		{`{"a":1,"a":2}`, `{"a":2}`},
	} {
		got, err := device.Canonical([]byte(c.in))
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %s, %v; want %s", c.in, got, err, c.want)
		}
	}
	for _, bad := range []string{``, `{`, `1 2`, `{"a":1}]`, `nul`} {
		if got, err := device.Canonical([]byte(bad)); err == nil {
			t.Errorf("%q became %s, want err != nil", bad, got)
		}
	}
}

// A canonical text stays as it is, and keeps its value.
func FuzzCanonical(f *testing.F) {
	for _, s := range []string{`{"b":1.5e3,"a":["\u0000",null,true]}`, `-0.0`, `"\ud800"`, `1e400`, `[[[]]]`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		once, err := device.Canonical(text)
		if err != nil {
			return
		}
		if !json.Valid(once) {
			t.Fatalf("%q became %q, which is no JSON, want json.Valid(once)", text, once)
		}
		twice, err := device.Canonical(once)
		if err != nil || !bytes.Equal(once, twice) {
			t.Fatalf("%q became %q and then %q, %v, want no error && bytes.Equal(once, twice)", text, once, twice, err)
		}
	})
}

func TestIdentities(t *testing.T) {
	t.Parallel()
	one, err := device.Hash([]byte(`{"a":1,"b":[2]}`))
	other, err2 := device.Hash([]byte(`{ "b" : [2.0], "a" : 1 }`))
	if err != nil || err2 != nil || one != other || len(one) != 64 {
		t.Fatalf("got %s %s %v %v, want no error && err2 == nil && one == other && len(one) == 64", one, other, err, err2)
	}
	ids := map[string]bool{}
	for _, id := range []string{
		device.BatchID("c", "s", 1, one), device.BatchID("c", "s", 2, one), device.BatchID("c", "t", 1, one), device.BatchID("d", "s", 1, one),
		device.OutboxID("gap", "s", []string{"a"}), device.OutboxID("gap", "s", []string{"b"}), device.OutboxID("checkpoint", "s", []string{"a"}),
	} {
		ids[id] = true
	}
	if len(ids) != 7 {
		t.Errorf("identities are shared: %v, want 7", ids)
	}
	if again := device.BatchID("c", "s", 1, other); again != device.BatchID("c", "s", 1, one) {
		t.Error("the same batch has two names")
	}
}

func TestPathsKeepToTheirSegments(t *testing.T) {
	t.Parallel()
	if got := device.PathState("a/../b", "x?y"); got != "/_ref/device-exporters/a%2F..%2Fb/source-instances/x%3Fy/state" {
		t.Errorf(`device.PathState("a/../b", "x?y"): got %+v, want got == "/_ref/device-exporters/a%%2F..%%2Fb/source-instances/x%%3Fy/state"`, got)
	}
}
