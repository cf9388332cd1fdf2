// The pages of the site: a list, and a competition whose tabs stand behind the hash. Everything comes as JSON.
function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "onclick") element.addEventListener("click", value);
    else if (value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.flat());
  return element;
}

async function get(path) {
  const answer = await fetch(path);
  return {ok: answer.ok, data: await answer.json()};
}

const MEDALS = ["gold", "silver", "bronze", "fourth-place", "fifth-place"];

// The first five places are pictures without a digit.
function place(number) {
  if (number > MEDALS.length) return [String(number)];
  const box = el(`${MEDALS[number - 1]}-medal`);
  box.innerHTML = '<svg width="26" height="30" viewBox="0 0 26 30"><circle cx="13" cy="17" r="10"></circle></svg>';
  return [box];
}

function prettyDate(text) {
  const found = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)/.exec(text ?? "");
  return found ? `${found[1]} ${found[2]}` : text ?? "";
}

function scoreOf(column, submission) {
  const found = submission.scores.find((one) => one.task_id === column.task_id && one.column_key === column.key);
  return found ? found.score : "n/a";
}

function board(answer) {
  const columns = answer.tasks.flatMap((task) => task.columns.map((column) => ({...column, task_id: task.id})));
  const wide = {colspan: "100%", class: "center aligned"};
  const head = el("thead", {},
    el("tr", {}, el("th", wide, el("p", {class: "leaderboard-title"}, answer.title))),
    el("tr", {class: "task-row"}, el("th", {}, "Task:"), el("th", {colspan: 3}),
      answer.tasks.map((task) => el("th", {class: "center aligned", colspan: task.colWidth}, task.name))),
    el("tr", {}, ["#", "Participant", "Date", "ID"].map((text) => el("th", {}, text)),
      columns.map((column) => el("th", {colspan: 1}, column.title))));
  const body = el("tbody", {}, answer.submissions.map((one, index) => el("tr", {},
    el("td", {class: "collapsing index-column center aligned"}, ...place(index + 1)),
    el("td", {}, el("a", {href: one.slug_url}, one.owner)), el("td", {}, prettyDate(one.created_when)), el("td", {}, String(one.id)),
    columns.map((column) => el("td", {}, el("span",
      {class: column.index === answer.primary_index && one.scores.length > 1 ? "text-bold" : ""}, scoreOf(column, one)))))));
  if (!answer.submissions.length) {
    body.append(el("tr", {class: "center aligned"},
      el("td", {colspan: "100%"}, el("em", {}, "No submissions have been added to this leaderboard yet!"))));
  }
  return el("table", {id: "leaderboardTable", class: "ui celled selectable sortable table"}, head, body);
}

const TABS = {"pages-tab": "Get Started", "phases-tab": "Phases", "participate-tab": "My Submissions", "results-tab": "Results"};

async function showCompetition(root) {
  const {ok, data} = await get(`/api/competitions/${root.getAttribute("competition_pk")}/`);
  if (!ok) return root.replaceChildren(el("h1", {}, "This competition could not be loaded"));
  const tabs = Object.fromEntries(Object.keys(TABS).map((name) => [name, el("div", {class: `${name} ui tab`, "data-tab": name})]));
  fillPages(tabs["pages-tab"], data);
  tabs["phases-tab"].append(...data.phases.map((phase) => el("div", {}, el("b", {}, phase.name), " ",
    `Start: ${prettyDate(phase.start)} End: ${prettyDate(phase.end)}`)));
  tabs["participate-tab"].append("You must log in to submit.");
  const menu = Object.entries(TABS).map(([name, text]) =>
    el("div", {class: "item", "data-tab": name, onclick: () => { location.hash = `/${name}`; }}, text));
  root.replaceChildren(
    el("div", {class: "competition-name underline"}, data.title), el("p", {}, data.description),
    el("div", {}, el("span", {class: "detail-label"}, "Organized by: "), data.owner_display_name),
    el("div", {}, `${data.participants_count} Participants, ${data.submissions_count} Submissions`),
    data.reward ? el("div", {class: "reward-text"}, data.reward) : "",
    el("div", {class: "details-menu menu"}, menu), ...Object.values(tabs));
  let started = false;
  const select = () => {
    const name = location.hash.replace(/^#\//, "") in TABS ? location.hash.replace(/^#\//, "") : "pages-tab";
    for (const [key, tab] of Object.entries(tabs)) tab.classList.toggle("active", key === name);
    menu.forEach((item) => item.classList.toggle("active", item.dataset.tab === name));
    if (name === "results-tab" && !started) {
      started = true;
      results(tabs[name], data);
    }
  };
  addEventListener("hashchange", select);
  select();
}

function fillPages(tab, data) {
  const pages = data.terms ? [...data.pages, {index: data.pages.length, title: "Terms", content: data.terms}] : data.pages;
  const views = pages.map((page, index) => {
    const body = el("div", {class: "ui", id: `page_${index}`});
    if (page.title === "Terms" && index === data.pages.length) body.textContent = page.content;
    else body.innerHTML = page.content;
    return el("div", {class: `ui tab${index ? "" : " active"}`, "data-tab": `_tab_page${page.index}`}, body);
  });
  const items = pages.map((page, index) => el("div", {class: "item", onclick: () =>
    views.forEach((view, number) => view.classList.toggle("active", number === index))}, page.title));
  tab.append(el("div", {class: "pages-menu"}, items), ...views);
}

function results(tab, data) {
  if (!data.leaderboards.length) return tab.append(el("h2", {}, "No visible leaderboard for this benchmark"));
  const view = el("leaderboards", {class: "leaderboard-table"});
  const buttons = data.phases.map((phase) => el("div", {class: "ui button", onclick: () => choose(phase)}, phase.name));
  const filter = el("input", {type: "text", placeholder: "Filter Leaderboard by Columns"});
  const choose = async (phase) => {
    buttons.forEach((button, index) => button.classList.toggle("active", data.phases[index].id === phase.id));
    const answer = await get(`/api/phases/${phase.id}/get_leaderboard/`);
    if (answer.ok) view.replaceChildren(board(answer.data));
  };
  tab.append(el("div", {class: "ui button-container inline"}, buttons), filter, view);
  choose(data.phases.find((phase) => phase.is_final_phase) ?? data.phases[0]);
}

async function showList(root) {
  const page = new URLSearchParams(location.search).get("page") ?? "1";
  const {data} = await get(`/api/competitions/public/?page=${page}`);
  const turn = (step, text) => el("a", {href: `?page=${Number(page) + step}`, rel: step > 0 ? "next" : "prev"}, text);
  root.replaceChildren(el("h1", {}, "Public Benchmarks and Competitions"), el("p", {}, `${data.count} competitions`),
    ...data.results.map((one) => el("div", {class: "tile"}, el("a", {class: "comp-tile", href: `/competitions/${one.id}`}, one.title),
      el("div", {}, one.description), el("div", {}, `${one.participants_count} Participants`))),
    el("div", {class: "pagination"}, data.previous ? turn(-1, "Back") : "", data.next ? turn(1, "Next") : ""));
}

const detail = document.querySelector("competition-detail");
if (detail) showCompetition(detail);
else showList(document.querySelector("public-list"));
