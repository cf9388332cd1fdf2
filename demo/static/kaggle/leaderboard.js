// The leaderboard: everything arrives in one answer, rows are drawn as the reader scrolls.
import {call, count, el, icon, moment, styled} from "./runtime.js";

const BATCH = 50;
const GRID = "display:grid;grid-template-columns:64px minmax(0,3fr) minmax(0,1fr) 140px 80px 80px;gap:12px;" +
             "padding:8px 0;border-bottom:1px solid var(--line)";
const SOFT = "color:var(--soft)";
const NOTES = {
  Public: "This leaderboard is calculated with one part of the test data. The final results will be based on the other part, " +
          "so the final standings may be different.",
  Private: "The private leaderboard is calculated with the part of the test data that was hidden. " +
           "This competition has completed. This leaderboard reflects the final standings.",
};

export async function showLeaderboard(view, competition) {
  const answer = await call("competitions.LeaderboardService/GetLeaderboard",
    {competitionId: competition.id, leaderboardMode: "LEADERBOARD_MODE_DEFAULT"});
  const teams = new Map(answer.teams.map((team) => [team.teamId, team]));
  const boards = {Public: answer.publicLeaderboard ?? [], Private: answer.privateLeaderboard ?? []};
  const names = Object.keys(boards).filter((name) => boards[name].length);
  view.append(el("h2", {}, icon("leaderboard"), " Leaderboard"));
  if (!names.length) return view.append(el("p", {}, "There are no entries yet."));
  const board = el("div", {role: "tabpanel"});
  const tabs = names.map((name) => el("button", {role: "tab", onclick: () => select(name)}, name));
  view.append(el("div", {role: "tablist", style: "display:flex;gap:8px;margin:16px 0"}, tabs), board);
  const select = (name) => {
    tabs.forEach((tab) => tab.setAttribute("aria-selected", String(tab.textContent === name)));
    const final = name === names.at(-1);
    const claimed = final ? Math.max(boards[name].length, competition.totalTeams) : boards[name].length;
    draw(board, boards[name], teams, NOTES[name], claimed);
  };
  select(names.at(-1));
}

function draw(board, rows, teams, note, claimed) {
  const cells = ["#", "Team", "Members", "Score", "Entries", "Last"];
  const list = el("ul", {role: "table", "aria-label": "Leaderboard"},
    el("li", {role: "row", class: styled("row", GRID)}, cells.map((text) => el("b", {role: "columnheader"}, text))));
  if (document.querySelector('meta[name="leaderboard-list"]')) return drawWindow(board, rows, teams, note, claimed, list);
  const end = el("div", {style: "height:1px"});
  board.replaceChildren(el("p", {}, note), el("p", {class: styled("soft", SOFT)}, count(claimed, "Team")), list, end);
  let drawn = 0;
  const more = () => {
    list.append(...rows.slice(drawn, drawn + BATCH).map((row) => line(row, teams.get(row.teamId))));
    drawn += BATCH;
    watcher.unobserve(end);
    if (drawn < rows.length) watcher.observe(end);
  };
  const watcher = new IntersectionObserver((seen) => seen.some((one) => one.isIntersecting) && more(), {rootMargin: "200px"});
  more();
}

// A list that keeps only the rows in sight and a few around them.
function drawWindow(board, rows, teams, note, claimed, list) {
  const HEIGHT = 40, AROUND = 8, head = list.firstElementChild;
  list.setAttribute("aria-rowcount", rows.length + 1);
  const above = el("li", {"aria-hidden": "true"}), below = el("li", {"aria-hidden": "true"});
  const box = el("div", {style: "height:600px;overflow-y:auto"}, list);
  const show = () => {
    const first = Math.max(0, Math.floor(box.scrollTop / HEIGHT) - AROUND);
    const last = Math.min(rows.length, first + Math.ceil(600 / HEIGHT) + 2 * AROUND);
    above.style.height = `${first * HEIGHT}px`;
    below.style.height = `${(rows.length - last) * HEIGHT}px`;
    const drawn = rows.slice(first, last).map((row) => line(row, teams.get(row.teamId)));
    drawn.forEach((row) => { row.style.height = `${HEIGHT}px`; row.style.overflow = "hidden"; });
    list.replaceChildren(head, above, ...drawn, below);
  };
  box.addEventListener("scroll", () => requestAnimationFrame(show), {passive: true});
  board.replaceChildren(el("p", {}, note), el("p", {class: styled("soft", SOFT)}, count(claimed, "Team")), box);
  show();
}

function line(row, team) {
  const members = (team.teamMembers ?? []).map((member) =>
    el("a", {href: `/${member.userName}`, "aria-label": member.displayName, title: member.displayName}, "○"));
  const cell = (...children) => el("div", {role: "cell"}, ...children);
  return el("li", {role: "row", class: styled("row", GRID)},
    cell(String(row.rank ?? "")), cell(team.teamName), cell(members), cell(row.displayScore),
    cell(team.submissionCount === null ? "" : String(team.submissionCount)), cell(moment(team.lastSubmissionDate, true)));
}
