package sqlitestore

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
)

// A LockedError says that another process has the sessions of a directory.
type LockedError struct {
	Dir     string
	PID     int       // 0 if it did not say
	Started time.Time // when it opened them
}

func (e *LockedError) Error() string {
	if e.PID == 0 {
		return fmt.Sprintf("sessions in %s are in use by another process: stop it, or use another state directory", e.Dir)
	}
	return fmt.Sprintf("sessions in %s are in use by process %d since %s: stop it (kill %d), or use another state directory",
		e.Dir, e.PID, e.Started.Format(time.RFC3339), e.PID)
}

// holder is what the lock file says about who holds it.
type holder struct {
	PID     int       `json:"pid"`
	Started time.Time `json:"started"`
}

// lock takes the lock file for this process. The lock belongs to the open
// file: it ends when that is closed, and with the process however it dies, so
// what a dead process wrote into the file does not matter.
func lock(dir, path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w: %s", dir, err, fix(err))
	}
	err = take(f)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		var h holder
		// A holder that is just starting has not written yet.
		_ = json.NewDecoder(f).Decode(&h)
		return nil, errors.Join(&LockedError{Dir: dir, PID: h.PID, Started: h.Started}, f.Close())
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("lock %s: %w: %s", path, err, fix(err)), f.Close())
	}
	sign(f)
	return f, nil
}

// ending is how long a process that was killed may hold its lock: until the
// kernel has taken it apart. Who restarts a server at once must not be told
// that the dead one is in the way.
const ending = time.Second

// take locks f, and waits a moment for a holder that is ending.
func take(f *os.File) error {
	for deadline := time.Now().Add(ending); ; <-time.After(10 * time.Millisecond) {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EWOULDBLOCK) || time.Now().After(deadline) {
			return err
		}
	}
}

// unlock gives the lock back and closes the file. Closing alone would leave it
// to a process that is just being started and still shares the open file.
func unlock(f *os.File) error {
	return errors.Join(syscall.Flock(int(f.Fd()), syscall.LOCK_UN), f.Close())
}

// sign writes who holds the lock. That it cannot be written, on a full disk,
// is no reason not to read what is there.
func sign(f *os.File) {
	b, err := json.Marshal(holder{PID: os.Getpid(), Started: time.Now().UTC().Truncate(time.Second)})
	if err == nil && f.Truncate(0) == nil {
		_, _ = f.WriteAt(append(b, '\n'), 0)
	}
}
