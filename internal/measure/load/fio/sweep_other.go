//go:build unix && !linux

package fio

// processesIn returns nil: processes cannot be found by their directory here.
func processesIn(string) []int { return nil }

// killLeftovers does nothing. The jobs of a killed fio end when their time is up.
func killLeftovers(string) {}

// states returns nil: processes cannot be examined here.
func states(string, int) []byte { return nil }
