// Package capacity turns points into laws, laws into named limits, and limits into the number of nodes
// that a need takes.
//
// Its assumptions: storage saturates. A total grows with the number of volumes until some resource is
// full and then stays constant, so the saturating law min(n·x₁, C) is tried first, and Amdahl's and
// Gunther's laws replace it only if they predict left-out points better. Whatever is concluded beyond
// the points is marked, two points never make a line, and different resources are never added up.
package capacity
