// Package channel is the registry of the ways in which a question reaches somebody who answers it,
// and the reply modes that are made of them.
//
// A [Channel] is a row of the registry: its names, who answers there, and the words with which
// tools, help texts and the inbox page speak of it. A [Mode] is a sequence of channels that have
// their turn one after the other. Package route carries a mode out.
package channel
