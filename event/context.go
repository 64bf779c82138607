package event

// Trigger is why the model's context is made smaller.
type Trigger string

// Why a context is made smaller.
const (
	TriggerBudget   Trigger = "budget"   // it came near the model's window
	TriggerOverflow Trigger = "overflow" // the provider refused it
	TriggerManual   Trigger = "manual"   // someone asked
)

// CompactionStarted says that the model's context is being made smaller. It
// stands between steps and is followed by one of the two ends.
type CompactionStarted struct {
	Trigger Trigger `json:"trigger"`
	Tokens  int64   `json:"tokens"` // of the context, estimated
}

// CompactionCompleted says what the model sees from here on: of the events
// From to Through, which are earlier ones, nothing but Lines. The stream keeps
// the events.
type CompactionCompleted struct {
	From    int64    `json:"from"`    // seq
	Through int64    `json:"through"` // seq, included
	Lines   []string `json:"lines"`
	Before  int64    `json:"tokensBefore"` // estimated, like After
	After   int64    `json:"tokensAfter"`
}

// CompactionFailed leaves the context as it was.
type CompactionFailed struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// ContextCleared says that the model sees nothing of what is before it. The
// stream keeps everything. It stands between steps.
type ContextCleared struct{}

// SubagentStarted says that a call handed work to an agent with a session of
// its own, which names the call as its [Parent].
type SubagentStarted struct {
	CallID  string `json:"callId"`
	Session string `json:"session"`
	Agent   string `json:"agent"`
}

// SubagentCompleted says that the work is over; what came of it is in the
// session. It may follow the result of the call, but not the end of the turn.
type SubagentCompleted struct {
	CallID  string `json:"callId"`
	Session string `json:"session"`
	Status  Status `json:"status"` // ok, error, cancelled or lost
}

// Type implements [Data].
func (CompactionStarted) Type() string { return "compaction.started" }

// Type implements [Data].
func (CompactionCompleted) Type() string { return "compaction.completed" }

// Type implements [Data].
func (CompactionFailed) Type() string { return "compaction.failed" }

// Type implements [Data].
func (ContextCleared) Type() string { return "context.cleared" }

// Type implements [Data].
func (SubagentStarted) Type() string { return "subagent.started" }

// Type implements [Data].
func (SubagentCompleted) Type() string { return "subagent.completed" }
