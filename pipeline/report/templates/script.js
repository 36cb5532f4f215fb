// Light or dark: the system's choice until the button is pressed.
document.getElementById("theme").addEventListener("click", () => {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
});

// Maps: light the mark pointed at and all marks of its sentence, and show its text.
const texts = document.querySelectorAll("#map-texts li");
const marksOf = (figure, id) => figure.querySelectorAll(`.map [data-id="${CSS.escape(id)}"]`);
const clear = () => document.querySelectorAll(".map .lit").forEach((mark) => mark.classList.remove("lit"));
for (const figure of document.querySelectorAll(".mapped")) {
  const reading = figure.querySelector(".reading");
  const read = (event) => {
    const mark = event.target.closest(".mark");
    if (!mark) return;
    clear();
    marksOf(figure, mark.dataset.id).forEach((other) => other.classList.add("lit"));
    figure.closest(".grid").classList.add("pointing");
    const what = document.createElement("b");
    what.textContent = mark.querySelector("title").textContent;
    const text = document.createElement("bdi");
    text.textContent = texts[mark.dataset.text].textContent;
    reading.replaceChildren(what, " ", text);
  };
  figure.addEventListener("pointerover", read);
  figure.addEventListener("click", read);
  figure.addEventListener("pointerleave", () => {
    clear();
    figure.closest(".grid").classList.remove("pointing");
  });
}

// Wide tables: their edge fades while there is more beyond it.
const mark = () => {
  for (const box of document.querySelectorAll(".scroll"))
    box.classList.toggle("more", box.scrollLeft + box.clientWidth < box.scrollWidth - 1);
};
for (const event of ["load", "resize", "scroll", "toggle", "click", "change"]) addEventListener(event, mark, true);

// Folded sections: open the one that a link or the address names, and all of them for the printer.
const unfold = () => {
  const section = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const fold = section && section.querySelector(":scope > details.fold");
  if (!fold) return;
  fold.open = true;
  section.scrollIntoView();
};
addEventListener("hashchange", unfold);
document.querySelectorAll('a[href^="#"]').forEach((link) => link.addEventListener("click", () => setTimeout(unfold)));
addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((one) => (one.open = true)));
unfold();

// Contents: mark the section that is being read.
const links = new Map([...document.querySelectorAll("nav a")].map((link) => [link.hash.slice(1), link]));
const seen = new IntersectionObserver(
  (entries) => {
    for (const entry of entries) {
      if (!entry.isIntersecting) continue;
      links.forEach((link) => link.removeAttribute("aria-current"));
      links.get(entry.target.id)?.setAttribute("aria-current", "true");
    }
  },
  { rootMargin: "-20% 0px -70% 0px" },
);
document.querySelectorAll("main > section").forEach((section) => seen.observe(section));
