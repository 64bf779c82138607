package text

// maxDistance is the longest word that is compared; a longer one is nobody's
// slip of the keyboard, and comparing costs the product of the lengths.
const maxDistance = 128

// Distance counts the bytes to insert, drop, replace or swap with their
// neighbour to make a of b, for "did you mean". Words of more than 128 bytes
// are infinitely far from each other.
func Distance(a, b string) int {
	if len(a) > maxDistance || len(b) > maxDistance {
		return 1 << 20
	}
	var before []int
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		next := make([]int, len(b)+1)
		next[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			next[j] = min(row[j]+1, next[j-1]+1, row[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				next[j] = min(next[j], before[j-2]+1)
			}
		}
		before, row = row, next
	}
	return row[len(b)]
}
