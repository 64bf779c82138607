package agent

// A Skill is a procedure the model may look up: what it is for is always
// known, its text is read when it is wanted.
type Skill struct {
	// Name is the skill's folder or file name.
	Name        string
	Description string
	// Dir holds the skill's files, absolute; the procedure is in File, a path
	// within it.
	Dir, File string
}
