// Package keys reads YAML files into structs and says where in the file everything stands. The
// struct is the definition: [Read] reads by it and finds what is wrong, all of it at once, and
// [Schema] makes a JSON Schema for editors from it. Tags say what reflection does not show:
//
//	yaml:"name"    the key
//	need:"yes"     the key has to be there, with a value that is not empty
//	need:"own"     the same for editors; the owner of the struct names the missing ones
//	only:"k v"     the key goes only with the key k, or with the value v of it
//	never:"k v"    the key does not go with the value v of the key k
//	empty:"ok"     the value may be empty all the same
//	min:"1"        the least number, or a list that is not empty
//	max:"100"      the greatest number
//	enum:"on off"  the values that there are
//	prefix:"/"     what the text begins with
//	some:"yes"     at least one of the keys with this tag has to be there
//	one:"yes"      exactly one of the keys with this tag has to be there
//	alone:"yes"    the key's name in place of the mapping means that key
//	bare:"none"    this word in place of a list means an empty one
//
// A struct that embeds [Place] knows the positions of its keys.
package keys
