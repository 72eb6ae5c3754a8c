// Package site has what the pages of the console share: a visit (who asks, by which
// operations), how it is answered, and what an error looks like. It knows no page.
package site
