// The script variant: the body of the same address arrives in a second request.
const url = new URL(location.href);
url.searchParams.set("fragment", "1");
fetch(url).then((answer) => answer.text()).then((text) => {
  const page = new DOMParser().parseFromString(text, "text/html");
  document.title = page.title;
  document.getElementById("app").replaceChildren(...page.body.childNodes);
});
