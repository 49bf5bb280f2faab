package sandbox

import "github.com/taploop/taploop/sandbox/ui"

// UITree is what uiautomator sees: the window in front, without status bar, navigation bar and keyboard.
func (p *Phone) UITree() (root Node) {
	p.do(func() { root = p.tree() })
	return root
}

// DumpXML is the UI tree as uiautomator writes it.
func (p *Phone) DumpXML() (xml []byte) {
	p.do(func() { xml = ui.DumpXML(p.tree(), p.rotation()) })
	return xml
}
