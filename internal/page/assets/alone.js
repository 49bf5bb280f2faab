// A session as one file: its page, with everything that a server would answer in it.
import { render } from "./preact.js";
import { Session } from "./session.js";
import { html } from "./view.js";
import { changeLanguage, speak } from "./words.js";

const draw = () => render(html`<${Session} id=${document.body.dataset.session} />`, document.getElementById("page"));
document.getElementById("lang").addEventListener("click", () => { changeLanguage(); draw(); });
speak();
draw();
