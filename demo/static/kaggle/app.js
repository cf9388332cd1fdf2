// The frame of every page, and which view a path gets.
import {CallError, el, icon, link, styled} from "./runtime.js";
import {showCompetition} from "./competition.js";
import {showList} from "./list.js";

const FRAME = "display:flex;min-height:100vh";
const SIDE = "width:180px;padding:20px;border-right:1px solid var(--line);display:flex;flex-direction:column;gap:12px";
const BODY = "flex:1;max-width:1080px;padding:24px 40px 120px";
const BAR = "position:fixed;bottom:0;left:0;right:0;background:#202124;color:#fff;padding:12px 40px;display:flex;" +
            "gap:24px;align-items:center";

const content = el("div", {id: "site-content", class: styled("content", BODY)});

function frame() {
  const entry = (word, href, text) => el("div", {}, icon(word), " ", link(href, text));
  return el("div", {class: styled("frame", FRAME)},
    el("nav", {class: styled("side", SIDE)},
      el("div", {}, icon("menu"), " ", el("b", {}, "Kaggle replica")),
      entry("search", "/search", "Search"), entry("explore", "/", "Home"),
      entry("emoji_events", "/competitions", "Competitions"), entry("table_chart", "/datasets", "Datasets"),
      entry("comment", "/discussions", "Discussions")),
    content);
}

function cookieBar() {
  const bar = el("div", {class: styled("bar", BAR)}, el("div", {}, "This site stores cookies to count its visits. ",
    el("a", {href: "/cookies", style: "color:#8ab4f8"}, "Learn more")));
  bar.append(el("button", {onclick: () => bar.remove()}, "OK, Got it."));
  return bar;
}

export function notFound() {
  content.replaceChildren(el("h1", {}, "We can't find that page."), el("p", {}, link("/competitions", "Go to the competitions")));
}

function crashed(chunk) {
  content.replaceChildren(el("h1", {}, "Something went wrong and this page crashed!"),
    el("p", {}, "If the issue persists, it's likely a problem on our side."),
    el("pre", {}, `Loading CSS chunk ${parseInt(chunk, 16)} failed.`),
    el("button", {onclick: () => location.reload()}, icon("refresh"), " Refresh"));
}

function failed(error) {
  if (error instanceof CallError && error.status === 404) return notFound();
  const busy = error instanceof CallError && error.status === 429;
  content.replaceChildren(el("h1", {}, busy ? "Too many requests" : "Unable to load this page"), el("p", {}, error.message));
}

async function route() {
  const [first, slug, tab, part] = location.pathname.split("/").filter(Boolean).map(decodeURIComponent);
  content.replaceChildren(el("div", {role: "progressbar"}, "Loading"));
  try {
    if (!first || (first === "competitions" && !slug)) await showList(content);
    else if (first === "competitions") await showCompetition(content, slug, tab ?? "overview", part, notFound);
    else if (first === "account") signIn();
    else notFound();
  } catch (error) {
    failed(error);
  }
}

function signIn() {
  content.replaceChildren(el("h1", {}, "Sign in"), el("p", {}, "You must sign in, and accept the competition's rules, before you can download files."));
}

// Links inside the site change the path without loading the shell again.
document.addEventListener("click", (event) => {
  const anchor = event.target.closest?.("a[href^='/']");
  if (!anchor || event.defaultPrevented || event.ctrlKey || event.metaKey || anchor.pathname === "/out") return;
  event.preventDefault();
  history.pushState({}, "", anchor.href);
  scrollTo(0, 0);
  route();
});
addEventListener("popstate", route);

document.getElementById("root").append(frame(), cookieBar());
const chunk = document.querySelector('meta[name="failing-chunk"]');
if (chunk) crashed(chunk.content);
else route();
