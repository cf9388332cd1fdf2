// Overview: a table of contents from the h2 parts, of which only one is shown.
const article = document.getElementById("description-wrapper");
if (article) {
  const headings = [...article.querySelectorAll(":scope > h2")];
  const parts = headings.map((heading) => {
    const part = [heading];
    for (let next = heading.nextElementSibling; next && next.tagName !== "H2"; next = next.nextElementSibling) part.push(next);
    return part;
  });
  const contents = document.getElementById("table-of-contents");
  const show = (chosen) => {
    parts.forEach((part, index) => part.forEach((element) => { element.style.display = index === chosen ? "" : "none"; }));
    [...contents.children].forEach((item, index) => item.classList.toggle("active", index === chosen));
  };
  headings.forEach((heading, index) => {
    const item = document.createElement("li");
    item.textContent = heading.textContent;
    item.addEventListener("click", () => show(index));
    contents.append(item);
  });
  if (headings.length) show(0);
}

// Leaderboard: near the footer, ask for the next page; a page of fewer than 10 rows was the last.
const board = document.querySelector(".table-leaderboard");
const footer = document.querySelector(".app-footer");
if (board) {
  const enough = (rows) => rows >= 10;
  let more = enough(board.rows.length);
  const next = async () => {
    if (!more || board.dataset.requestCompleted !== "true") return;
    if (footer.getBoundingClientRect().top > innerHeight + 200) return;
    board.dataset.requestCompleted = "false";
    const url = new URL(location.href);
    const page = Number(board.dataset.page) + 1;
    url.searchParams.set("page", page);
    const headers = {"X-Requested-With": "XMLHttpRequest", Accept: "text/javascript, application/javascript, */*; q=0.01"};
    const answer = await fetch(url, {headers});
    const before = board.rows.length;
    if (answer.ok) {
      const script = document.createElement("script");
      script.text = await answer.text();
      document.head.append(script);
      script.remove();
      board.dataset.page = page;
    }
    more = answer.ok && enough(board.rows.length - before);
    board.dataset.requestCompleted = "true";
    next();
  };
  addEventListener("scroll", next, {passive: true});
  addEventListener("resize", next, {passive: true});
  next();
}
