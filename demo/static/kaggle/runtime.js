// What every view uses: elements, hashed class names, remote calls, dates.
const build = document.querySelector('meta[name="build-hash"]').content;
const sheet = document.head.appendChild(document.createElement("style"));
const known = new Map();

function hash(text) {
  let value = 2166136261;
  for (const letter of text) value = Math.imul(value ^ letter.codePointAt(0), 16777619) >>> 0;
  return value.toString(36).replace(/[0-9]/g, (digit) => "ghijklmnop"[digit]).slice(0, 6);
}

// A class name that is another one in each build, with its rules.
export function styled(name, rules) {
  if (!known.has(name)) {
    const own = hash(build + name);
    sheet.append(`.${own}{${rules}}`);
    known.set(name, `sc-${hash(name + build)} ${own}`);
  }
  return known.get(name);
}

export function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "onclick") element.addEventListener("click", value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== undefined && value !== null && value !== false) element.setAttribute(name, value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

// An icon is a word in an icon font; here, as in a text dump, it is the word.
export function icon(word) {
  return el("i", {class: styled("icon", "font:12px monospace;color:#9aa0a6"), "aria-hidden": "true"}, word);
}

export function link(href, ...children) {
  return el("a", {href}, ...children);
}

export class CallError extends Error {
  constructor(status) {
    super(`The call failed with status ${status}.`);
    this.status = status;
  }
}

function cookie(name) {
  const found = document.cookie.split("; ").find((part) => part.startsWith(`${name}=`));
  return found ? decodeURIComponent(found.slice(name.length + 1)) : "";
}

export async function call(method, body) {
  const headers = {"Content-Type": "application/json", "X-XSRF-TOKEN": cookie("XSRF-TOKEN"),
                   "X-Kaggle-Build-Version": cookie("build-hash")};
  const answer = await fetch(`/api/i/${method}`, {method: "POST", headers, body: JSON.stringify(body)});
  if (!answer.ok) throw new CallError(answer.status);
  return answer.json();
}

export function count(number, word) {
  return `${number.toLocaleString("en-US")} ${word}${number === 1 ? "" : "s"}`;
}

const UNITS = [["year", 31557600], ["month", 2629800], ["day", 86400], ["hour", 3600], ["minute", 60]];

// Relative words, the whole date in the title; a date that is not understood is shown as it is.
export function moment(text, short = false) {
  if (!text) return el("span", {});
  const date = new Date(text);
  if (isNaN(date)) return el("span", {title: text}, text);
  const seconds = (Date.now() - date) / 1000;
  const [unit, length] = UNITS.find(([, length]) => Math.abs(seconds) >= length) ?? UNITS.at(-1);
  const number = Math.max(1, Math.round(Math.abs(seconds) / length));
  const brief = {year: "y", month: "mo", day: "d", hour: "h", minute: "m"}[unit];
  const long = `${count(number, unit)} ${seconds < 0 ? "to go" : "ago"}`;
  return el("span", {title: date.toString()}, short ? `${number}${brief}` : long);
}
