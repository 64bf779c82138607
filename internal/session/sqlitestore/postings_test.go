package sqlitestore

import (
	"slices"
	"testing"
)

// FuzzPostings: any bytes are refused or are postings in order that survive a
// round trip.
func FuzzPostings(f *testing.F) {
	f.Add(appendPostings(nil, []posting{{1, 7}, {2, 8}, {5, 1 << 40}}))
	f.Add([]byte{0x80})
	f.Add([]byte{1, 1, 0, 1})
	f.Fuzz(func(t *testing.T, b []byte) {
		ps, err := decodePostings(nil, b)
		if err != nil {
			return
		}
		for i := 1; i < len(ps); i++ {
			if ps[i].seq <= ps[i-1].seq || ps[i].row <= ps[i-1].row {
				t.Fatalf("postings out of order: %v", ps)
			}
		}
		again, err := decodePostings(nil, appendPostings(nil, ps))
		if err != nil || !slices.Equal(ps, again) {
			t.Fatalf("%v became %v, %v", ps, again, err)
		}
	})
}
