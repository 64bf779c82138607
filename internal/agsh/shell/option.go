package shell

import (
	"fmt"
	"slices"
	"strings"
)

// An option is one flag of a filter.
type option struct {
	short  byte   // 0: none; '#': the option is -N, a number
	long   string // "": none
	values string // placeholders of its values, separated by spaces; "": none
	set    func(values ...string) error
}

type options []option

// parse applies args in order, as GNU programs read them: flags may be
// clustered, a value may be attached, operands may stand between flags and --
// ends the flags. It returns the operands.
func (o options) parse(args []string) (operands []string, err error) {
	for len(args) > 0 && err == nil {
		arg := args[0]
		args = args[1:]
		switch {
		case arg == "--":
			return append(operands, args...), nil
		case strings.HasPrefix(arg, "--"):
			args, err = o.long(arg, args)
		case isNumber(arg):
			args, err = o.apply('#', arg[1:], args)
		case len(arg) > 1 && arg[0] == '-':
			args, err = o.cluster(arg, args)
		default:
			operands = append(operands, arg)
		}
	}
	return operands, err
}

func isNumber(arg string) bool {
	return len(arg) > 1 && arg[0] == '-' && strings.Trim(arg[1:], "0123456789") == ""
}

func (o options) long(arg string, args []string) ([]string, error) {
	name, value, attached := strings.Cut(arg[2:], "=")
	i := slices.IndexFunc(o, func(opt option) bool { return opt.long != "" && opt.long == name })
	switch {
	case i < 0:
		return nil, o.unknown("--" + name)
	case attached && o[i].values == "":
		return nil, fmt.Errorf("--%s takes no value", name)
	case attached:
		args = append([]string{value}, args...)
	}
	return o[i].take("--"+name, args)
}

func (o options) cluster(arg string, args []string) ([]string, error) {
	for i := 1; i < len(arg); i++ {
		j := o.index(arg[i])
		if j < 0 {
			return nil, o.unknown("-" + arg[i:i+1])
		}
		if o[j].values != "" {
			return o.apply(arg[i], arg[i+1:], args)
		}
		if err := o[j].set(); err != nil {
			return nil, err
		}
	}
	return args, nil
}

func (o options) index(short byte) int {
	return slices.IndexFunc(o, func(opt option) bool { return opt.short == short })
}

// apply sets an option that takes values, of which attached, if there is any,
// is the first.
func (o options) apply(short byte, attached string, args []string) ([]string, error) {
	i := o.index(short)
	if i < 0 {
		return nil, o.unknown("-" + attached)
	}
	if attached != "" {
		args = append([]string{attached}, args...)
	}
	return o[i].take("-"+string(short), args)
}

// take sets opt from the front of args and returns the rest.
func (opt option) take(typed string, args []string) ([]string, error) {
	n := len(strings.Fields(opt.values))
	if len(args) < n {
		return nil, fmt.Errorf("%s needs a value: %s %s", typed, typed, opt.values)
	}
	return args[n:], opt.set(args[:n]...)
}

func (o options) unknown(typed string) error {
	return fmt.Errorf("there is no option %s here; there are %s", typed, strings.Join(o.names(), ", "))
}

// names lists the options as they are typed.
func (o options) names() []string {
	var names []string
	for _, opt := range o {
		name := "--" + opt.long
		switch opt.short {
		case 0:
		case '#':
			name = "-"
		default:
			name = "-" + string(opt.short)
			if opt.values != "" {
				name += " "
			}
		}
		if opt.short == 0 && opt.values != "" {
			name += " "
		}
		names = append(names, name+opt.values)
	}
	return names
}

// flag is an option that sets b.
func flag(short byte, long string, b *bool) option {
	return option{short: short, long: long, set: func(...string) error {
		*b = true
		return nil
	}}
}

// noOperands refuses the file names that the filter's namesake would open.
func noOperands(operands []string) error {
	if len(operands) > 0 {
		return fmt.Errorf("%q is one argument too many: it reads the command before the |, and there are no files here", operands[0])
	}
	return nil
}
