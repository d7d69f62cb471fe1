package analyze

import (
	"fmt"
	"math"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/apps"
	"github.com/loadline/loadline/internal/model/units"
)

// roundTripsOf returns the number of round trips per transaction of a workload; 0 if unknown.
func roundTripsOf(w *model.Workload) float64 {
	if w == nil {
		return 0
	}
	if count := apps.Of(*w).RoundTrips; count != nil {
		return count(w.App)
	}
	return 0
}

// network is how long a transaction of a workload waits for the network and for connections, in
// seconds, computed from the round trip and the connection time measured before the first repeat.
func network(rec *model.Recorded, w *model.Workload, r *model.AppResult) (seconds float64, words string, known bool) {
	n := roundTripsOf(w)
	if n == 0 || rec.Run.Prepare == nil || rec.Run.Prepare.App == nil {
		return 0, "", false
	}
	s := rec.Run.Prepare.App
	if s.RoundTrip == 0 || s.Connection == 0 {
		return 0, "", false
	}
	words = fmt.Sprintf("round trip %s", units.FormatDuration(s.RoundTrip))
	if !w.App.Reconnect {
		return n * s.RoundTrip, words, true
	}
	// A thread of the load tool connects one client after the other, and the tool's own connection time
	// includes how busy the server was.
	connection := s.Connection
	if r.Connect > 0 {
		connection = r.Connect
	}
	turns := math.Max(1, float64(max(1, w.Depth))/float64(max(1, min(w.App.Threads, max(1, w.Depth)))))
	return n*s.RoundTrip + turns*connection, words + ", connection " + units.FormatDuration(connection), true
}

const (
	// networkMatters is the share of a difference in latency from which on the network's part rules out
	// calling one storage better.
	networkMatters = 0.25
	// networkLeast is the share of a transaction's time below which the network's part of a difference
	// is ignored. tripsApart is the factor by which round trips differ if they were measured over two
	// networks: over the same network they differ only by how busy the machine was. remoteApart is the same for two
	// servers that Loadline did not start: each has its own way to it.
	networkLeast, tripsApart, remoteApart = 0.02, 1.5, 1.2
	// shorterBy is how much longer the network's part may be than the transaction that contains it,
	// because the two are measured one after the other.
	shorterBy = 1.5
)

// taken is how long a transaction took from the client's point of view, in seconds; 0 if unknown.
// The load tool's own latency excludes connecting, so it is computed from the rate in a closed loop.
func taken(w *model.Workload, r *model.Result) float64 {
	if rate := r.Metrics[model.Transactions].Value; !w.OpenLoop && rate > 0 {
		return float64(max(1, w.Depth)) / rate
	}
	if r.Latency == nil {
		return 0
	}
	return r.Latency.Mean
}

// distant reports whether the two clients were at different distances from their servers.
func distant(a, b *model.Recorded) bool {
	x, y, apart := a.Run.Prepare.App.RoundTrip, b.Run.Prepare.App.RoundTrip, tripsApart
	at := clientAt(a)
	switch {
	case at != clientAt(b):
		return true
	case at == besideServer:
		// A socket has no distance: its round trips differ by settings and processors.
		return false
	case at == whereWeRan:
		apart = remoteApart
	}
	return math.Max(x, y) >= apart*math.Min(x, y)
}

// whereWeRan is where the client of a server is that Loadline did not start, besideServer that of one that shares
// its machine or pod.
const whereWeRan, besideServer = "where Loadline ran", "beside the server"

// clientAt describes where the client of a run was.
func clientAt(rec *model.Recorded) string {
	c := rec.Environment.Cluster
	switch {
	case rec.Run.Prepare != nil && rec.Run.Prepare.App != nil && rec.Run.Prepare.App.Server != nil:
		return whereWeRan
	case c == nil || c.Client == nil:
		return besideServer
	case c.Client.Node == c.Node:
		return "in another pod on the server's node"
	}
	return "on another node"
}

// checkPlaced reports a difference in latency caused by round trips and connections, that is by the
// client's location and not the storage, and withdraws the verdict if they cause much of it.
func checkPlaced(c *model.Comparison, a, b Measured) (list []model.Finding) {
	said := map[string]bool{}
	for _, ra := range a.Report.Results {
		rb := find(b.Report.Results, ra.Workload, ra.Direction)
		if rb == nil || ra.App == nil || rb.App == nil || said[ra.Workload] {
			continue
		}
		wA, wB := workloadOf(a.Recorded, ra.Workload), workloadOf(b.Recorded, ra.Workload)
		netA, wordsA, knownA := network(a.Recorded, wA, ra.App)
		netB, wordsB, knownB := network(b.Recorded, wB, rb.App)
		if atA, atB := clientAt(a.Recorded), clientAt(b.Recorded); atA != atB && !(knownA && knownB) {
			said[ra.Workload] = true
			withhold(c, ra.Workload)
			list = append(list, model.Finding{Rule: "placed-differently", Severity: model.SeverityWarning, Results: []string{ra.Workload},
				Message: fmt.Sprintf("placed differently: the client was %s on side A and %s on side B, and how much of a transaction of %s is round trips is not known", atA, atB, ra.Workload),
				Next:    placeAlike})
			continue
		}
		if !knownA || !knownB || !distant(a.Recorded, b.Recorded) {
			continue
		}
		timeA, timeB := taken(wA, &ra), taken(wB, rb)
		latency, net := timeB-timeA, netB-netA
		// No transaction is shorter than its own round trips: they were measured at another time, or made up.
		if netA > shorterBy*timeA || netB > shorterBy*timeB {
			continue
		}
		// A part of the difference that goes the other way explains nothing of it.
		if timeA == 0 || timeB == 0 || latency == 0 || !(net/latency >= networkMatters) || math.Abs(net) < networkLeast*math.Min(timeA, timeB) {
			continue
		}
		said[ra.Workload] = true
		share := math.Min(1, net/latency)
		withhold(c, ra.Workload)
		list = append(list, model.Finding{Rule: "placed-differently", Severity: model.SeverityWarning, Results: []string{ra.Workload},
			Message: fmt.Sprintf("placed differently: a transaction of %s took %s %s on side B; %s of that (%.0f %%) are round trips and connections, not storage. The client was %s on side A (%s) and %s on side B (%s)",
				ra.Workload, units.FormatDuration(math.Abs(latency)), longer(latency), units.FormatDuration(math.Min(math.Abs(net), math.Abs(latency))), 100*share, clientAt(a.Recorded), wordsA, clientAt(b.Recorded), wordsB),
			Evidence: map[string]any{"latency": latency, "network": net, "share": share},
			Next:     placeAlike})
	}
	return list
}

// placeAlike is the advice where the client's location is part of a difference.
const placeAlike = "to compare the storage, place both clients alike: the same --client-node on both sides"

// withhold withdraws the verdicts on the rows of a workload.
func withhold(c *model.Comparison, workload string) {
	for i := range c.Rows {
		if row := &c.Rows[i]; row.Workload == workload && row.Verdict != model.Unusable {
			row.Verdict, row.Needed, row.Narrow = model.Unclear, 0, 0
		}
	}
}

func longer(difference float64) string {
	if difference > 0 {
		return "longer"
	}
	return "less"
}

// workloadOf is a workload of a run's plan, nil if there is none.
func workloadOf(rec *model.Recorded, name string) *model.Workload {
	for i := range rec.Plan.Workloads {
		if rec.Plan.Workloads[i].Name == name {
			return &rec.Plan.Workloads[i]
		}
	}
	return nil
}
