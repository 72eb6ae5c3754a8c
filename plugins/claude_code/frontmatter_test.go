package main

import "testing"

func TestFrontmatter(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"no front matter":      "",
		"---\nunclosed: yes\n": "",
		"---\n---\n":           `{}`,
		"---\nname: \"a: b\"\ndescription: plain: with colon\n---\nbody": `{"name":"a: b","description":"plain: with colon"}`,
		"---\ndescription: |\n  one\n  two\nn: >\n  a\n  b\n---":         `{"description":"one\ntwo","n":"a b"}`,
		"---\ntools: [Read, 'Edit']\nlist:\n  - a\n  - \"b\"\n---":       `{"tools":["Read","Edit"],"list":["a","b"]}`,
		"---\nhooks:\n  Stop:\n    - run\n# comment\nname: x\n---":       `{"hooks":"","name":"x"}`,
		"---\ndescription: goes\n  on\n---":                              `{"description":"goes on"}`,
		"\ufeff---\r\nname: crlf\r\n---\r\n":                             `{"name":"crlf"}`,
		"---\nname: a\nname: b\n---":                                     `{"name":"a"}`,
	} {
		if got := string(readHeader(in).metadata); got != want {
			t.Errorf("%q: %s, want %s", in, got, want)
		}
	}
}

func TestHeader(t *testing.T) {
	t.Parallel()
	for in, want := range map[string][2]string{
		"no front matter":                                 {`{}`, "no front matter"},
		"---\nunclosed: yes\n":                            {`{}`, "---\nunclosed: yes\n"},
		"---\n---\nbody":                                  {`{}`, "body"},
		"---\nname: a\n---\n\nbody\n":                     {`{"name":"a"}`, "\nbody\n"},
		"---\nname: a\nname: b\n---":                      {`{"name":"b"}`, ""},
		"---\ntools: [Read, 'Edit']\nlist:\n  - a\n---\n": {`{"tools":"[Read, 'Edit']","list":""}`, ""},
		"---\nd: >-\n  one\n  two\n\nl: |\n  a\n  b\n# no\nn: goes\n  on\n---\n": {`{"d":"one two","l":"a\nb","n":"goes"}`, ""},
		"\ufeff---\r\nname : \" crlf \"\r\nx y: 1\r\n---\r\nb\r\n":               {`{"name":"crlf"}`, "b\r\n"},
	} {
		if got := readHeader(in); string(got.texts) != want[0] || got.body != want[1] {
			t.Errorf("%q: got %s and %q, want %s and %q", in, got.texts, got.body, want[0], want[1])
		}
	}
}

func TestProjectFolder(t *testing.T) {
	t.Parallel()
	for _, c := range [][3]string{
		{"-home-ada-code-loom", "/home/ada/code/loom", "/home/ada/code/loom"},
		{"-home-ada-code-loom", "/home/ada/code/loom/src/a", "/home/ada/code/loom"},
		{"-home-ada--config-x", "/home/ada/.config/x", "/home/ada/.config/x"},
		{"-home-ada-code-loom", "/srv/other", ""},
		{"C--Users-ada-loom", `C:\Users\ada\loom\src`, `C:\Users\ada\loom`},
		{"-home-jos--", "/home/josé", ""},
		{"-home-jos-", "/home/josé", "/home/josé"},
		{"x", "", ""},
	} {
		if got := projectFolder(c[0], c[1]); got != c[2] {
			t.Errorf("%s in %s: %q, want %q", c[0], c[1], got, c[2])
		}
	}
}
