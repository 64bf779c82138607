package event_test

import (
	"bytes"
	"cmp"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"agsh.dev/event"
)

func TestStoredStreamsAreInOrder(t *testing.T) {
	for name, b := range stored(t) {
		for _, p := range event.Check(decodeStream(t, b)) {
			t.Errorf("%s: %s", name, p)
		}
	}
}

// TestPrefixesAreInOrder: what is wrong with a prefix can only be that
// something is still to come.
func TestPrefixesAreInOrder(t *testing.T) {
	for name, b := range stored(t) {
		var o event.Order
		for _, e := range decodeStream(t, b) {
			for _, p := range o.Next(e) {
				t.Errorf("%s: %s", name, p)
			}
			for _, p := range o.Settled() {
				if !strings.HasPrefix(p.Rule, "open-") && p.Rule != "context" {
					t.Errorf("%s: %s", name, p)
				}
			}
		}
	}
}

// TestAStreamThatMissesAnEventIsWrong: with the hole in seq closed, only what
// the order does not depend on may be left out.
func TestAStreamThatMissesAnEventIsWrong(t *testing.T) {
	free := map[string]bool{
		"notice": true, "turn.waiting": true, "context.cleared": true, "session.ended": true, "session.deleted": true,
		"reasoning.completed": true, "message.completed": true, "result.completed": true,
	}
	for name, b := range stored(t) {
		events := decodeStream(t, b)
		if events[len(events)-1].Type() == "session.deleted" { // which may come at any time
			continue
		}
		for i, left := range events {
			broken := renumber(slices.Delete(slices.Clone(events), i, i+1))
			if problems := event.Check(broken); len(problems) == 0 && !free[left.Type()] && !optional(events, i) {
				t.Errorf("%s without event %d (%s) is in order", name, left.Seq, left.Type())
			}
		}
	}
}

// optional reports whether the events before and behind i fit without it.
func optional(events []event.Event, i int) bool {
	next := i+1 < len(events)
	switch d := events[i].Data.(type) {
	case event.MessageReceived: // nobody is bound to steer, and a message may wait
		return d.Policy == event.Steer || !next || d.Text == "And a second." || !started(events[i:], events[i].Turn)
	case event.ToolStarted: // a read may have none
		return true
	case event.TurnStarted: // of a turn that then only failed
		return d.Attempt == 4
	case event.TurnCancelled:
		return !started(events, events[i].Turn)
	}
	return false
}

func started(events []event.Event, turn string) bool {
	return slices.ContainsFunc(events, func(e event.Event) bool { return e.Turn == turn && e.Type() == "turn.started" })
}

func renumber(events []event.Event) []event.Event {
	for i := range events {
		events[i].Seq = int64(i + 1)
	}
	return events
}

// TestAnyStreamCanBeChecked: the checker goes on after every problem.
func TestAnyStreamCanBeChecked(t *testing.T) {
	var all []event.Event
	for _, b := range stored(t) {
		all = append(all, decodeStream(t, b)...)
	}
	slices.SortFunc(all, func(a, b event.Event) int { return cmp.Compare(a.ID, b.ID) })
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		if len(event.Check(all)) == 0 {
			t.Fatal("a shuffled stream is in order")
		}
	}
	for _, d := range every {
		if p := event.Check([]event.Event{{Seq: 1, Data: d}}); len(p) == 0 && d.Type() != "session.started" && d.Type() != "session.deleted" {
			t.Errorf("%s alone is in order", d.Type())
		}
	}
}

