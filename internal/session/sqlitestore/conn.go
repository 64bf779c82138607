package sqlitestore

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net/url"

	"modernc.org/sqlite"
)

// A conn is one SQLite connection and its prepared statements. One goroutine
// at a time uses it. It speaks to the driver itself: what database/sql adds
// (a pool, locks, conversions, a goroutine for each context) costs about as
// much as the small statements here do.
type conn struct {
	driver driver.Conn
	stmts  map[string]driver.Stmt
	args   []driver.NamedValue // for reuse
}

// dial opens the database file at path and runs the pragmas.
func dial(path string, pragmas ...string) (*conn, error) {
	// As a URI the path keeps its meaning whatever characters it has.
	connector, err := sqlite.NewConnector((&url.URL{Scheme: "file", Path: path}).String())
	if err != nil {
		return nil, err
	}
	d, err := connector.Connect(context.Background())
	if err != nil {
		return nil, err
	}
	c := &conn{driver: d, stmts: make(map[string]driver.Stmt)}
	for _, p := range pragmas {
		if err := c.exec("PRAGMA " + p); err != nil {
			return nil, errors.Join(fmt.Errorf("PRAGMA %s: %w", p, err), c.close())
		}
	}
	return c, nil
}

func (c *conn) prepare(query string) (driver.Stmt, error) {
	if s := c.stmts[query]; s != nil {
		return s, nil
	}
	s, err := c.driver.Prepare(query)
	if err != nil {
		return nil, err
	}
	c.stmts[query] = s
	return s, nil
}

// exec runs one statement. It is not cancelled half way: a write must end,
// and a read is bounded.
func (c *conn) exec(query string, args ...driver.Value) error {
	s, err := c.prepare(query)
	if err != nil {
		return err
	}
	_, err = s.(driver.StmtExecContext).ExecContext(context.Background(), c.named(args))
	return err
}

// query runs one statement and calls row for each row of its result. Blobs in
// a row are row's to keep, the slice is not.
func (c *conn) query(query string, row func([]driver.Value) error, args ...driver.Value) (err error) {
	s, err := c.prepare(query)
	if err != nil {
		return err
	}
	rows, err := s.(driver.StmtQueryContext).QueryContext(context.Background(), c.named(args))
	if err != nil {
		return err
	}
	defer func() {
		if cerr := rows.Close(); err == nil {
			err = cerr
		}
	}()
	dest := make([]driver.Value, len(rows.Columns()))
	for {
		switch err := rows.Next(dest); {
		case err == io.EOF: //nolint:errorlint // the driver's contract is this value
			return nil
		case err != nil:
			return err
		}
		if err := row(dest); err != nil {
			return err
		}
	}
}

// integer returns the one number a query answers with, 0 for NULL or none.
func (c *conn) integer(query string, args ...driver.Value) (int64, error) {
	var n int64
	err := c.query(query, func(v []driver.Value) error {
		n, _ = v[0].(int64)
		return nil
	}, args...)
	return n, err
}

// transaction runs f between begin and COMMIT, or ROLLBACK after an error.
func (c *conn) transaction(begin string, f func() error) error {
	if err := c.exec(begin); err != nil {
		return err
	}
	err := f()
	if err == nil {
		err = c.exec("COMMIT")
	}
	if err != nil {
		// SQLite has rolled back by itself after some errors; then this one
		// only says so.
		_ = c.exec("ROLLBACK")
	}
	return err
}

func (c *conn) close() error {
	var err error
	for _, s := range c.stmts {
		err = errors.Join(err, s.Close())
	}
	return errors.Join(err, c.driver.Close())
}

// named returns args as the driver wants them. It binds them before it
// returns, so the slice is free for the next statement.
func (c *conn) named(args []driver.Value) []driver.NamedValue {
	c.args = c.args[:0]
	for i, a := range args {
		c.args = append(c.args, driver.NamedValue{Ordinal: i + 1, Value: a})
	}
	return c.args
}
