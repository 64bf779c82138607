package event

import (
	"encoding/json"
	"fmt"
)

// Data is what happened in one event: one of the structs of this package.
//
// Numbers that count (steps, attempts, parts) begin at 1; 0 means that there
// is none. Times of a kind's own are RFC 3339. A field that is opaque or raw
// comes back as it was given.
type Data interface {
	// Type is the kind's name on the wire.
	Type() string
	// follow is the kind's part of [Order]. It also seals the interface.
	follow(o *Order, e *Event)
}

// A kind is what the codec knows of one kind of event.
type kind struct {
	decode func(name string, raw json.RawMessage) (Data, error)
	hidden []string // fields that are stored and never served
}

// kinds only ever grows.
var kinds = map[string]kind{
	"session.started": {decode[SessionStarted], []string{"tokenHash"}},
	"session.ended":   {decode: decode[SessionEnded]},
	"session.deleted": {decode: decode[SessionDeleted]},
	"notice":          {decode: decode[Notice]},

	"message.received": {decode[MessageReceived], []string{"tokenHash", "idempotencyKey", "bodyHash"}},
	"turn.started":     {decode: decode[TurnStarted]},
	"turn.waiting":     {decode: decode[TurnWaiting]},
	"turn.completed":   {decode: decode[TurnCompleted]},
	"turn.cancelled":   {decode: decode[TurnCancelled]},
	"turn.failed":      {decode: decode[TurnFailed]},
	"result.completed": {decode: decode[ResultCompleted]},

	"step.started":        {decode: decode[StepStarted]},
	"step.completed":      {decode: decode[StepCompleted]},
	"step.failed":         {decode: decode[StepFailed]},
	"reasoning.completed": {decode: decode[ReasoningCompleted]},
	"message.completed":   {decode: decode[MessageCompleted]},

	"tool.requested": {decode: decode[ToolRequested]},
	"tool.started":   {decode: decode[ToolStarted]},
	"tool.completed": {decode: decode[ToolCompleted]},
	"request.opened": {decode: decode[RequestOpened]},
	"request.closed": {decode: decode[RequestClosed]},

	"compaction.started":   {decode: decode[CompactionStarted]},
	"compaction.completed": {decode: decode[CompactionCompleted]},
	"compaction.failed":    {decode: decode[CompactionFailed]},
	"context.cleared":      {decode: decode[ContextCleared]},

	"subagent.started":   {decode: decode[SubagentStarted]},
	"subagent.completed": {decode: decode[SubagentCompleted]},
}

// DecodeData decodes the data of an event of the given kind; one that is not
// known becomes [Unknown]. Fields that a known kind does not have are
// ignored.
func DecodeData(kind string, raw json.RawMessage) (Data, error) {
	if k, ok := kinds[kind]; ok {
		return k.decode(kind, raw)
	}
	return Unknown{Kind: kind, Raw: raw}, nil
}

func decode[T Data](kind string, raw json.RawMessage) (Data, error) {
	var d T
	if len(raw) == 0 {
		return d, nil
	}
	if err := json.Unmarshal(raw, &d); err != nil {
		return nil, fmt.Errorf("%s: %w", kind, err)
	}
	return d, nil
}

// Unknown is an event of a kind this version does not know, kept as it came.
type Unknown struct {
	Kind string
	Raw  json.RawMessage // empty if it came without data
}

// Type implements [Data].
func (u Unknown) Type() string { return u.Kind }

// MarshalJSON gives back the data the event came with.
func (u Unknown) MarshalJSON() ([]byte, error) {
	if len(u.Raw) == 0 {
		return []byte("{}"), nil
	}
	return u.Raw, nil
}
