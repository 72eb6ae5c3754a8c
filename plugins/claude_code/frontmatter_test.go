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
		if got := string(readFrontmatter(in).json); got != want {
			t.Errorf("%q: %s, want %s", in, got, want)
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
