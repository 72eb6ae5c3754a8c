//go:build tinygo

package markup

// TinyGo stops here and says why.
var _ = sdk_markup_needs_standard_Go_and_is_not_for_TinyGo
