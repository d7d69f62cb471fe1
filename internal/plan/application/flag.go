package application

import (
	"github.com/loadline/loadline/internal/model"
)

// Flag is one of an application's own flags. The command line reads its value into a request, and writes
// a request as the flags that it stands for.
type Flag struct {
	// Name is its name without the dashes. Usage is its line of the help, in which a word in back quotes
	// names the value; it begins with "Kubernetes: " if the flag is about the cluster.
	Name, Usage string
	// To returns where a request holds the value. Its type says what the flag takes:
	//
	//	*string    a text; with File, the name of a file whose text is held
	//	*bool      nothing
	//	*int       a whole number from Least to Most
	//	*[]int     a list of whole numbers, in any order
	//	*[]string  a text, repeatedly
	//	*float64   a rate in 1/s; with Time, a duration in seconds
	//
	// Nil if Option is set.
	To func(*model.AppRequest) any
	// Option is an option of the load tool, such as "--val-size=", that ends in a whole number from Least
	// to Most: the flag gives it.
	Option      string
	Least, Most int
	// Such is a number to suggest; 0 means any.
	Such       int
	File, Time bool
	// Load is set if the flag defines a load of the user's own, which takes the place of a profile.
	Load bool
}

// Clients is the flag for numbers of clients.
func Clients(usage string) Flag {
	return Flag{Name: "clients", Usage: usage, Load: true, To: func(r *model.AppRequest) any { return &r.Ask.Clients }}
}

// Rate is the flag that makes the load an open loop of transactions, in the plural.
func Rate(transactions string) Flag {
	return Flag{Name: "rate", Usage: "offer this many " + transactions + " per second, at random times (an open loop)", Load: true,
		To: func(r *model.AppRequest) any { return &r.Ask.Rate }}
}

// LatencyLimit is the flag that skips late transactions, in the plural.
func LatencyLimit(transactions string) Flag {
	return Flag{Name: "latency-limit", Usage: "with --rate: skip " + transactions + " later than this, such as 100ms", Load: true, Time: true,
		To: func(r *model.AppRequest) any { return &r.Ask.Limit }}
}

// Settings is the repeatable flag for settings of the server, NAME=VALUE.
func Settings(usage string) Flag {
	return Flag{Name: "set", Usage: usage, To: func(r *model.AppRequest) any { return &r.Set }}
}
