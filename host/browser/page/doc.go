// Package page has the pages of a browser: what opens and closes them, leads them somewhere,
// looks at them, and acts on them as a person with a mouse and a keyboard would.
//
// The host looks at a page from a world of its own, which neither the page nor a connector can
// reach; a connector's functions have another. Every call ends with its page: one that crashes,
// hangs or is closed answers nothing.
package page
