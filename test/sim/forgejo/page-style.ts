export const pageStyle = `
:root {
  color-scheme: light dark;
  --ground: #f6f7f9; --card: #ffffff; --line: #d9dee5; --text: #1d2530; --soft: #5c6773; --accent: #2457c5;
  --add: #e3f6e8; --add-no: #c6ebd0; --del: #fdebec; --del-no: #f8d2d5; --code: #f1f3f6; --mark: #fff4c9;
  --green: #1a7f37; --red: #c4313d; --violet: #7447c9; --amber: #96690a; --grey: #667180;
}
@media (prefers-color-scheme: dark) { :root {
  --ground: #12161c; --card: #1a2029; --line: #303a47; --text: #dde4ec; --soft: #93a0af; --accent: #7aa7ff;
  --add: #16301f; --add-no: #1f452b; --del: #37191d; --del-no: #4d2228; --code: #232b36; --mark: #4a3f14;
  --green: #4ec26a; --red: #f1707a; --violet: #b596f5; --amber: #e0b252; --grey: #8a97a6;
} }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--text);
  font: 15px/1.55 system-ui, -apple-system, "Segoe UI", "Noto Sans", "DejaVu Sans", sans-serif; }
main { max-width: 1000px; margin: 0 auto; padding: 28px 20px 80px; }
a { color: var(--accent); text-decoration: none; } a:hover { text-decoration: underline; }
.path { color: var(--soft); font-size: 14px; margin-bottom: 6px; }
h1 { font-size: 26px; line-height: 1.3; margin: 0 0 10px; font-weight: 600; }
h1 .number { color: var(--soft); font-weight: 400; }
.lead { display: flex; flex-wrap: wrap; gap: 8px 10px; align-items: center; color: var(--soft);
  padding-bottom: 18px; border-bottom: 1px solid var(--line); margin-bottom: 22px; }
.badge { display: inline-block; border-radius: 999px; padding: 2px 11px; font-size: 13px; font-weight: 600; color: #fff; }
.badge.open, .badge.success, .badge.APPROVED { background: #1a7f37; }
.badge.closed, .badge.failure, .badge.error, .badge.REQUEST_CHANGES { background: #c4313d; }
.badge.merged { background: #7447c9; }
.badge.draft, .badge.COMMENT, .badge.skipped { background: #667180; }
.badge.pending, .badge.warning { background: #96690a; }
.ref, code { font: 13px/1.5 ui-monospace, "SF Mono", "DejaVu Sans Mono", monospace; background: var(--code);
  border-radius: 5px; padding: 1px 6px; color: var(--text); }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 8px; margin: 0 0 18px; overflow: hidden; }
.card > header { display: flex; flex-wrap: wrap; gap: 4px 10px; align-items: center; padding: 9px 16px; font-size: 14px;
  color: var(--soft); border-bottom: 1px solid var(--line); }
.card > header b { color: var(--text); }
.card.bare > header { border-bottom: 0; }
.card time { margin-left: auto; font-size: 13px; }
.avatar { display: inline-grid; place-items: center; width: 24px; height: 24px; border-radius: 50%; color: #fff;
  font-size: 12px; font-weight: 700; flex: none; }
.body { padding: 12px 16px; overflow-wrap: anywhere; }
.body > :first-child { margin-top: 0; } .body > :last-child { margin-bottom: 0; }
.body p, .body ul, .body ol, .body blockquote, .body figure, .body table { margin: 0 0 10px; }
.body h3, .body h4, .body h5, .body h6 { margin: 16px 0 8px; font-size: 16px; line-height: 1.35; }
.body h3 { font-size: 19px; } .body h4 { font-size: 17px; }
.body ul, .body ol { padding-left: 24px; } .body li { margin: 2px 0; }
.body blockquote { border-left: 3px solid var(--line); padding-left: 12px; color: var(--soft); }
.body hr { border: 0; border-top: 1px solid var(--line); margin: 16px 0; }
.body table { border-collapse: collapse; font-size: 14px; } .body th, .body td { border: 1px solid var(--line);
  padding: 4px 10px; text-align: left; overflow-wrap: break-word; } .body th { background: var(--code); }
.body td code { overflow-wrap: anywhere; }
.body details { margin: 0 0 10px; } .body summary { cursor: pointer; color: var(--accent); }
figure.code { border: 1px solid var(--line); border-radius: 6px; overflow: hidden; padding: 0; }
figure.code figcaption { font-size: 12px; color: var(--soft); background: var(--code); padding: 2px 10px;
  border-bottom: 1px solid var(--line); }
figure.code pre { margin: 0; padding: 8px 10px; overflow-x: auto; } figure.code code { background: none; padding: 0; }
.empty { color: var(--soft); font-style: italic; }
.event { color: var(--soft); font-size: 14px; margin: 0 0 18px 17px; padding-left: 22px; position: relative; }
.event::before { content: ""; position: absolute; left: 0; top: 7px; width: 9px; height: 9px; border-radius: 50%;
  background: var(--grey); }
.thread { border: 1px solid var(--line); border-radius: 7px; margin: 0 16px 14px; overflow: hidden; }
.thread > .where { display: flex; gap: 10px; padding: 6px 12px; font-size: 13px; background: var(--code);
  border-bottom: 1px solid var(--line); }
.thread > .where b { font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-weight: 600; overflow-wrap: anywhere; }
.thread > .where .state { margin-left: auto; color: var(--soft); }
.thread .said { border-top: 1px solid var(--line); }
.thread .said > header { display: flex; gap: 8px; align-items: center; padding: 8px 12px 0; font-size: 13px;
  color: var(--soft); } .thread .said > header b { color: var(--text); } .thread .said > header time { margin-left: auto; }
.thread .said .body { padding: 6px 12px 10px; }
table.lines { width: 100%; border-collapse: collapse; font: 13px/1.5 ui-monospace, "DejaVu Sans Mono", monospace; }
table.lines td { padding: 0 10px; white-space: pre-wrap; overflow-wrap: anywhere; vertical-align: top; }
table.lines td.no { width: 48px; min-width: 48px; text-align: right; color: var(--soft); user-select: none; padding: 0 8px; }
table.lines tr.add td { background: var(--add); } table.lines tr.add td.no { background: var(--add-no); }
table.lines tr.del td { background: var(--del); } table.lines tr.del td.no { background: var(--del-no); }
table.lines tr.here td.text { box-shadow: inset 3px 0 0 var(--accent); }
ul.checks, ul.list { list-style: none; margin: 0; padding: 0; }
ul.checks li, ul.list li { display: flex; flex-wrap: wrap; gap: 4px 12px; align-items: center; padding: 9px 16px; }
ul.checks li + li, ul.list li + li { border-top: 1px solid var(--line); }
.soft { color: var(--soft); }
footer { color: var(--soft); font-size: 13px; margin-top: 40px; }
`;
