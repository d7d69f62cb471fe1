package stats

// Fairness is Jain's index (Σx)²/(n·Σx²) of n shares: 1 if all are equal, 1/n if one has everything; 0
// if all are 0 (Jain, Chiu, Hawe: A quantitative measure of fairness, 1984).
func Fairness(x []float64) float64 {
	var sum, squares float64
	for _, v := range x {
		sum += v
		squares += v * v
	}
	if squares == 0 {
		return 0
	}
	return sum * sum / (float64(len(x)) * squares)
}
