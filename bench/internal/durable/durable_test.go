package durable

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestFloorWritesWhatTheLogStores(t *testing.T) {
	record, err := Record(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if len(record) < 250 || len(record) > 350 || bytes.Count(record, []byte("\n")) != 1 {
		t.Errorf("record is %q, want one line of about 300 bytes", record)
	}
	for _, writers := range []int{1, 8} {
		dir := t.TempDir()
		rate, err := File(t.Context(), dir, writers, record, 10*time.Millisecond)
		if err != nil || rate <= 0 {
			t.Fatalf("File(%d writers) = %v, %v", writers, rate, err)
		}
		got, err := os.ReadFile(filepath.Join(dir, "floor.log"))
		if err != nil {
			t.Fatal(err)
		}
		if n := bytes.Count(got, record); n == 0 || n*len(record) != len(got) {
			t.Errorf("%d writers: file holds %d bytes, want a multiple of the record's %d", writers, len(got), len(record))
		}
	}
}

func TestLogCountsAppends(t *testing.T) {
	if rate, err := Log(t.Context(), t.TempDir(), 4, 10*time.Millisecond); err != nil || rate <= 0 {
		t.Errorf("Log = %v, %v", rate, err)
	}
}

func TestMeasureEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := measure(ctx, 2, time.Hour, func(int) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: error = %v", err)
	}
	bad := errors.New("disk full")
	if _, err := measure(t.Context(), 2, time.Hour, func(int) error { return bad }); !errors.Is(err, bad) {
		t.Errorf("failed: error = %v", err)
	}
}
