// A session or the list of all as one file: its page, with everything that a server would answer in it.
import { render } from "./preact.js";
import { Runs } from "./runs.js";
import { Session } from "./session.js";
import { html } from "./view.js";
import { changeLanguage, speak, words } from "./words.js";

const { session } = document.body.dataset;
const draw = () => {
  if (!session) document.title = words().allRuns + " · taploop";
  render(session ? html`<${Session} id=${session} />` : html`<${Runs} key=${document.documentElement.lang} />`, document.getElementById("page"));
};
document.getElementById("lang").addEventListener("click", () => { changeLanguage(); draw(); });
speak();
draw();
