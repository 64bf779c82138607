// Typed-tools serves an agent whose tools are Go functions:
//
//	go run ./examples/typed-tools --addr 127.0.0.1:0
//
// prints the agent's URL once it is ready. The schemas that clients see are
// made from the structs below.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"agsh.dev/agent"
	"agsh.dev/runner"
)

func main() {
	os.Exit(runner.Main(typedTools())) //nolint:forbidigo // a main program
}

func typedTools() agent.Agent {
	return agent.Agent{
		Name:        "typed-tools",
		Description: "Shows tools written in Go.",
		Natives:     []string{}, // none: this agent has no files
		Tools:       []agent.AnyTool{echo, split},
	}
}

// Echo is the arguments of the tool echo.
type Echo struct {
	Text  string `json:"text" jsonschema:"what to say"`
	Times int    `json:"times,omitempty" jsonschema:"how often, 1 to 100; once if left out"`
}

// An Out of string is plain text.
var echo = agent.Tool[Echo, string]{
	Name:        "echo",
	Title:       "Say it again",
	Description: "Answers with the text it was given.",
	Effect:      agent.Read,
	Run: func(_ context.Context, in Echo) (string, error) {
		if in.Times < 0 || in.Times > 100 {
			return "", fmt.Errorf("times: %d is not between 1 and 100", in.Times)
		}
		return strings.Repeat(in.Text+"\n", max(in.Times, 1)), nil
	},
}

// Bill is the arguments of the tool split_bill. A nested struct is a nested
// object; on the command line each leaf of it is a flag.
type Bill struct {
	Total  Money    `json:"total" jsonschema:"what was paid"`
	Guests []string `json:"guests" jsonschema:"who shares it"`
}

// Money is an amount in the smallest unit of its currency.
type Money struct {
	Cents    int64  `json:"cents" jsonschema:"amount in cents"`
	Currency string `json:"currency,omitempty" jsonschema:"three letters, such as EUR"`
}

// A Share is what one guest pays.
type Share struct {
	Guest string `json:"guest"`
	Money
}

// Shares is what the tool split_bill answers.
type Shares struct {
	Shares []Share `json:"shares"`
}

// An Out that is a struct is structured content, with a schema of its own; a
// list of objects in it renders as a table.
var split = agent.Tool[Bill, Shares]{
	Name:        "split_bill",
	Title:       "Split a bill",
	Description: "Shares an amount so that no cent is lost: the first guests pay the odd ones.",
	Effect:      agent.Read,
	Run: func(_ context.Context, in Bill) (Shares, error) {
		n := int64(len(in.Guests))
		if n == 0 {
			return Shares{}, errors.New("guests: it is empty; name at least one")
		}
		if in.Total.Cents < 0 {
			return Shares{}, fmt.Errorf("total.cents: %d is less than nothing", in.Total.Cents)
		}
		shares := make([]Share, n)
		for i, guest := range in.Guests {
			cents := in.Total.Cents / n
			if int64(i) < in.Total.Cents%n {
				cents++
			}
			shares[i] = Share{Guest: guest, Money: Money{Cents: cents, Currency: in.Total.Currency}}
		}
		return Shares{shares}, nil
	},
}
