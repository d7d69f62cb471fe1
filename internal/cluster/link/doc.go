// Package link is one lossless stream of bytes in both directions, made of as many
// connections as it takes: the end that stays, in a pod, and the one that comes back.
// Workers in pods are reached by it, and so is what a Job has measured.
//
// Its opinion: work in a cluster outlives the way to it, so nothing of it may hang on one
// connection; and who comes back says how many bytes he has had, and is told how many
// arrived, which is all that has to be agreed on. What the bytes mean is for those who
// send them.
//
// A connection begins with a line of JSON from who comes (hello) and one from who stays
// (welcome). Then both send frames (four bytes of length, the highest first, and so many
// bytes), from the byte behind those that have arrived. A frame of length 0 breaks a
// silence of who stays. One of length endMark, without bytes, is the end of all; who comes
// answers it with one, so that the other need not stay any longer.
package link
