package model

// Ranking orders several systems by what was measured of them: for each test, and
// over each group of tests. It says only what the numbers support: a place is a range.
type Ranking struct {
	// Systems are the names, in the order in which they were given; all other lists
	// refer to them by index.
	Systems []RankedSystem `json:"systems"`
	Rows    []RankRow      `json:"rows"`
	// Groups sum up: one for each group of tests, and the last one over all of them
	// when there are several.
	Groups []RankGroup `json:"groups"`
	// Noise is what repeats of the same test differ by; nil when nothing was repeated.
	Noise *Noise `json:"noise,omitempty"`
	// Alpha is the error allowed for one statement about two systems.
	Alpha float64 `json:"alpha"`
}

// RankedSystem is one of the systems.
type RankedSystem struct {
	Name string `json:"name"`
	// Directory is where its run is saved.
	Directory string `json:"directory,omitempty"`
}

// RankRow ranks the systems by one metric of one workload.
type RankRow struct {
	Group       string    `json:"group"`
	Workload    string    `json:"workload"`
	Direction   Direction `json:"direction"`
	Metric      Metric    `json:"metric"`
	Description string    `json:"description"`
	// Entries are sorted from the best value to the worst; systems that were not
	// measured are missing.
	Entries []RankEntry `json:"entries"`
	// Verdict is Better when every place is certain, Unusable when fewer than two
	// numbers can be used, else Unclear.
	Verdict Change `json:"verdict"`
	// Apart is the smallest ratio (1.18 is 18 %) that tells two entries apart, where
	// that is borrowed from Noise; 0 when the row has intervals of its own or nothing
	// tells them apart, and Reason then says why.
	Apart  float64 `json:"apart,omitempty"`
	Reason string  `json:"reason,omitempty"`
}

// RankEntry is one system in a row or in a group.
type RankEntry struct {
	System   int      `json:"system"`
	Estimate Estimate `json:"estimate"`
	// First and Last are the best and the worst place (from 1) that the number allows.
	// Both are 0, and absent in JSON, for a number that cannot be used.
	First   int     `json:"first,omitempty"`
	Last    int     `json:"last,omitempty"`
	Trust   Verdict `json:"trust"`
	Repeats int     `json:"repeats"`
}

// RankGroup sums up a group of tests.
type RankGroup struct {
	// Name is the group's; empty over all groups.
	Name string `json:"name"`
	// Rows is the number of rows that every system has and that can be used.
	Rows int `json:"rows"`
	// Entries are sorted from best to worst. Estimate is the geometric mean, over the
	// rows, of how many times better than the geometric mean of all systems it is.
	Entries []RankEntry `json:"entries"`
	// Pairs says for each two systems whether one is better over the group.
	Pairs   []RankPair `json:"pairs"`
	Verdict Change     `json:"verdict"`
	Reason  string     `json:"reason,omitempty"`
}

// RankPair compares two systems over a group.
type RankPair struct {
	A int `json:"a"`
	B int `json:"b"`
	// Ratio is how many times better B is than A: the geometric mean over the rows,
	// with the 95 % interval of that mean if the rows are taken as a sample of all tests
	// that one might choose.
	Ratio Estimate `json:"ratio"`
	// Wins, Losses and Open count the rows in which B is told to be better, told to be
	// worse, or neither.
	Wins   int `json:"wins"`
	Losses int `json:"losses"`
	Open   int `json:"open"`
	// Verdict is that on B: Better when it wins rows and loses none, or when the whole
	// interval lies above 1.
	Verdict Change `json:"verdict"`
}

// Noise is what the repeats of the same test on the same system tell.
type Noise struct {
	// Repeats are the pairs or sets of repeats it comes from.
	Repeats []Repeat `json:"repeats"`
	// Largest is the largest relative difference between two repeats (0.109 is 10.9 %).
	Largest float64 `json:"largest"`
	// Deviation is the standard deviation of one run, on the logarithmic scale, pooled
	// with DF degrees of freedom; Apart is the ratio of two single runs that is
	// beyond chance at Alpha: exp(t·√2·Deviation).
	Deviation float64 `json:"deviation"`
	DF        int     `json:"freedom"`
	Apart     float64 `json:"apart"`
	// Least is the shortest of the repeated runs in seconds; 0 is unknown.
	Least float64 `json:"least,omitempty"`
}

// Repeat is a test that was run more than once on a system.
type Repeat struct {
	System    int       `json:"system"`
	Workload  string    `json:"workload"`
	Direction Direction `json:"direction"`
	Metric    Metric    `json:"metric"`
	Values    []float64 `json:"values"`
	// Difference is largest / smallest − 1.
	Difference float64 `json:"difference"`
}
