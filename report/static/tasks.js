// Filters over the list of tasks. The tasks come from data/tasks-*.js; the state is in the address after #, so
// that a selection can be linked to. Strangers' text reaches the page as text only.
"use strict";

(() => {
  const STEP = 100;
  const [ID, TITLE, MODALITY, DOMAIN, LEVEL, PLATFORM, DIFFICULTY, TEAMS, RULES] = [0, 1, 2, 3, 4, 5, 6, 7, 8];
  const form = document.getElementById("filters");
  const rows = document.getElementById("rows");
  const count = document.getElementById("count");
  const more = document.getElementById("more");
  const names = JSON.parse(form.dataset.names);
  const numbers = new Intl.NumberFormat("en");
  const collator = new Intl.Collator("en", { numeric: true });
  const tasks = (window.tamTasks || []).map((task) => ({
    task,
    text: `${task[TITLE]} ${task[ID]}`.toLowerCase(),
  }));
  let found = [];
  let shown = 0;

  const FIELDS = ["q", "modality", "level", "platform", "domain", "screening", "sort"];
  const ORDERS = {
    "": (a, b) => collator.compare(a.task[TITLE], b.task[TITLE]) || (a.task[ID] < b.task[ID] ? -1 : 1),
    hardest: (a, b) => (b.task[DIFFICULTY] ?? -Infinity) - (a.task[DIFFICULTY] ?? -Infinity),
    easiest: (a, b) => (a.task[DIFFICULTY] ?? Infinity) - (b.task[DIFFICULTY] ?? Infinity),
    teams: (a, b) => (b.task[TEAMS] ?? -1) - (a.task[TEAMS] ?? -1),
  };

  function named(kind, code) {
    return code < 0 ? "unknown" : names[kind][code];
  }

  function matches({ task, text }, wanted) {
    for (const [kind, column] of [["modality", MODALITY], ["level", LEVEL], ["domain", DOMAIN]]) {
      if (wanted[kind] && named(kind, task[column]) !== wanted[kind]) return false;
    }
    if (wanted.platform && task[PLATFORM] !== wanted.platform) return false;
    const failed = task[RULES];
    if (wanted.screening === "kept" && failed.length) return false;
    if (wanted.screening === "rejected" && !failed.length) return false;
    const rule = names.rule.indexOf(wanted.screening);
    if (rule >= 0 && !failed.includes(rule)) return false;
    return wanted.words.every((word) => text.includes(word));
  }

  function cell(row, text, kind = "") {
    const made = row.insertCell();
    made.className = kind;
    made.textContent = text;
    return made;
  }

  function level(row, code) {
    if (code < 0) {
      cell(row, "not known");
      return;
    }
    const mark = document.createElement("span");
    mark.className = `level level-${names.level[code]}`;
    mark.textContent = names.level[code];
    cell(row, "").append(mark);
  }

  function rowOf({ task }) {
    const row = document.createElement("tr");
    const head = document.createElement("th");
    head.scope = "row";
    const link = document.createElement("a");
    link.href = `tasks/${encodeURIComponent(task[ID])}.html`;
    link.textContent = task[TITLE];
    const id = document.createElement("small");
    id.textContent = task[ID];
    head.append(link, id);
    row.append(head);
    cell(row, task[MODALITY] < 0 ? "–" : named("modality", task[MODALITY]), "mid");
    level(row, task[LEVEL]);
    cell(row, task[DOMAIN] < 0 ? "–" : named("domain", task[DOMAIN]), "wide");
    cell(row, task[DIFFICULTY] === null ? "–" : task[DIFFICULTY].toFixed(2), "n wide");
    cell(row, task[TEAMS] === null ? "–" : numbers.format(task[TEAMS]), "n wide");
    const failed = task[RULES].map((rule) => names.said[rule]).join(", ");
    cell(row, failed || "kept", failed ? "no" : "");
    return row;
  }

  function showMore() {
    const next = found.slice(shown, shown + STEP);
    const first = shown;
    rows.append(...next.map(rowOf));
    shown += next.length;
    more.hidden = shown >= found.length;
    more.textContent = `Show ${numbers.format(Math.min(STEP, found.length - shown))} more`;
    return rows.rows[first];
  }

  function show() {
    const wanted = Object.fromEntries(FIELDS.map((name) => [name, form.elements[name].value]));
    wanted.words = wanted.q.toLowerCase().split(/\s+/).filter(Boolean);
    found = tasks.filter((one) => matches(one, wanted)).sort(ORDERS[wanted.sort] || ORDERS[""]);
    rows.replaceChildren();
    shown = 0;
    showMore();
    const all = numbers.format(tasks.length);
    const noun = tasks.length === 1 ? "task" : "tasks";
    count.textContent = found.length === tasks.length ? `${all} ${noun}` : `${numbers.format(found.length)} of ${all} ${noun}`;
  }

  function remember() {
    const state = new URLSearchParams();
    for (const name of FIELDS) {
      if (form.elements[name].value) state.set(name, form.elements[name].value);
    }
    const text = state.toString();
    history.replaceState(null, "", text ? `#${text}` : location.pathname + location.search);
  }

  function recall() {
    const state = new URLSearchParams(location.hash.slice(1));
    for (const name of FIELDS) {
      const field = form.elements[name];
      field.value = state.get(name) || "";
      if (field.value === "" && field.options) field.selectedIndex = 0;
    }
    show();
  }

  form.hidden = false;
  form.addEventListener("input", () => { remember(); show(); });
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(() => { remember(); show(); form.elements.q.focus(); }));
  more.addEventListener("click", () => showMore()?.querySelector("a").focus());
  addEventListener("hashchange", recall);
  recall();
})();
