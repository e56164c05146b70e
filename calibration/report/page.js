"use strict";

// Recordings one at a time: a list to choose from, the one before and the next. Without a script all are shown.

function add(parent, tag, attributes) {
  const element = Object.assign(document.createElement(tag), attributes);
  parent.append(element);
  return element;
}

for (const browser of document.querySelectorAll(".browser")) {
  const figures = [...browser.querySelectorAll("figure")];
  const names = [...new Set(figures.map((figure) => figure.dataset.name))];
  if (names.length < 2) continue;
  const show = (name) => {
    for (const figure of figures) figure.hidden = figure.dataset.name !== name;
    list.value = name;
  };
  const controls = document.createElement("div");
  controls.className = "controls";
  browser.querySelector(".figures").before(controls);
  const step = (by) => show(names[(names.indexOf(list.value) + by + names.length) % names.length]);
  add(controls, "button", { type: "button", textContent: "◀", ariaLabel: "the one before", onclick: () => step(-1) });
  const list = add(controls, "select", { ariaLabel: "what is shown", onchange: () => show(list.value) });
  for (const name of names) add(list, "option", { value: name, textContent: name });
  add(controls, "button", { type: "button", textContent: "▶", ariaLabel: "the next one", onclick: () => step(1) });
  show(names[0]);
}

// The ball along the fitted path: a slider over time, and a button that plays it in about six seconds.
const SECONDS = 6;

for (const figure of document.querySelectorAll(".motion")) {
  const { time, paths } = JSON.parse(figure.dataset.frames);
  const balls = figure.querySelectorAll(".ball");
  const last = time[time.length - 1];
  const slowed = Math.max(1, Math.round(SECONDS / last));
  const controls = document.createElement("div");
  controls.className = "controls";
  figure.querySelector("svg").after(controls);
  const play = add(controls, "button", { type: "button", textContent: "Play" });
  const slider = add(controls, "input", { type: "range", min: 0, max: last, step: last / 1000, value: 0, ariaLabel: "time" });
  const clock = add(controls, "span", { className: "time" });
  let playing = false;

  function at(now) {
    const after = Math.max(1, time.findIndex((moment) => moment >= now));
    const part = (now - time[after - 1]) / (time[after] - time[after - 1]);
    balls.forEach((ball, k) => {
      const [from, to] = [paths[k][after - 1], paths[k][after]];
      ball.setAttribute("cx", from[0] + part * (to[0] - from[0]));
      ball.setAttribute("cy", from[1] + part * (to[1] - from[1]));
    });
    clock.textContent = `${now.toFixed(3)} s`;
  }

  function stop() {
    playing = false;
    play.textContent = "Play";
  }

  function start() {
    const from = Number(slider.value) >= last ? 0 : Number(slider.value);
    let began;
    playing = true;
    play.textContent = slowed > 1 ? `Stop (${slowed} times slower)` : "Stop";
    requestAnimationFrame(function frame(moment) {
      began ??= moment;
      const now = Math.min(from + (moment - began) / 1000 / slowed, last);
      if (!playing) return;
      slider.value = now;
      at(now);
      if (now >= last) stop();
      else requestAnimationFrame(frame);
    });
  }

  play.onclick = () => (playing ? stop() : start());
  slider.oninput = () => {
    stop();
    at(Number(slider.value));
  };
  at(0);
}

// What is folded is printed, too.
let folded = [];
addEventListener("beforeprint", () => {
  folded = [...document.querySelectorAll("details:not([open])")];
  for (const one of folded) one.open = true;
});
addEventListener("afterprint", () => {
  for (const one of folded) one.open = false;
});
