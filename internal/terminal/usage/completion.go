package usage

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/taploop/taploop/internal/words"
)

// Complete writes what completes the command line in a shell: bash, zsh or fish.
func Complete(w io.Writer, shell string, root *kong.Node) error {
	nodes := commandNodes(root)
	switch shell {
	case "fish":
		return fish(w, nodes)
	case "zsh":
		_, before := fmt.Fprint(w, "#compdef taploop\nautoload -U +X bashcompinit && "+
			"bashcompinit\n")
		failed := bash(w, nodes)
		// where zsh loads the file at the first completion, it is that one's function
		_, after := fmt.Fprint(w, "if [[ ${funcstack[1]} = _taploop ]]; then\n"+
			"\t_bash_complete -o default -F _taploop_words\nfi\n")
		return errors.Join(before, failed, after)
	}
	return bash(w, nodes)
}

// commandNodes are the program and all commands that are shown, each behind the one that it is of.
func commandNodes(root *kong.Node) []*kong.Node {
	list := []*kong.Node{root}
	for _, child := range root.Children {
		if !child.Hidden && child.Type == kong.CommandNode {
			list = append(list, commandNodes(child)...)
		}
	}
	return list
}

// flagsOf are the flags that a command takes, with those of the ones above it.
func flagsOf(n *kong.Node) []*kong.Flag { return slices.Concat(n.AllFlags(true)...) }

// wordsOf are the words that may follow a command.
func wordsOf(n *kong.Node) (list []string) {
	for _, child := range n.Children {
		if !child.Hidden && child.Type == kong.CommandNode {
			list = append(list, child.Name)
		}
	}
	for _, f := range flagsOf(n) {
		list = append(list, "--"+f.Name)
	}
	return list
}

func bash(w io.Writer, nodes []*kong.Node) error {
	var b strings.Builder
	b.WriteString("_taploop_words() {\n\tlocal path= word words i\n" +
		"\tfor ((i = 1; i < COMP_CWORD; i++)); do\n\t\tword=${COMP_WORDS[i]}\n" +
		"\t\tcase \"$path $word\" in\n")
	for _, n := range nodes[1:] {
		fmt.Fprintf(&b, "\t\t\" %s\") path=\" %[1]s\" ;;\n", Path(n))
	}
	b.WriteString("\t\tesac\n\tdone\n\tcase \"$path\" in\n")
	for _, n := range nodes {
		path := Path(n)
		if path != "" {
			path = " " + path
		}
		fmt.Fprintf(&b, "\t\"%s\") words=\"%s\" ;;\n", path, strings.Join(wordsOf(n), " "))
	}
	// not mapfile, which neither zsh nor the bash of macOS has
	b.WriteString("\tesac\n" +
		"\tCOMPREPLY=($(compgen -W \"$words\" -- \"${COMP_WORDS[COMP_CWORD]}\"))\n" +
		"}\ncomplete -o default -F _taploop_words taploop\n")
	_, err := io.WriteString(w, b.String())
	return err
}

func fish(w io.Writer, nodes []*kong.Node) error {
	var b strings.Builder
	quoted := func(text string) string {
		return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(text) + "'"
	}
	for _, n := range nodes {
		when := "__fish_use_subcommand"
		if path := Path(n); path != "" {
			when = "__fish_seen_subcommand_from " + strings.ReplaceAll(path, " ",
				"; and __fish_seen_subcommand_from ")
		}
		for _, child := range n.Children {
			if !child.Hidden && child.Type == kong.CommandNode {
				fmt.Fprintf(&b, "complete -c taploop -n %s -a %s -d %s\n", quoted(when), child.Name,
					quoted(child.Help))
			}
		}
		for _, f := range flagsOf(n) {
			fmt.Fprintf(&b, "complete -c taploop -n %s -l %s -d %s\n", quoted(when), f.Name,
				quoted(f.Help))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Manual writes the manual page of a command line that is described in the default language.
func Manual(w io.Writer, version string, root *kong.Node) error {
	var b strings.Builder
	escape := strings.NewReplacer(`\`, `\e`, "-", `\-`, "\n.", "\n\\&.").Replace
	about := textsIn(words.Default).About
	fmt.Fprintf(&b, ".TH TAPLOOP 1 \"\" \"taploop %s\"\n.SH NAME\ntaploop \\- tasks for Android "+
		"phones\n.SH SYNOPSIS\n.B taploop\n.I COMMAND\n[\\fIflags\\fR]\n.SH DESCRIPTION\n%s\n",
		escape(version), escape(about))
	nodes := commandNodes(root)
	b.WriteString(".SH FLAGS OF ALL COMMANDS\n")
	manFlags(&b, nodes[0].Flags, escape)
	b.WriteString(".SH COMMANDS\n")
	for _, n := range nodes[1:] {
		fmt.Fprintf(&b, ".SS taploop %s\n%s\n", escape(strings.TrimPrefix(n.Summary(), "taploop ")),
			escape(n.Help))
		manFlags(&b, n.Flags, escape)
	}
	fmt.Fprintf(&b, ".SH EXIT STATUS\n%s\n",
		escape(strings.Join(Exits(words.Default), ",\n")+"."))
	_, err := io.WriteString(w, b.String())
	return err
}

func manFlags(b *strings.Builder, flags []*kong.Flag, escape func(string) string) {
	for _, f := range flags {
		if !f.Hidden {
			fmt.Fprintf(b, ".TP\n.B %s\n%s\n", escape(f.String()), escape(f.Help))
		}
	}
}
