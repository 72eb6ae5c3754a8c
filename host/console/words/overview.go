package words

// The overview.
const (
	OverviewTitle = "Overview"
	NothingYet    = "Nothing is collected yet"
	NothingNeeds  = "Nothing needs you"
	OneNeeds      = "One thing needs you"
	ThingsNeed    = "things need you"
	Connections   = "Connections"
	NextPage      = "More connections"
)
