// Light or dark: the system's choice until the button is pressed.
document.getElementById("theme").addEventListener("click", () => {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
});

// Maps: the mark pointed at, its relatives in every map, and its sentence.
const relatives = (id) => document.querySelectorAll(`.map [data-id="${CSS.escape(id)}"]`);
const clear = () => document.querySelectorAll(".map .lit").forEach((mark) => mark.classList.remove("lit"));
for (const figure of document.querySelectorAll(".mapped")) {
  const reading = figure.querySelector(".reading");
  const read = (event) => {
    const mark = event.target.closest(".mark");
    if (!mark) return;
    clear();
    relatives(mark.dataset.id).forEach((other) => other.classList.add("lit"));
    figure.closest(".grid").classList.add("pointing");
    const what = document.createElement("b");
    what.textContent = mark.dataset.what;
    const text = document.createElement("bdi");
    text.textContent = mark.dataset.text;
    reading.replaceChildren(what, " ", text);
  };
  figure.addEventListener("pointerover", read);
  figure.addEventListener("click", read);
  figure.addEventListener("pointerleave", () => {
    clear();
    figure.closest(".grid").classList.remove("pointing");
  });
}