func TestBrokenStreamsSayWhatIsWrong(t *testing.T) {
	const (
		start = `session.started {"agent":"a"}`
		msg   = `message.received t {"source":"http","text":"x","policy":"queue"}`
		turn  = `turn.started t {"attempt":1}`
		step  = `step.started t {"step":1,"attempt":1,"model":"m"}`
		call  = `tool.requested t {"callId":"c","name":"x","args":{},"origin":"model","step":1,"attempt":1,"part":1}`
		call2 = `tool.requested t {"callId":"c2","name":"x","args":{},"origin":"model","step":1,"attempt":1,"part":2}`
		ran   = `tool.started t {"callId":"c","attempt":1}`
		ok    = `tool.completed t {"callId":"c","status":"ok","content":[],"durationMs":0}`
		ok2   = `tool.completed t {"callId":"c2","status":"ok","content":[],"durationMs":0}`
		ask   = `request.opened t {"requestId":"r","kind":"approval","prompt":"?","callId":"c"}`
		allow = `request.closed t {"requestId":"r","outcome":"allowed"}`
		deny  = `request.closed t {"requestId":"r","outcome":"denied"}`
		said  = `message.completed t {"step":1,"attempt":1,"part":1,"text":"x"}`
		done  = `step.completed t {"step":1,"attempt":1,"finishReason":"stop","usage":{}}`
		fail  = `step.failed t {"step":1,"attempt":1,"code":"c","message":"m"}`
		again = `step.started t {"step":1,"attempt":2,"model":"m","supersedes":1}`
		end   = `turn.completed t {}`
	)
	in := func(lines ...string) []string { return append([]string{start, msg, turn}, lines...) }
	for _, tt := range []struct {
		name   string
		events []string
		want   string // seq:rule of each problem
	}{
		{"whole", in(step, call, ran, ok, done, end), ""},
		{"no start", []string{msg, turn, end}, "1:session"},
		{"two starts", []string{start, start}, "2:session"},
		{"gap", in("+1 "+step, said, done, end), "5:seq"},
		{"repeated", in("-1 "+step, said, done, end), "3:seq"},
		{"blob", in("blob notice {}", end), "4:blob"},
		{"after the end", []string{start, "session.ended {}", msg}, "3:session 3:open-turn"},
		{"after deletion", []string{start, "session.deleted {}", "notice {}"}, "3:session"},
		{"end with a turn", in("session.ended {}"), "4:open-turn 4:open-turn"},
		{"message without turn", []string{start, `message.received {"policy":"queue"}`}, "2:turn"},
		{"turn without message", []string{start, turn, end}, "2:turn 3:turn"},
		{"second message that does not steer", in(msg, step, said, done, end), "4:turn"},
		{"message to a turn that is over", in(end, msg), "5:turn"},
		{"turn that did not start", []string{start, msg, said}, "3:turn 3:open-turn"},
		{"two turns", in(`message.received u {"policy":"queue"}`, `turn.started u {"attempt":1}`, end), "5:turn 6:open-turn"},
		{"overtaking", []string{start, msg, `message.received u {"policy":"queue"}`, `turn.started u {"attempt":1}`, `turn.completed u {}`, turn, end}, "4:turn"},
		{"attempt of a turn", in(`turn.started t {"attempt":3}`, end), "4:turn"},
		{"no end", in(step, said, done), "6:open-turn"},
		{"never started", []string{start, msg}, "2:open-turn"},
		{"two ends", in(end, end), "5:turn"},
		{"end within a step", in(step, said, end), "6:open-step"},
		{"end with a call", in(step, call, end), "6:open-step 6:open-call 6:open-call"},
		{"step with a call", in(step, call, done, `turn.cancelled t {}`), "6:open-call 7:open-call 7:open-call"},
		{"failed step completes a turn", in(step, fail, end), "6:step"},
		{"pending steer", in(step, said, `message.received t {"policy":"steer"}`, done, end), "8:steer"},
		{"waiting for nothing", in(`turn.waiting t {"on":"request"}`, end), "4:waiting"},
		{"two results", in(`result.completed t {"value":1}`, `result.completed t {"value":1}`, end), "5:turn"},
		{"result within a step", in(step, `result.completed t {"value":1}`, said, done, end), "5:open-step"},
		{"step 2 first", in(strings.Replace(step, `"step":1`, `"step":2`, 1), `step.completed t {"step":2,"attempt":1,"finishReason":"stop","usage":{}}`, end), "4:step"},
		{"two steps at once", in(step, step, said, done, end), "5:open-step"},
		{"attempt without failure", in(step, done, again, `step.completed t {"step":1,"attempt":2,"finishReason":"stop","usage":{}}`, end), "6:step"},
		{"attempt that supersedes nothing", in(step, fail, strings.Replace(again, `,"supersedes":1`, "", 1), `step.completed t {"step":1,"attempt":2,"finishReason":"stop","usage":{}}`, end), "6:step"},
		{"attempt after calls", in(step, call, ok, fail, again, `step.completed t {"step":1,"attempt":2,"finishReason":"stop","usage":{}}`, end), "8:step"},
		{"superseded without a crash", in(step, again, `step.completed t {"step":1,"attempt":2,"finishReason":"stop","usage":{}}`, end), "5:open-step"},
		{"superseded after a crash", in(step, `turn.started t {"attempt":2}`, again, `step.completed t {"step":1,"attempt":2,"finishReason":"stop","usage":{}}`, end), ""},
		{"completed twice", in(step, said, done, done, end), "7:step"},
		{"part outside", in(said, end), "4:place"},
		{"part of another attempt", in(step, `reasoning.completed t {"step":1,"attempt":2,"part":1,"text":""}`, done, end), "5:place"},
		{"part twice", in(step, said, call, ok, done, end), "6:place"},
		{"call without result", in(step, call), "5:open-turn 5:open-call"},
		{"result without request", in(step, ok, done, end), "5:call"},
		{"two call results", in(step, call, ok, ok, done, end), "7:call"},
		{"same callId", in(step, call, strings.Replace(call2, "c2", "c", 1), ok, done, end), "6:id"},
		{"results out of order", in(step, call, call2, ok2, ok, done, end), "7:result"},
		{"direct calls in any order", []string{start, strings.NewReplacer(" t ", " ", "model", "operator").Replace(call), strings.NewReplacer(" t ", " ", "model", "operator").Replace(call2), strings.Replace(ok2, " t ", " ", 1), strings.Replace(ok, " t ", " ", 1)}, ""},
		{"result in another turn", in(step, call, strings.Replace(ok, " t ", " ", 1), ok, done, end), "6:call"},
		{"start twice", in(step, call, ran, ran, ok, done, end), "7:call"},
		{"lost before it started", in(step, call, strings.Replace(ok, `"ok"`, `"lost"`, 1), done, end), "6:result"},
		{"invalid after it started", in(step, call, ran, strings.Replace(ok, `"ok"`, `"invalid"`, 1), done, end), "7:result"},
		{"approval for nothing", in(`request.opened t {"requestId":"r","kind":"approval","prompt":"?"}`, allow, end), "4:approval"},
		{"started before it was allowed", in(step, call, ask, ran, allow, ok, done, end), "7:approval"},
		{"asked after it started", in(step, call, ran, ask, allow, ok, done, end), "7:approval"},
		{"started though denied", in(step, call, ask, deny, ran, ok, done, end), "8:approval 9:approval"},
		{"ok though denied", in(step, call, ask, deny, ok, done, end), "8:approval"},
		{"result while asked", in(step, call, ask, ok, allow, done, end), "7:open-request"},
		{"request left open", in(`request.opened t {"requestId":"r","kind":"question","prompt":"?"}`, end), "5:open-request 5:open-request"},
		{"closed twice", in(step, call, ask, allow, allow, ok, done, end), "8:request"},
		{"never opened", in(allow, end), "4:request"},
		{"answered approval", in(step, call, ask, strings.Replace(allow, "allowed", "answered", 1), strings.Replace(ok, "ok", "denied", 1), done, end), "7:approval"},
		{"waits for a person", in(step, call, ask, `turn.waiting t {"on":"request"}`), ""},
		{"went on waiting", in(step, call, ask, `turn.waiting t {"on":"request"}`, allow), "8:open-turn 8:open-call"},
		{"compaction in a step", in(step, `compaction.started t {}`, `compaction.failed t {}`, said, done, end), "5:open-step"},
		{"compaction that did not start", []string{start, `compaction.completed {"from":1,"through":1,"lines":[]}`}, "2:context"},
		{"compaction that did not end", []string{start, `compaction.started {}`, `compaction.started {}`}, "3:context 3:context"},
		{"compaction of what is to come", []string{start, `compaction.started {}`, `compaction.completed {"from":1,"through":3,"lines":[]}`}, "3:context"},
		{"step while compacting", in(`compaction.started t {}`, step, `compaction.failed t {}`, said, done, end), "5:context"},
		{"subagent of no call", in(`subagent.started t {"callId":"c","session":"s"}`, `subagent.completed t {"callId":"c","session":"s"}`, end), "4:subagent"},
		{"subagent left", in(step, call, `subagent.started t {"callId":"c","session":"s"}`, ok, done, end), "9:open-subagent 9:open-subagent"},
		{"subagent that did not start", in(`subagent.completed t {"callId":"c","session":"s"}`, end), "4:subagent"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			problems := event.Check(parse(t, tt.events))
			for _, p := range problems {
				at, _, _ := strings.Cut(p.String(), ": ")
				at = strings.TrimPrefix(strings.TrimPrefix(at, "after "), "event ")
				seq, _, _ := strings.Cut(at, " ")
				got = append(got, seq+":"+p.Rule)
			}
			if strings.Join(got, " ") != tt.want {
				t.Errorf("got %q, want %q\n%v", strings.Join(got, " "), tt.want, problems)
			}
		})
	}
}

// parse reads "[+1|-1|blob ]kind [turn ]data" as events that are numbered
// through; +1 and -1 shift the numbers from there on.
func parse(t *testing.T, lines []string) []event.Event {
	t.Helper()
	var events []event.Event
	seq := int64(0)
	for _, line := range lines {
		seq++
		blob := false
		switch prefix, rest, _ := strings.Cut(line, " "); prefix {
		case "+1":
			seq, line = seq+1, rest
		case "-1":
			seq, line = seq-1, rest
		case "blob":
			blob, line = true, rest
		}
		head, data, _ := bytes.Cut([]byte(line), []byte(" {"))
		kind, turn, _ := strings.Cut(string(head), " ")
		d, err := event.DecodeData(kind, append([]byte("{"), data...))
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		e := event.Event{Seq: seq, Turn: turn, Data: d}
		if blob {
			e = e.Spill(event.Blob{})
		}
		events = append(events, e)
	}
	return events
}
