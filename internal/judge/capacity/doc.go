// Package capacity turns points into laws, laws into limits with names, and limits
// into the number of nodes that a need takes.
//
// Its opinion: storage saturates. A total grows with the number of volumes until
// some resource is full and then stays, so the saturating law min(n·x₁, C) is tried
// first, and Amdahl's and Gunther's laws must predict points that they have not seen
// better to replace it. Whatever is concluded beyond the points is marked, two points
// never make a line, and resources that are unlike are never added up.
package capacity
