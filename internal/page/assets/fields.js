// The fields of a form. The server decides what fits; what is plainly wrong is said here at once, in the page's language.
import { el } from "./dom.js";
import { fill, limits, words } from "./words.js";

const few = 7; // as many options are shown all at once
const plainNumber = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/; // JSON's numbers

// Form shows the fields of a question. prefix makes ids that nothing else on the page has.
export class Form {
  constructor(fields, prefix) {
    this.root = el("div", "fields");
    this.fields = fields.map((f, i) => new (Form.kinds[f.type] || TextInput)(f, prefix + "-" + i));
    this.root.append(...this.fields.map((f) => f.root));
  }

  // answer is the JSON of all values, or null when a problem is shown.
  answer() {
    const wrong = this.fields.filter((f) => !f.check());
    if (wrong.length) { wrong[0].focus(); return null; }
    const values = this.fields.map((f) => [f.spec.name, f.json()]).filter(([, v]) => v !== "");
    // Written here and not from an object, so that a number stays as it was typed and a key is never taken for something else.
    return "{" + values.map(([k, v]) => JSON.stringify(k) + ":" + v).join(",") + "}";
  }

  // show puts the server's problems at their fields and tells whether one was placed.
  show(problems) {
    const said = new Map(Object.entries(problems || {}));
    const wrong = this.fields.filter((f) => said.has(f.spec.name));
    for (const f of wrong) f.say(said.get(f.spec.name));
    if (wrong.length) wrong[0].focus();
    return wrong.length > 0;
  }

  focus() { if (this.fields.length) this.fields[0].focus(); }
}

// Field is what all fields have: a label, controls, and a place for what is wrong. A field of several controls is a group.
class Field {
  constructor(spec, id) {
    const w = words();
    this.spec = spec;
    this.id = id;
    this.controls = this.make();
    const group = this.controls.length > 1 || this.grouped;
    this.root = el(group ? "fieldset" : "div", "field " + spec.type);
    this.label = el(group ? "legend" : "label", "", spec.label || spec.name, group ? {} : { for: id });
    const notes = [spec.optional ? w.optional : "", this.hint()].filter(Boolean).join(" · ");
    if (notes) this.label.append(" ", el("span", "note", notes));
    this.problem = el("p", "problem", undefined, { id: id + "-p", role: "alert" });
    this.root.append(this.label, this.body || this.controls[0], this.problem);
    for (const c of group ? [this.root] : this.controls) c.setAttribute("aria-describedby", id + "-p");
    this.root.addEventListener("input", () => this.say(""));
  }

  hint() { return limits(this.spec); }
  focus() { (this.controls.find((c) => c.checked) || this.controls[0]).focus(); }
  value() { return this.controls[0].value.trim(); }
  json() { return this.value() === "" ? "" : JSON.stringify(this.value()); }

  say(problem) {
    this.problem.textContent = problem;
    for (const c of this.controls) problem ? c.setAttribute("aria-invalid", "true") : c.removeAttribute("aria-invalid");
    this.root.classList.toggle("wrong", problem !== "");
  }

  // check says what is wrong, and whether nothing is.
  check() {
    const problem = this.json() === "" ? (this.spec.optional ? "" : words().missing) : this.wrong() || "";
    this.say(problem);
    return problem === "";
  }

  wrong() { return ""; }

  outside(n) {
    const { min, max } = this.spec;
    return (min !== undefined && n < min) || (max !== undefined && n > max) ? fill(words().wants, { range: limits(this.spec) }) : "";
  }
}

class TextInput extends Field {
  make() {
    const short = this.spec.max !== undefined && this.spec.max <= 80;
    const e = short ? el("input", "", undefined, { type: "text", id: this.id, autocomplete: "off" }) : el("textarea", "grows", undefined, { id: this.id, rows: "1" });
    e.value = this.spec.default || "";
    return [e];
  }

  wrong() { return this.outside([...this.value()].length); }
}

class NumberInput extends Field {
  make() {
    const e = el("input", "", undefined, { type: "number", inputmode: "decimal", step: "any", id: this.id, autocomplete: "off" });
    e.value = this.spec.default === undefined ? "" : this.spec.default;
    return [e];
  }

  json() {
    const v = this.value();
    return v === "" || plainNumber.test(v) ? v : String(Number(v));
  }

  check() {
    if (!this.controls[0].validity.badInput) return super.check();
    this.say(words().noNumber);
    return false;
  }

  wrong() { return this.outside(Number(this.value())); }
}

class DateInput extends Field {
  make() {
    const e = el("input", "", undefined, { type: "date", max: "9999-12-31", id: this.id });
    e.value = this.spec.default || "";
    return [e];
  }

  check() {
    if (!this.controls[0].validity.badInput) return super.check();
    this.say(words().noDate);
    return false;
  }
}

// Boxes are radio buttons or check boxes, each with a text that is shown and a value that is sent.
class Boxes extends Field {
  boxes(type, entries, chosen) {
    this.grouped = true;
    this.body = el("div", "boxes");
    return entries.map(([text, value], i) => {
      const box = el("input", "", undefined, { type, id: this.id + "-" + i, name: this.id });
      box.checked = chosen(value);
      this.entries = entries;
      const label = el("label", "box", undefined, { for: this.id + "-" + i });
      label.append(box, el("span", "", text));
      this.body.append(label);
      return box;
    });
  }

  picked() { return this.entries.filter((_, i) => this.controls[i].checked).map(([, value]) => value); }
  json() { return this.picked().length ? JSON.stringify(this.picked()[0]) : ""; }
}

// PickOne shows few entries as radio buttons; many, or those of which none may be picked again, as a list.
class PickOne extends Boxes {
  make() {
    const { optional, default: chosen } = this.spec, entries = this.choices();
    if (entries.length <= few && !optional) return this.boxes("radio", entries, (v) => v === chosen);
    this.entries = entries;
    this.list = el("select", "", undefined, { id: this.id });
    this.list.append(el("option", "", words().choose, { value: "" }));
    entries.forEach(([text], i) => this.list.append(el("option", "", text, { value: String(i) })));
    const at = entries.findIndex(([, value]) => value === chosen);
    this.list.value = at < 0 ? "" : String(at);
    return [this.list];
  }

  json() {
    if (!this.list) return super.json();
    return this.list.value === "" ? "" : JSON.stringify(this.entries[Number(this.list.value)][1]);
  }
}

class YesNo extends PickOne {
  choices() { return [[words().yes, true], [words().no, false]]; }
}

class Choice extends PickOne {
  choices() { return this.spec.options.map((o) => [o, o]); }
}

class Choices extends Boxes {
  make() { return this.boxes("checkbox", this.spec.options.map((o) => [o, o]), (v) => (this.spec.default || []).includes(v)); }
  json() { return this.picked().length ? JSON.stringify(this.picked()) : ""; }
  wrong() { return this.outside(this.picked().length); }
}

Form.kinds = Object.assign(Object.create(null),
  { text: TextInput, choice: Choice, choices: Choices, yes_no: YesNo, number: NumberInput, date: DateInput });
