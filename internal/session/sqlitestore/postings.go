package sqlitestore

import (
	"encoding/binary"
)

// A posting says where a run of a session's records is kept: the row of
// table lines whose first record is seq.
type posting struct {
	seq, row int64
}

// chunkSize is how many postings a session gathers in its own row before they
// move to a row of table chunks.
const chunkSize = 32

// appendPostings appends postings to b as pairs of varints, each pair relative
// to the one before it: about four bytes a posting.
func appendPostings(b []byte, ps []posting) []byte {
	var last posting
	for _, p := range ps {
		b = binary.AppendUvarint(b, uint64(p.seq-last.seq))
		b = binary.AppendUvarint(b, uint64(p.row-last.row))
		last = p
	}
	return b
}

var errPostings = damaged("its postings are no postings")

// decodePostings appends the postings in b to ps.
func decodePostings(ps []posting, b []byte) ([]posting, error) {
	var last posting
	for len(b) > 0 {
		seq, n := binary.Uvarint(b)
		if n <= 0 {
			return ps, errPostings
		}
		row, m := binary.Uvarint(b[n:])
		if m <= 0 {
			return ps, errPostings
		}
		b = b[n+m:]
		next := posting{seq: last.seq + int64(seq), row: last.row + int64(row)}
		if next.seq <= last.seq || next.row <= last.row {
			return ps, errPostings
		}
		ps = append(ps, next)
		last = next
	}
	return ps, nil
}
