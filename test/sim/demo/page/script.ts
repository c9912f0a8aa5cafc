/** The page's only script. Without it every page still works: then a page that waits reloads itself. */
export const demoScript = `'use strict';
const every = 400;
const isTyping = (target) => target instanceof Element && target.closest('input, textarea, select, [contenteditable]') !== null;
document.addEventListener('keydown', (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || isTyping(event.target)) return;
  const id = { ArrowLeft: 'before', ArrowRight: 'next' }[event.key];
  const link = id === undefined ? null : document.getElementById(id);
  if (link !== null) link.click();
});
const show = (text) => {
  const fresh = new DOMParser().parseFromString(text, 'text/html');
  const focused = document.activeElement === null ? '' : document.activeElement.id;
  const [page, next] = [document.getElementById('page'), fresh.getElementById('page')];
  if (page === null || next === null) return;
  if (page.innerHTML !== next.innerHTML) page.replaceWith(next);
  if (focused !== '') document.getElementById(focused)?.focus({ preventScroll: true });
  const [live, said] = [document.getElementById('live'), fresh.getElementById('live')];
  if (live.textContent !== said.textContent) live.textContent = said.textContent;
  document.body.dataset.live = fresh.body.dataset.live;
};
const follow = async () => {
  if (document.body.dataset.live !== 'true') return;
  try {
    const answer = await fetch(location.pathname, { signal: AbortSignal.timeout(5000) });
    if (answer.ok) show(await answer.text());
  } catch {
    // The demo was stopped: what was shown last stays.
  }
  setTimeout(follow, every);
};
setTimeout(follow, every);
document.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' });
`;
