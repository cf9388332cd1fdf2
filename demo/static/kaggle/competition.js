// One competition: header, tabs, and the views behind them.
import {call, count, el, icon, link, moment, styled} from "./runtime.js";
import {showLeaderboard} from "./leaderboard.js";

const TABS = ["Overview", "Data", "Code", "Models", "Discussion", "Leaderboard", "Rules"];
const TABBAR = "display:flex;gap:24px;border-bottom:1px solid var(--line);margin:24px 0;padding-bottom:8px";
const COLUMNS = "display:grid;grid-template-columns:minmax(0,1fr) 220px;gap:40px";
const HEAD = "display:flex;justify-content:space-between;gap:12px;margin:24px 0 8px";
const SOFT = "color:var(--soft)";

export async function showCompetition(content, slug, tab, part, notFound) {
  const name = TABS.find((one) => one.toLowerCase() === tab);
  if (!name) return notFound();
  const competition = await call("competitions.CompetitionService/GetCompetition", {competitionName: slug});
  document.title = `${competition.title} | Kaggle`;
  const view = el("div", {});
  content.replaceChildren(el("div", {"data-testid": "competition-detail-render-tid"}, header(competition, name), view));
  if (name === "Leaderboard") return showLeaderboard(view, competition);
  if (["Code", "Models", "Discussion"].includes(name)) return view.append(el("p", {}, "Nothing has been shared here yet."));
  const {pages} = await call("competitions.PageService/ListPages", {competitionId: competition.id});
  if (name === "Overview") overview(view, competition, pages.filter((page) => !["data-description", "rules"].includes(page.name)), part);
  else if (name === "Data") data(view, competition, pages.find((page) => page.name === "data-description"));
  else rules(view, pages.find((page) => page.name === "rules"));
}

function header(competition, current) {
  const root = `/competitions/${competition.competitionName}`;
  const tabs = TABS.map((tab) => el("a", {href: tab === "Overview" ? root : `${root}/${tab.toLowerCase()}`, role: "tab",
    "aria-selected": tab === current ? "true" : "false", style: tab === current ? "font-weight:600" : ""}, tab));
  const when = competition.deadline ? [" · ", moment(competition.deadline)] : [];
  return el("header", {},
    el("div", {class: styled("soft", SOFT)}, competition.hostName ?? "Kaggle replica", " · Prediction Competition", ...when),
    el("h1", {}, competition.title), el("div", {}, competition.briefDescription ?? ""),
    el("div", {style: "display:flex;gap:12px;margin-top:16px"}, el("button", {onclick: toSignIn}, "Join Competition"),
      el("button", {"aria-label": "more_horiz"}, icon("more_horiz"))),
    el("div", {role: "tablist", class: styled("tabs", TABBAR)}, tabs));
}

function toSignIn() {
  location.assign("/account/login");
}

function anchorOf(page) {
  return page.name.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "") || "section";
}

// One section: its heading with the icons of a real page, its body as the second child of the inner box.
function section(page, id) {
  const body = el("div", {});
  body.innerHTML = page.content;
  return el("section", {id}, el("div", {},
    el("div", {class: styled("head", HEAD)}, el("h2", {}, page.postTitle),
      el("span", {}, icon("link"), " ", icon("keyboard_arrow_up"))),
    body));
}

function overview(view, competition, pages, part) {
  const main = el("div", {});
  if (!pages.length) main.append(el("p", {}, "The host has not written an overview yet."));
  const dates = timeline(competition);
  pages.forEach((page, index) => {
    main.append(section(page, anchorOf(page)));
    if (index === 0 && dates) main.append(dates);
  });
  if (!pages.length && dates) main.append(dates);
  view.append(el("div", {class: styled("columns", COLUMNS)}, main, sidebar(competition, pages)));
  if (part) document.getElementById(part)?.scrollIntoView();
}

function timeline(competition) {
  const line = (label, date) => date ? el("div", {}, el("div", {}, label), moment(date)) : null;
  const lines = [line("Start", competition.dateEnabled), line("Close", competition.deadline)].filter(Boolean);
  return lines.length ? el("div", {style: "display:flex;gap:48px;margin:16px 0"}, lines) : null;
}

function sidebar(competition, pages) {
  const block = (title, ...lines) => lines.length ? el("div", {style: "margin-bottom:24px"}, el("b", {}, title), lines) : null;
  const line = (text) => el("div", {}, text);
  const tags = [...(competition.categories ?? []).map((tag) => tag.name), competition.evaluationAlgorithm?.name].filter(Boolean);
  const root = `/competitions/${competition.competitionName}/overview`;
  return el("aside", {},
    block("Competition Host", ...(competition.hostName ? [line(competition.hostName)] : [])),
    block("Prizes & Awards", ...(competition.reward ? [line(competition.reward)] : [])),
    block("Participation", line(count(competition.totalTeams, "Team"))),
    block("Tags", ...tags.map(line)),
    block("Table of Contents", ...pages.map((page) => el("div", {}, link(`${root}/${anchorOf(page)}`, page.postTitle)))));
}

function data(view, competition, page) {
  view.append(page ? section(page, "data-description") : el("p", {}, "The host has not described the data."));
  view.append(el("h2", {style: "margin-top:32px"}, icon("table_chart"), " Data files"),
    el("p", {}, "You must sign in, and accept this competition's rules, before you can see and download the files."),
    el("button", {onclick: toSignIn}, icon("get_app"), " Download All"));
  if (competition.licenseName) view.append(el("h2", {style: "margin-top:32px"}, "License"), el("p", {}, competition.licenseName));
}

function rules(view, page) {
  view.append(page ? section(page, "rules") : el("p", {}, "The host has not published rules here."));
}
