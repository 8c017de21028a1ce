// What the theme leaves out for readers who do not see the page or have no mouse.
document.addEventListener("DOMContentLoaded", () => {
  for (const caption of document.querySelectorAll("p.caption[role=heading]")) caption.ariaLevel = "2";
  document.querySelector("aside.sidebar-drawer")?.setAttribute("aria-label", "Contents");
  document.querySelector("aside.toc-drawer")?.setAttribute("aria-label", "On this page");
  for (const block of document.querySelectorAll("pre")) {
    if (block.scrollWidth > block.clientWidth) block.tabIndex = 0; // it scrolls by the arrows, too
  }
});
