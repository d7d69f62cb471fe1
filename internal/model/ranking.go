package model

// Ranking ranks several systems by their measurements: for each test, and over each group of tests. It
// says only what the numbers support: a rank is a range.
type Ranking struct {
	// Systems are the names, in the order given; all other lists refer to them by index.
	Systems []RankedSystem `json:"systems"`
	Rows    []RankRow      `json:"rows"`
	// Groups are summaries: one for each group of tests, and a last one over all of them if there are
	// several.
	Groups []RankGroup `json:"groups"`
	// Noise is how much repeats of the same test differ; nil if nothing was repeated.
	Noise *Noise `json:"noise,omitempty"`
	// Alpha is the error rate allowed for one statement about two systems.
	Alpha float64 `json:"alpha"`
}

// RankedSystem is one of the systems.
type RankedSystem struct {
	Name string `json:"name"`
	// Directory is where its run is stored.
	Directory string `json:"directory,omitempty"`
}

// RankRow ranks the systems by one metric of one workload.
type RankRow struct {
	Group       string    `json:"group"`
	Workload    string    `json:"workload"`
	Direction   Direction `json:"direction"`
	Metric      Metric    `json:"metric"`
	Description string    `json:"description"`
	// Entries are sorted from best to worst; systems that were not measured are missing.
	Entries []RankEntry `json:"entries"`
	// Verdict is Better if every rank is certain, Unusable if fewer than two numbers can be used, else
	// Unclear.
	Verdict Change `json:"verdict"`
	// Apart is the smallest ratio (1.18 is 18 %) that separates two entries, if that is taken from
	// Noise; 0 if the row has its own intervals, or if nothing separates the entries, in which case
	// Reason says why.
	Apart  float64 `json:"apart,omitempty"`
	Reason string  `json:"reason,omitempty"`
}

// RankEntry is one system in a row or in a group.
type RankEntry struct {
	System   int      `json:"system"`
	Estimate Estimate `json:"estimate"`
	// First and Last are the best and worst rank (from 1) that the number allows. Both are 0, and
	// absent in JSON, for a number that cannot be used.
	First   int     `json:"first,omitempty"`
	Last    int     `json:"last,omitempty"`
	Trust   Verdict `json:"trust"`
	Repeats int     `json:"repeats"`
}

// RankGroup summarizes a group of tests.
type RankGroup struct {
	// Name is the name of the group; empty for the summary over all groups.
	Name string `json:"name"`
	// Rows is the number of usable rows for which every system has a value.
	Rows int `json:"rows"`
	// Entries are sorted from best to worst. Estimate is how many times better a system is than the
	// geometric mean of all systems, as a geometric mean over the rows.
	Entries []RankEntry `json:"entries"`
	// Pairs says for each pair of systems whether one is better over the group.
	Pairs   []RankPair `json:"pairs"`
	Verdict Change     `json:"verdict"`
	Reason  string     `json:"reason,omitempty"`
}

// RankPair compares two systems over a group.
type RankPair struct {
	A int `json:"a"`
	B int `json:"b"`
	// Ratio is how many times better B is than A: the geometric mean over the rows, with its 95 %
	// interval if the rows are regarded as a sample of all tests that one might choose.
	Ratio Estimate `json:"ratio"`
	// Wins, Losses and Open count the rows in which B is clearly better, clearly worse, or neither.
	Wins   int `json:"wins"`
	Losses int `json:"losses"`
	Open   int `json:"open"`
	// Verdict is the verdict on B: Better if it wins rows and loses none, or if the whole interval lies
	// above 1.
	Verdict Change `json:"verdict"`
}

// Noise is what is learned from repeats of the same test on the same system.
type Noise struct {
	// Repeats are the pairs or sets of repeats from which it was computed.
	Repeats []Repeat `json:"repeats"`
	// Largest is the largest relative difference between two repeats (0.109 is 10.9 %).
	Largest float64 `json:"largest"`
	// Deviation is the standard deviation of one run, on the logarithmic scale, pooled with DF degrees
	// of freedom; Apart is the ratio of two single runs beyond which the difference is significant at
	// Alpha: exp(t·√2·Deviation).
	Deviation float64 `json:"deviation"`
	DF        int     `json:"freedom"`
	Apart     float64 `json:"apart"`
	// Least is the duration of the shortest repeated run in seconds; 0 is unknown.
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
