package owner

// NewOwner is newOwner, for the tests of all rooms together.
var NewOwner = newOwner
