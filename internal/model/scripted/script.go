package scripted

import (
	"fmt"
	"regexp"
	"time"

	"agsh.dev/internal/model"
)

// A Script is what a [Model] says. It consists of scenes. A scene begins with
// a step that has a match and goes on with those after it that have none; it
// answers one message of a user, step by step, until the user says more. The
// first scene whose match finds something in that message is played.
//
// What no scene matches is answered by the steps before the first match, one
// after the other, over the whole conversation.
type Script struct {
	opening []Step
	scenes  []scene
}

type scene struct {
	match *regexp.Regexp
	steps []Step
}

// A Step is one answer of the model: what it has of reasoning, text and calls,
// in this order, and with a Failure the error after that.
type Step struct {
	Delay     time.Duration // before the answer
	Reasoning string
	Text      string
	Calls     []Call
	Failure   *Failure
}

// A Call is a tool call of a step.
type Call struct {
	Name string
	Args string // as the model writes them; mostly JSON
}

// A Failure is how a step ends instead of well.
type Failure struct {
	Code       model.Code
	Message    string
	Status     int
	RetryAfter time.Duration
	// Times is how often a conversation gets it before the step goes well; 0
	// means always.
	Times int
}

// Steps returns how many answers the script has.
func (s Script) Steps() int {
	n := len(s.opening)
	for _, sc := range s.scenes {
		n += len(sc.steps)
	}
	return n
}

// find returns the step that comes next in the conversation.
func (s Script) find(messages []model.Message) (*Step, error) {
	var current *scene // of the last message of a user; nil is the opening
	opened, inScene := 0, 0
	for _, m := range messages {
		switch {
		case m.Role == model.User:
			current, inScene = s.sceneOf(textOf(m)), 0
		case m.Role == model.Assistant && current == nil:
			opened++
		case m.Role == model.Assistant:
			inScene++
		}
	}
	if current != nil {
		if inScene >= len(current.steps) {
			return nil, fmt.Errorf("the scene that matches %q has %d steps, and another answer is wanted", current.match, len(current.steps))
		}
		return &current.steps[inScene], nil
	}
	if opened >= len(s.opening) {
		return nil, fmt.Errorf("nothing matches the message, and of the %d steps before the first match none is left", len(s.opening))
	}
	return &s.opening[opened], nil
}

func (s Script) sceneOf(text string) *scene {
	for i := range s.scenes {
		if s.scenes[i].match.MatchString(text) {
			return &s.scenes[i]
		}
	}
	return nil
}

func answersIn(messages []model.Message) int {
	n := 0
	for _, m := range messages {
		if m.Role == model.Assistant {
			n++
		}
	}
	return n
}
