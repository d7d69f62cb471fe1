package stats

// Fairness is Jain's index (Σx)²/(n·Σx²) of what each of n got: 1 when all got the
// same, 1/n when one got everything; 0 when nobody got anything (Jain, Chiu, Hawe:
// A quantitative measure of fairness, 1984).
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
