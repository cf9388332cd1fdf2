// The list of competitions, 20 a page.
import {call, count, el, icon, link, moment, styled} from "./runtime.js";

const SIZE = 20;
const ITEM = "display:flex;gap:16px;padding:16px 0;border-bottom:1px solid var(--line)";
const MARK = "width:48px;height:48px;border-radius:6px;background:var(--shade);flex:none;text-align:center;line-height:48px;overflow:hidden";
const SOFT = "color:var(--soft)";

export async function showList(content) {
  const query = new URLSearchParams(location.search);
  const page = Math.max(1, parseInt(query.get("page") ?? "1", 10) || 1);
  const selector = {listOption: query.get("listOption") ?? "", sortOption: query.get("sortOption") ?? "",
                    searchQuery: query.get("search") ?? ""};
  const answer = await call("competitions.CompetitionService/ListCompetitions",
    {selector, pageToken: String(page), pageSize: SIZE, readMask: "competitions,totalResults"});
  document.title = "Competitions | Kaggle";
  content.replaceChildren(
    el("h1", {}, "Competitions"),
    el("p", {class: styled("soft", SOFT)}, "Pages of a replica that serves a folder of competitions."),
    el("h2", {}, icon("emoji_events"), " All competitions"),
    el("p", {}, count(answer.totalResults, "competition")),
    el("div", {"data-testid": "list-view"}, el("ul", {}, answer.competitions.map(item))),
    pager(query, page, answer.totalResults));
  if (!answer.competitions.length) content.append(el("p", {}, "No competitions here."));
}

function item(competition) {
  const facts = [competition.totalTeams === undefined ? null : count(competition.totalTeams, "Team"),
                 competition.deadline ? moment(competition.deadline) : null, competition.reward ?? null];
  return el("li", {class: styled("item", ITEM)},
    el("div", {class: styled("mark", MARK)}, icon("emoji_events")),
    el("div", {},
      el("a", {href: `/competitions/${competition.competitionName}`, "aria-label": competition.title}, el("b", {}, competition.title)),
      el("div", {}, competition.briefDescription ?? ""),
      el("div", {class: styled("soft", SOFT)}, facts.filter(Boolean).flatMap((fact, index) => index ? [" · ", fact] : [fact]))),
    el("button", {"aria-label": "more_horiz", style: "margin-left:auto;align-self:center"}, icon("more_horiz")));
}

function pager(query, page, total) {
  const last = Math.max(1, Math.ceil(total / SIZE));
  const go = (number, label, words) => {
    const next = new URLSearchParams(query);
    next.set("page", number);
    const off = number < 1 || number > last;
    return el("button", {"aria-label": label, disabled: off, onclick: () => jump(`/competitions?${next}`)}, words);
  };
  return el("div", {style: "display:flex;gap:12px;align-items:center;padding:24px 0", role: "navigation"},
    go(page - 1, "Previous page", "Previous"), el("span", {}, `Page ${page} of ${last}`), go(page + 1, "Next page", "Next"));
}

function jump(href) {
  const anchor = link(href);
  document.body.append(anchor);
  anchor.click();
  anchor.remove();
}
