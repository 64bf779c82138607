package sqlitestore

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"agsh.dev/event"
	"agsh.dev/internal/session"
)

// wantOpenError checks that opening dir fails and says all of this.
func wantOpenError(t *testing.T, dir string, want ...string) {
	t.Helper()
	s, err := Open(dir, Config{})
	if err == nil {
		s.Close()
		t.Fatalf("Open(%s) = nil, want an error", dir)
	}
	for _, w := range want {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("Open = %q, want it to say %q", err, w)
		}
	}
}

func TestR29_ASecondOpenSaysWhoHasTheSessions(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, Config{})
	_, err := Open(dir, Config{})
	locked, ok := errors.AsType[*LockedError](err)
	if !ok || locked.PID != os.Getpid() || locked.Started.IsZero() {
		t.Fatalf("second Open = %v, want a LockedError with this process", err)
	}
	if want := fmt.Sprintf("process %d", os.Getpid()); !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), dir) {
		t.Errorf("second Open = %q, want it to name %s and %s", err, want, dir)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := open(t, dir, Config{}).Close(); err != nil {
		t.Errorf("Close after the lock was free again: %v", err)
	}
}

func TestCloseUnlocksEvenWhileAProcessIsBeingStarted(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, Config{})
	// Between fork and exec a child has every file of its parent.
	child, err := syscall.Dup(int(s.lock.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(child)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := open(t, dir, Config{}).Close(); err != nil {
		t.Error(err)
	}
}

func TestOpenMakesPrivateFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b with ?#%")
	s := open(t, dir, Config{})
	defer s.Close()
	start(t, s, "ses")
	for name, want := range map[string]os.FileMode{
		"": os.ModeDir | 0o700, "sessions.db": 0o600, "sessions.db-wal": 0o600, "sessions.db-shm": 0o600, "sessions.lock": 0o600,
	} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode() != want {
			t.Errorf("mode of %q is %v, want %v", name, info.Mode(), want)
		}
	}
}

// A process that was killed holds its lock a moment longer; who comes after it
// waits for that.
func TestOpenWaitsForAHolderThatEnds(t *testing.T) {
	dir := t.TempDir()
	first, err := Open(dir, Config{})
	if err != nil {
		t.Fatal(err)
	}
	opened := make(chan error, 1)
	go func() {
		second, err := Open(dir, Config{})
		if err == nil {
			err = second.Close()
		}
		opened <- err
	}()
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-opened; err != nil {
		t.Errorf("Open while another store closes = %v", err)
	}
}

func TestOpenRefusesWhatItCannotUse(t *testing.T) {
	write := func(t *testing.T, path string, content []byte) {
		t.Helper()
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	pragma := func(t *testing.T, dir string, statements ...string) {
		t.Helper()
		c, err := dial(filepath.Join(dir, "sessions.db"))
		if err != nil {
			t.Fatal(err)
		}
		defer c.close()
		for _, s := range statements {
			if err := c.exec(s); err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Run("a directory that is a file", func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "file")
		write(t, dir, []byte("x"))
		wantOpenError(t, dir, dir, "file is in the way")
		wantOpenError(t, filepath.Join(dir, "sub"), dir, "file is in the way")
	})
	t.Run("a file that is no database", func(t *testing.T) {
		dir := t.TempDir()
		content := bytes.Repeat([]byte("hello "), 1000)
		write(t, filepath.Join(dir, "sessions.db"), content)
		wantOpenError(t, dir, filepath.Join(dir, "sessions.db"), "move it away")
		if got, err := os.ReadFile(filepath.Join(dir, "sessions.db")); err != nil || !bytes.Equal(got, content) {
			t.Errorf("the file was changed: %v", err)
		}
	})
	t.Run("the database of another program", func(t *testing.T) {
		dir := t.TempDir()
		pragma(t, dir, "CREATE TABLE theirs (x)")
		wantOpenError(t, dir, filepath.Join(dir, "sessions.db"), "another program")
	})
	t.Run("a newer version", func(t *testing.T) {
		dir := t.TempDir()
		open(t, dir, Config{}).Close()
		pragma(t, dir, "PRAGMA user_version = 7")
		wantOpenError(t, dir, filepath.Join(dir, "sessions.db"), "schema version is 7", "newer version of the program")
	})
	t.Run("a read-only directory", func(t *testing.T) {
		if os.Geteuid() == 0 {
			t.Skip("root may write anywhere")
		}
		dir := t.TempDir()
		if err := os.Chmod(dir, 0o500); err != nil {
			t.Fatal(err)
		}
		wantOpenError(t, dir, dir, "writable")
	})
}

func TestAFullDiskFailsAppendsAndNothingElse(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, Config{maxPages: 60})
	l := start(t, s, "ses")
	big := event.Event{Data: event.Notice{Text: strings.Repeat("x", 20<<10)}}
	var err error
	stored := int64(1)
	for err == nil && stored < 100 {
		if _, err = l.Append(t.Context(), big); err == nil {
			stored++
		}
	}
	if err == nil {
		t.Fatal("the disk did not fill up")
	}
	for _, want := range []string{"sessions.db", "disk is full", "free some space"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("Append = %q, want it to say %q", err, want)
		}
	}
	if got := l.State().LastSeq; got != stored {
		t.Errorf("last event %d, want %d", got, stored)
	}
	if rs, err := l.Raw(t.Context(), 1, 1000); err != nil || int64(len(rs)) != stored {
		t.Errorf("Raw on a full disk: %d events, %v, want %d", len(rs), err, stored)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = open(t, dir, Config{})
	defer s.Close()
	l, err = session.Open(t.Context(), session.Config{Store: s}, "ses")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := l.Append(t.Context(), big); err != nil || got[0].Seq != stored+1 {
		t.Errorf("Append with space again = %v, want event %d", err, stored+1)
	}
}

