// Package tools is the face that programs see: the result of a call as JSON, for the command line and for MCP.
package tools
