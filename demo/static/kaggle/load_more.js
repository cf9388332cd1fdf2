// The row below the first 50: a click asks for all others and takes their place.
const kind = document.currentScript.dataset.kind;
const line = document.querySelector(".competition-leaderboard__load-more");
line?.addEventListener("click", async () => {
  const answer = await fetch(`${location.pathname.replace(/\/leaderboard.*/, "/leaderboard")}.json?includeBeforeUser=true&includeAfterUser=true&type=${kind}`);
  const {beforeUser, nearUser, afterUser} = await answer.json();
  const cell = (text, name) => {
    const element = document.createElement("td");
    element.setAttribute("data-th", name);
    element.textContent = text ?? "";
    return element;
  };
  const rows = [...beforeUser, ...nearUser, ...afterUser].map((row) => {
    const element = document.createElement("tr");
    element.className = "competition-leaderboard__row";
    element.append(cell(row.rank || "", "Rank"), cell("—", "Change"), cell(row.teamName, "Team Name"), cell("", "Kernel"),
      cell("", "Team Members"), cell(row.score, "Score"), cell(row.entries, "Number of Entries"), cell(row.last, "Last Entry"));
    return element;
  });
  line.replaceWith(...rows);
});
