package inquiry

import (
	"slices"
	"strings"
)

// Read makes a reply of what a person typed: a line for each of the question's parts. A line that
// begins with a slash and the name of an offer is that offer; /remember SCOPE ANSWER has the answer
// used again. The number of an option stands for it. Anything else is an answer.
//
// An error says in words why the lines are no reply. Whether a reply fits, [Broker.Resolve] says.
func (q Question) Read(lines ...string) (Reply, error) {
	var scope Scope
	said := make([]Said, len(lines))
	for i, line := range lines {
		typed := strings.TrimSpace(line)
		verb, rest, _ := strings.Cut(typed, " ")
		switch {
		case takes(&q, typed, verb):
			said[i] = Said{strings.TrimPrefix(verb, "/"), rest}
		case verb == "/remember" && rest != "":
			to, words, _ := strings.Cut(strings.TrimSpace(rest), " ")
			scope, said[i].Words = Scope(to), words
		default:
			said[i].Words = line
		}
	}
	r, err := q.Say(said...)
	r.Remember = scope
	return r, err
}

// takes reports whether the line begins with a command, for a question of this kind or of another
// one. A typed secret is never taken for a command of another kind.
func takes(q *Question, line, word string) bool {
	name, command := strings.CutPrefix(word, "/")
	return command && (general[name] != "" && line == word || offers(bodyOf(q), name) ||
		!q.Secret && IsOffer(name))
}

// Say makes a reply of what was said to each of the question's parts.
func (q Question) Say(said ...Said) (Reply, error) { return bodyOf(&q).Say(&q, said...) }

// Hear makes a reply of what somebody has said in a conversation, where no one is asked twice. Only
// clear words are a consent.
func (q Question) Hear(words string) Reply { return bodyOf(&q).Hear(&q, words) }

// Parts is how many times something has to be said for a whole reply.
func (q Question) Parts() int { return bodyOf(&q).Parts() }

// TakesValues reports whether the answer is an object of values, as that to a form is.
func (q Question) TakesValues() bool { return len(As[Form](q).Fields) > 0 }

// Details lists by name what the question has beside its text. What the text says already is not
// said again.
func (q Question) Details() []Detail {
	all := bodyOf(&q).Details()
	if q.LeftBehind {
		all = append(all, Detail{"run", "the program that ran it has ended; after the answer a " +
			"server goes on with it, or: taploop continue " + q.SessionID, true})
	}
	return slices.DeleteFunc(all, func(d Detail) bool {
		return (d.Name == "under" || d.Name == "because") && d.Text != "" &&
			strings.Contains(q.Text, strings.Trim(d.Text, `"`))
	})
}

// Choices lists the answers to choose from, the options or the offers with their placeholders, for
// people and models.
func Choices(q Question) (all []string) {
	all = slices.Clone(As[Ask](q).Options)
	if all == nil {
		for _, o := range q.Offers() {
			all = append(all, strings.TrimSpace(o.Name+" "+o.Words))
		}
	}
	return all
}

// Offers lists what can be said to the question other than an answer in words.
func (q Question) Offers() []Offer { return bodyOf(&q).Offers() }

// Types returns the types of replies that the question takes.
func (q Question) Types() []Type { return bodyOf(&q).Types(&q) }

// Hear implements [Body]. The name of an offer alone is that offer.
func (Words) Hear(q *Question, words string) Reply {
	for _, o := range bodyOf(q).Offers() {
		if saidOnly(words, []string{o.Name}) {
			if r, err := q.Say(Said{Name: o.Name}); err == nil {
				return r
			}
		}
	}
	return Reply{Type: TypeAnswer, Response: words}
}

// Flag returns the flag of "taploop reply" that does what questions of the kind ask for:
// "--approve". It is "" if they want an answer in words. What has a flag is about an act, and has
// to be seen before it is decided.
func (k Kind) Flag() string { return Question{Kind: k}.Flag() }

// Flag is one that may be given for each of the question's parts, without words, or "".
func (q Question) Flag() string {
	for _, o := range q.Offers() {
		if o.Main {
			return strings.Repeat(o.Flag()+" ", max(bodyOf(&q).Parts(), 1)-1) + o.Flag()
		}
	}
	return ""
}
