"use strict";
const findings = [...document.querySelectorAll("details.finding")];
const programs = [...document.querySelectorAll("section.program")];

function filter() {
  const shown = new Set([...document.querySelectorAll("nav input[type=checkbox]")].filter(b => b.checked).map(b => b.value));
  const words = document.querySelector("nav input[type=search]").value.toLowerCase().split(/\s+/).filter(w => w);
  for (const f of findings) {
    const text = f.dataset.text;
    f.classList.toggle("hidden", !shown.has(f.dataset.verdict) || !words.every(w => text.includes(w)));
  }
  let count = 0;
  for (const p of programs) {
    const own = [...p.querySelectorAll("details.finding")].filter(f => !f.classList.contains("hidden")).length;
    const broken = p.querySelector(".error") !== null && words.every(w => p.dataset.file.includes(w));
    p.classList.toggle("hidden", own === 0 && !broken);
    count += own;
  }
  document.querySelector("#count").textContent = `${count} of ${findings.length} shown`;
}

function step(table, by) {
  const rows = [...table.querySelectorAll("tr.step")];
  const now = rows.findIndex(r => r.classList.contains("now"));
  const next = Math.max(0, Math.min(rows.length - 1, now + by));
  if (now >= 0) rows[now].classList.remove("now");
  const row = rows[next];
  row.classList.add("now");
  if (row.parentElement.classList.contains("folded")) row.parentElement.classList.add("open");
  row.scrollIntoView({block: "nearest"});
  const told = table.parentElement.querySelector(".current");
  told.textContent = row.dataset.said;
}

for (const input of document.querySelectorAll("nav input")) input.addEventListener("input", filter);
for (const button of document.querySelectorAll("button[data-by]"))
  button.addEventListener("click", () => step(button.closest("div.run").querySelector("table"), Number(button.dataset.by)));
for (const button of document.querySelectorAll("button.unfold"))
  button.addEventListener("click", () => { button.closest("tbody").nextElementSibling.classList.add("open"); button.closest("tr").remove(); });
for (const row of document.querySelectorAll("tr.step")) row.addEventListener("click", () => {
  const table = row.closest("table");
  step(table, [...table.querySelectorAll("tr.step")].indexOf(row) - [...table.querySelectorAll("tr.step")].findIndex(r => r.classList.contains("now")));
});
document.addEventListener("keydown", event => {
  if (event.target.tagName === "INPUT" || !["ArrowDown", "ArrowUp", "ArrowRight", "ArrowLeft"].includes(event.key)) return;
  const open = findings.filter(f => f.open && !f.classList.contains("hidden") && f.querySelector("div.run table"));
  const mine = open.find(f => f.contains(document.activeElement)) || open[0];
  if (!mine) return;
  event.preventDefault();
  step(mine.querySelector("div.run table"), event.key === "ArrowDown" || event.key === "ArrowRight" ? 1 : -1);
});
filter();