func TestTheWriteAheadLogStaysSmall(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir, Config{})
	defer s.Close()
	if err := s.writer.conn.exec("PRAGMA synchronous = OFF"); err != nil {
		t.Fatal(err)
	}
	l := start(t, s, "ses")
	events := make([]event.Event, 4)
	for i := range events {
		events[i].Data = event.Notice{Text: strings.Repeat("x", 60<<10)}
	}
	for range 200 {
		if _, err := l.Append(t.Context(), events...); err != nil {
			t.Fatal(err)
		}
	}
	info, err := os.Stat(filepath.Join(dir, "sessions.db-wal"))
	if err != nil {
		t.Fatal(err)
	}
	if limit := int64(2 * walPages * 4096); info.Size() > limit {
		t.Errorf("after 48 MB of events the write-ahead log has %d bytes, want at most %d", info.Size(), limit)
	}
}

// crashed returns a copy of the files of a store that is open: what a crash
// would leave.
func crashed(t *testing.T, dir string) string {
	t.Helper()
	to := t.TempDir()
	for _, name := range []string{"sessions.db", "sessions.db-wal"} {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err == nil {
			err = os.WriteFile(filepath.Join(to, name), b, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return to
}

func TestR28_AWriteThatWasTornIsLostAloneAndAppendsGoOn(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, Config{})
	defer s.Close()
	l := start(t, s, "ses")
	wal := filepath.Join(dir, "sessions.db-wal")
	size := func(path string) int64 {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	var ends []int64 // of the write-ahead log after each event
	for range 10 {
		if _, err := l.Append(t.Context(), event.Event{Data: notice}); err != nil {
			t.Fatal(err)
		}
		ends = append(ends, size(wal))
	}
	for _, torn := range []int64{0, 1, 30, 4000, 4120, 9000} {
		cut := ends[9] - torn
		copied := crashed(t, dir)
		if err := os.Truncate(filepath.Join(copied, "sessions.db-wal"), cut); err != nil {
			t.Fatal(err)
		}
		want := int64(1)
		for _, end := range ends {
			if end <= cut {
				want++
			}
		}
		verify(t, copied, map[string]int64{"ses": want}, want)
	}
}

// verify opens dir, checks that every session folds without a gap and has at
// least the events acknowledged, appends one more, and closes. If exact is
// not 0 every session must have just so many.
func verify(t *testing.T, dir string, acknowledged map[string]int64, exact int64) {
	t.Helper()
	s := open(t, dir, Config{})
	defer s.Close()
	checkLayout(t, s)
	for id, want := range acknowledged {
		l, err := session.Open(t.Context(), session.Config{Store: s}, id)
		if err != nil {
			t.Fatal(err)
		}
		folded := session.State{Session: id}
		for e, err := range l.Events(t.Context(), 1) {
			if err == nil {
				err = folded.Apply(e)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if got := folded.LastSeq; got < want || exact != 0 && got != exact || got != l.State().LastSeq {
			t.Errorf("%s folds up to event %d, its row says %d, want %d", id, got, l.State().LastSeq, want)
		}
		if got, err := l.Append(t.Context(), event.Event{Data: notice}); err != nil || got[0].Seq != folded.LastSeq+1 {
			t.Errorf("Append to %s = %v, want event %d", id, err, folded.LastSeq+1)
		}
	}
}
