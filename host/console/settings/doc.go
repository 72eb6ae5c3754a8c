// Package settings has the pages of settings: the look, the password, the browsers that are
// signed in, tokens, and what is configured.
package settings
