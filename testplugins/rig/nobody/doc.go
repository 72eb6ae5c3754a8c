// Package nobody runs the tests of a package as an unprivileged user where they were started
// by the superuser, for whom the sandbox of a browser does not work.
package nobody
