// An action that is to take the place of another: by another place on the picture, by a form of its arguments, or as JSON.
import { clean, told } from "./api.js";
import { el } from "./dom.js";
import { words } from "./words.js";

// Arguments is what is changed of a request. at says how it is shown: place is the point that is touched, if it is one that can
// be moved on the card's picture, and text is the box for JSON.
export class Arguments {
  constructor(request, schema, at) {
    this.request = request;
    this.schema = schema || {};
    this.at = at;
    this.asJSON = false;
    this.root = el("div", "edit", undefined, { hidden: "" });
  }

  // begin starts from the request.
  begin() {
    const w = words();
    this.moved = null;
    this.asJSON = false;
    this.fields = this.at.place ? [] : this.plain().map(([name, value]) => this.field(name, value));
    const json = el("button", "quiet-row json", w.asJSON, { type: "button" });
    json.addEventListener("click", () => {
      this.write();
      this.asJSON = true;
      json.hidden = true;
      this.show(true);
      this.at.card.approval.show();
      this.at.text.focus();
    });
    this.root.replaceChildren(...this.at.place ? [el("p", "reason", w.tapPlace)] : [], ...this.fields.map((f) => f.root), json);
    if (this.at.place) this.at.card.placing((p) => {
      this.moved = p;
      if (this.asJSON) this.write();
    });
  }

  // write has the box say what the picture and the fields say. What was typed in it gives way to another place on the picture.
  write() {
    const was = this.asJSON;
    let action = { name: this.request.name, args: this.request.args };
    this.asJSON = false;
    try { action = this.action(); } catch { /* a field that cannot be read is left out */ }
    this.asJSON = was;
    this.at.text.value = told(action);
  }

  // resume begins like an edit of the same request that was under way.
  resume(other) {
    this.begin();
    if (other.asJSON) this.root.querySelector(".json").click();
    if (other.moved) this.at.card.move(other.moved);
  }

  // plain are the arguments that have a field: those with a plain value, and those that the schema knows besides.
  plain() {
    const args = this.request.args || {}, known = this.schema.properties || {};
    return [...new Set([...Object.keys(known), ...Object.keys(args)])]
      .map((name) => [name, Object.hasOwn(args, name) ? args[name] : undefined])
      .filter(([, v]) => v === undefined || v === null || typeof v !== "object" || JSON.isRawJSON?.(v));
  }

  // field is the field of one argument. change is its new value, undefined while it is what it was.
  field(name, value) {
    const spec = (this.schema.properties || {})[name] || {}, id = this.at.id + "-" + name;
    const type = spec.type || (typeof value === "boolean" ? "boolean" : typeof value === "string" ? "string" : "number");
    const options = spec.enum || (type === "boolean" ? [true, false] : null);
    let e;
    if (options) {
      e = el("select", "", undefined, { id });
      for (const o of value === undefined ? ["", ...options] : options) e.append(el("option", "", String(o), { value: this.shown(o) }));
    } else if (type === "string") {
      e = el("textarea", "grows", undefined, { id, rows: "1" });
    } else {
      e = el("input", "", undefined, { id, type: "text", inputmode: "decimal", autocomplete: "off" });
    }
    e.value = this.shown(value);
    const root = el("div", "field"), first = e.value;
    root.append(el("label", "", spec.title || clean(name), { for: id }), e);
    const change = () => {
      if (e.value === first) return undefined;
      return options ? options.find((o) => this.shown(o) === e.value) : type === "string" ? e.value : JSON.parse(e.value);
    };
    return { name, root, control: e, change };
  }

  shown(v) { return v === undefined || v === null ? "" : typeof v === "string" ? clean(v) : JSON.stringify(v); }

  show(on) {
    this.root.hidden = !on;
    if (!on && this.at.place) this.at.card.placing(null);
    for (const f of this.fields || []) f.root.hidden = this.asJSON;
  }

  focus() {
    if (this.asJSON) this.at.text.focus();
    else if (this.fields.length) this.fields[0].control.focus();
  }

  // changed reports whether something else than the request would be sent.
  changed() {
    if (this.asJSON || this.moved) return true;
    try { return this.fields.some((f) => f.change() !== undefined); } catch { return true; }
  }

  // action is the edited action. It throws when what was typed cannot be read.
  action(parse) {
    if (this.asJSON) return parse(this.at.text.value);
    const args = { ...this.request.args };
    if (this.moved) args.at = { ...args.at, ...this.moved };
    for (const f of this.fields) {
      const v = f.change();
      if (v !== undefined) args[f.name] = v;
    }
    return { name: this.request.name, args };
  }
}
