// Package page has the files of the page that people see in a browser: its scripts, its styles and
// its texts. A server hands them out one by one; [Alone] writes a file of them that loads nothing.
package page
