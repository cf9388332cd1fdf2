// The application: a list of challenges, and the tabs of one; each view asks for its own answers.
function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "onclick") element.addEventListener("click", value);
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value);
  }
  element.append(...children.flat());
  return element;
}

async function get(path) {
  const answer = await fetch(path);
  return {ok: answer.ok, data: await answer.json()};
}

const view = document.getElementById("view");
const loader = document.getElementById("loader");
const TABS = ["overview", "evaluation", "phases", "participate", "leaderboard"];

function framed(challenge, tab, ...parts) {
  const root = `/web/challenges/challenge-page/${challenge.id}`;
  view.replaceChildren(el("h4", {class: "ev-challenge-title"}, challenge.title), el("p", {}, challenge.short_description),
    el("p", {}, "Organized by: ", el("strong", {}, challenge.creator.team_name)),
    el("p", {}, el("strong", {}, "Starts on: "), challenge.start_date ?? "", el("strong", {}, " Ends on: "), challenge.end_date ?? ""),
    el("div", {class: "tabs"}, TABS.map((name) => el("a", {href: `${root}/${name}`, class: name === tab ? "active" : ""},
      name[0].toUpperCase() + name.slice(1)))), ...parts);
}

function written(html) {
  const box = el("div", {class: "ev-md-content"});
  box.innerHTML = html;
  return box;
}

function titled(title, ...children) {
  return el("section", {}, el("h5", {class: "w-300"}, title), ...children);
}

function ago(text) {
  const days = (Date.now() - new Date(text)) / 86400000;
  if (!text || isNaN(days)) return text ?? "";
  return days > 365 ? `${Math.floor(days / 365)} year(s) ago` : `${Math.max(1, Math.floor(days))} day(s) ago`;
}

function printed(value, decimals) {
  if (typeof value !== "number") return value ?? "";
  return value.toLocaleString("en-US", {minimumFractionDigits: decimals, maximumFractionDigits: decimals});
}

function headCell(text) {
  return el("td", {"data-field": "column"}, el("a", {href: "#"}, el("span", {class: "w-300 fs-20"}, text),
    el("span", {class: "fa-stack fa-1x"}, el("i", {class: "fa fa-sort-asc fa-stack-1x"}), el("i", {class: "fa fa-sort-desc fa-stack-1x"}))));
}

function badge(text, classes = "") {
  return el("span", {class: `new badge orange-background ${classes}`, "data-badge-caption": text});
}

function team(row) {
  const name = row.submission__participant_team__team_name, url = row.submission__participant_team__team_url;
  const method = row.submission__method_name;
  return el("td", {}, url ? el("a", {class: "orange-text", href: url}, name) : el("span", {}, name),
    el("b", {}, row.submission__is_public === false ? el("span", {class: "orange-text"}, "*") : ""),
    method ? el("span", {}, `(${method.slice(0, 30)})`) : "",
    row.submission__is_baseline ? badge("B", "baseline-tag") : "", row.submission__is_verified_by_host ? badge("V") : "");
}

function boardTable(rows, first, decimals) {
  const schema = rows[0].leaderboard__schema;
  const arrow = (label) => {
    const said = schema.metadata?.[label];
    return said ? `${label} (${said.sort_ascending ? "\u2193" : "\u2191"})` : label;
  };
  const head = ["Rank", "Participant team", ...schema.labels.map(arrow), "Execution time", "Last submission at", "Meta Attributes"];
  return el("table", {id: "leaderboard_table", class: "highlight"}, el("thead", {}, el("tr", {}, head.map(headCell))),
    el("tbody", {class: "fs-16 w-300"}, rows.map((row, index) => el("tr", {id: `leaderboardrank-${first + index}`},
      el("td", {}, String(first + index)), team(row),
      row.result.map((value, column) => el("td", {}, printed(value, column ? 4 : decimals), value === "#" ? badge("", "partial-evaluation") : "")),
      el("td", {}, String(row.submission__execution_time)), el("td", {}, ago(row.submission__submitted_at)),
      el("td", {}, el("button", {class: "btn", disabled: true}, "View"))))));
}

async function showBoard(challenge, box, split) {
  const load = async (number) => {
    const {ok, data} = await get(`/api/jobs/challenge_phase_split/${split.id}/leaderboard/?page=${number}&page_size=100`);
    if (!ok) return box.replaceChildren(el("p", {class: "fs-16 w-300"}, data.error ?? "Not found."));
    if (!data.results.length) return box.replaceChildren(el("p", {class: "fs-16 w-300"}, "No results to show."));
    const turn = (step, text, on) => el("button", {class: `btn ${text.toLowerCase()}-page`, disabled: !on, onclick: () => load(number + step)}, text);
    box.replaceChildren(el("p", {}, `${data.count} entries`),
      boardTable(data.results, (number - 1) * 100 + 1, split.leaderboard_decimal_precision),
      el("div", {class: "pager"}, turn(-1, "Prev", number > 1), turn(1, "Next", data.next !== null)));
  };
  await load(1);
}

async function leaderboard(challenge, wanted) {
  const {data: splits} = await get(`/api/challenges/${challenge.id}/challenge_phase_split`);
  const root = `/web/challenges/challenge-page/${challenge.id}/leaderboard`;
  const options = splits.map((split) => el("a", {href: `${root}/${split.id}`},
    `Phase: ${split.challenge_phase_name}, Split: ${split.dataset_split_name}`));
  const box = el("div", {class: "horizontal-scroll"});
  framed(challenge, "leaderboard", titled("Leaderboard", el("div", {class: "phase-select"}, options), box));
  const split = splits.find((one) => String(one.id) === wanted);
  if (split) await showBoard(challenge, box, split);
  else box.append(el("p", {}, "Select a phase."));
}

async function challengePage(slug, tab, rest) {
  const {ok, data: challenge} = await get(`/api/challenges/challenge/${slug}/`);
  if (!ok) return view.replaceChildren(el("h4", {}, "This challenge does not exist."));
  const {data: phases} = await get(`/api/challenges/challenge/${slug}/challenge_phase`);
  if (tab === "leaderboard") return leaderboard(challenge, rest);
  if (tab === "evaluation") {
    return framed(challenge, tab, titled("Evaluation Criteria", written(challenge.evaluation_details)),
      titled("Terms and Conditions", written(challenge.terms_and_conditions)),
      titled("Submission Guidelines", written(challenge.submission_guidelines)));
  }
  if (tab === "phases") {
    return framed(challenge, tab, titled("Phases", ...phases.results.map((phase) =>
      el("p", {}, el("strong", {}, phase.name), ` ${phase.start_date ?? ""} to ${phase.end_date ?? ""}`))));
  }
  framed(challenge, tab, tab === "overview" ? titled("Overview", written(challenge.description)) : titled("Participate", "Log in to participate."));
}

async function list() {
  const found = [];
  for (const when of ["present", "future", "past"]) {
    found.push(...(await get(`/api/challenges/challenge/${when}/approved/public`)).data.results);
  }
  view.replaceChildren(el("h5", {}, "All challenges"), ...found.map((one) => el("div", {class: "ev-challenge-card"},
    el("a", {href: `/web/challenges/challenge-page/${one.id}/overview`}, el("b", {}, one.title)), el("p", {}, one.short_description))));
}

const [, , page, slug, tab, rest] = location.pathname.split("/").map(decodeURIComponent);
const work = page === "challenges" && slug === "challenge-page" && tab
  ? challengePage(tab, rest || "overview", location.pathname.split("/")[6])
  : list();
work.finally(() => loader.classList.add("ng-hide"));
