// Package audit has the page of what owners changed and were refused (OC-02.1).
package audit
