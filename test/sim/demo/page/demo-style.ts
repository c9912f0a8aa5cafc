/** The demo's page, on top of the style of the simulated forge. */
export const demoStyle = `
.badge { background: #667180; }
.badge.failed { background: #c4313d; } .badge.success { background: #1a7f37; } .badge.pending, .badge.running { background: #96690a; }
main { max-width: 1180px; padding: 0 20px 64px; }
.skip { position: absolute; left: -999px; } .skip:focus { left: 12px; top: 8px; background: var(--card); padding: 6px 12px; z-index: 9; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
.top { display: flex; flex-wrap: wrap; gap: 4px 18px; align-items: baseline; padding: 20px 0 14px; }
.top h1 { margin: 0; font-size: 24px; } .top p { margin: 0; color: var(--soft); }
.top a { margin-left: auto; font-size: 14px; }
.tabs { position: sticky; top: 0; z-index: 2; background: var(--ground); padding: 6px 0 0; margin-bottom: 22px;
  border-bottom: 1px solid var(--line); }
.tabs ol { list-style: none; display: flex; gap: 4px; margin: 0; padding: 0; overflow-x: auto; scrollbar-width: thin; }
.tabs li { flex: 1 0 auto; position: relative; }
.tabs a, .tabs span.off { display: flex; gap: 9px; align-items: center; padding: 10px 14px 11px; color: var(--soft);
  border-bottom: 3px solid transparent; white-space: nowrap; font-size: 14px; font-weight: 600; }
.tabs a:hover { color: var(--text); text-decoration: none; }
.tabs a:focus-visible { outline-offset: -3px; }
.tabs a[aria-current] { color: var(--text); border-color: var(--accent); }
.tabs .off { opacity: .75; font-weight: 400; }
.dot { width: 11px; height: 11px; border-radius: 50%; background: var(--grey); flex: none; }
.dot.lgtm { background: var(--green); } .dot.feedback { background: var(--red); } .dot.inconclusive { background: var(--amber); }
.dot.kill { border-radius: 2px; background: var(--violet); } .dot.wait { background: none; border: 2px solid var(--grey); }
.lead { display: block; border: 0; margin: 0 0 20px; padding: 0; color: var(--text); }
.lead h2 { font-size: 26px; line-height: 1.25; margin: 0 0 6px; }
.lead h2 small { font-size: 16px; font-weight: 400; color: var(--soft); margin-left: 8px; white-space: nowrap; }
.lead p { margin: 0; font-size: 17px; line-height: 1.55; max-width: 74ch; }
.columns { display: grid; grid-template-columns: minmax(0, 1fr) 290px; gap: 26px; align-items: start; }
.side { position: sticky; top: 70px; }
.side .card { padding: 14px 16px 15px; }
.side h3 { margin: 0 0 8px; font-size: 13px; color: var(--soft); font-weight: 600; }
.side .big { font-size: 25px; font-weight: 650; line-height: 1.2; } .side .big small { font-size: 14px; color: var(--soft); font-weight: 400; }
.side p { margin: 8px 0 0; font-size: 14px; color: var(--soft); }
.meter { display: flex; height: 12px; margin: 11px 0 0; border-radius: 6px; background: var(--code); overflow: hidden;
  box-shadow: inset 0 0 0 1px var(--line); }
.meter i { display: block; background: var(--accent); opacity: .5; border-right: 1px solid var(--card); }
.meter i.now { opacity: 1; }
.side dl { display: grid; grid-template-columns: 1fr auto; gap: 3px 12px; margin: 11px 0 0; font-size: 14px; }
.side dt { color: var(--soft); } .side dd { margin: 0; text-align: right; font-variant-numeric: tabular-nums; }
.part { font-size: 15px; margin: 26px 0 10px; font-weight: 650; } .part:first-child { margin-top: 0; }
.part .soft { font-weight: 400; }
.tag { border: 1px solid var(--line); border-radius: 999px; padding: 0 9px; font-size: 12.5px; color: var(--soft); white-space: nowrap; }
.tag.model { border-color: var(--violet); color: var(--violet); font-weight: 600; }
.tag.resolved { border-color: var(--green); color: var(--green); } .tag.person { border-color: var(--amber); color: var(--amber); font-weight: 600; }
.tag.fresh { border-color: var(--accent); color: var(--accent); font-weight: 600; }
.thread { margin: 0 0 14px; background: var(--card); border-radius: 8px; }
.thread > .where { flex-wrap: wrap; gap: 5px 10px; align-items: center; padding: 9px 16px; }
.thread > .where .tags { margin-left: auto; display: flex; flex-wrap: wrap; gap: 6px; }
.thread .said > header { padding: 10px 16px 0; } .thread .said .body { padding: 6px 16px 12px; }
.thread .said.fresh, .card.fresh { box-shadow: inset 3px 0 0 var(--accent); }
details.more { border: 1px solid var(--line); border-radius: 8px; background: var(--card); margin-bottom: 14px; }
details.more > summary { cursor: pointer; padding: 11px 16px; color: var(--accent); font-size: 14px; }
details.more > .inner { padding: 4px 14px 1px; }
.steps { display: flex; justify-content: space-between; gap: 12px; margin-top: 26px; }
.steps a, button { display: inline-block; font: inherit; font-weight: 600; border-radius: 8px; padding: 10px 18px; border: 1px solid var(--line);
  background: var(--card); color: var(--text); cursor: pointer; }
.steps a:hover { text-decoration: none; border-color: var(--accent); }
.steps a.next, button { background: #2457c5; border-color: #2457c5; color: #fff; }
button.kill { background: #b3202c; border-color: #b3202c; font-size: 16px; padding: 12px 22px; }
button:hover { filter: brightness(1.1); } button[disabled] { opacity: .55; cursor: not-allowed; }
form { margin: 18px 0 22px; }
.body .table, .table { overflow-x: auto; }
.body table { width: 100%; } .body h3:first-child { margin-top: 0; }
.log { list-style: none; margin: 0; padding: 6px 0; } .log li { display: flex; gap: 14px; padding: 7px 16px; }
.log time { margin: 0; color: var(--soft); min-width: 54px; text-align: right; font-variant-numeric: tabular-nums; font-size: 14px; }
.log li.killed { color: var(--red); font-weight: 600; } .log li.done { color: var(--green); font-weight: 600; }
table.counts { width: 100%; border-collapse: collapse; font-size: 14.5px; }
table.counts th, table.counts td { text-align: left; padding: 8px 16px; border-top: 1px solid var(--line); overflow-wrap: anywhere; }
table.counts thead th { border-top: 0; color: var(--soft); font-weight: 600; font-size: 13px; }
table.counts .times { text-align: right; width: 92px; font-weight: 700; font-variant-numeric: tabular-nums; }
table.counts .once { color: var(--green); } table.counts .none { color: var(--soft); } table.counts .many { color: var(--red); }
.waiting { display: flex; gap: 12px; align-items: center; color: var(--soft); padding: 18px 0; }
.spin { width: 16px; height: 16px; border: 3px solid var(--line); border-top-color: var(--accent); border-radius: 50%; animation: spin 1s linear infinite; }
@keyframes spin { to { transform: rotate(1turn); } }
@media (prefers-reduced-motion: reduce) { .spin { animation: none; } }
footer { margin-top: 34px; }
@media (max-width: 860px) {
  .columns { grid-template-columns: minmax(0, 1fr); gap: 4px; }
  .side { position: static; order: -1; display: grid; grid-template-columns: 1fr 1fr; gap: 12px; }
  .side .card { margin-bottom: 12px; }
}
@media (max-width: 560px) {
  main { padding: 0 14px 48px; } .top { padding-top: 14px; } .top a { margin-left: 0; }
  .lead h2 { font-size: 22px; } .lead p { font-size: 16px; }
  .side { grid-template-columns: minmax(0, 1fr); gap: 0; }
  .thread > .where .tags { margin-left: 0; } table.lines td.no { min-width: 32px; width: 32px; padding: 0 5px; }
  table.counts th, table.counts td { padding: 8px 10px; } table.counts .times { width: 64px; }
  .log li { padding: 7px 12px; gap: 10px; } .log time { min-width: 44px; }
  .side .status dl { display: none; } .body table td:nth-child(4) { white-space: nowrap; }
  .body { padding: 11px 13px; overflow-x: auto; } .body table { font-size: 13px; } .body th, .body td { padding: 4px 7px; }
}
`;
