/** What the scan of a simulator's source finds: in the two real ones, nothing may slip through it. */
import { expect, it } from 'vitest';
import { argument, fields } from './proof/answers.ts';
import { readDocument } from '../sim/shared/proof-document.ts';
import { differences, writeDocument } from './proof/document.ts';
import { readModule } from './proof/modules.ts';
import { type Section, sectionsIn } from './proof/sections.ts';
import type { Simulator } from './proof/ways.ts';

const simulator: Simulator = {
  folder: 'sim',
  vocabulary: {
    refusal: 'Refusal',
    words: ['sim/reply.ts'],
    told: ['replyTo'],
    writes: { log: argument(0) },
    fires: { fire: fields(0, ['event', 'action']) },
  },
  entry: { file: 'sim/server.ts', name: 'answer' },
  routes: { file: 'sim/routes.ts', name: 'routesFor' },
  git: { file: 'sim/git.ts', name: 'serveGit' },
  aside: /\/program\.ts$/,
  readers: ['sim/reader.ts'],
};

const FILES = {
  'sim/reply.ts': `
    export const json = (status: number, body: unknown) => ({ status, json: body });
    export const empty = (status: number) => ({ status });
    export const notFound = (what: string) => new Refusal(404, { message: \`404 \${what} Not Found\` });`,
  'sim/server.ts': `
    import { json } from './reply.ts';
    import { routesFor } from './routes.ts';
    export const answer = (call) => (routesFor(call) === null ? json(405, { error: 'other method' }) : null);`,
  'sim/git.ts': `export const serveGit = (user) => (user === null ? 401 : 403);`,
  'sim/reader.ts': `
    const Account = z.object({ id: Id });
    const NotePayload = z.object({ sender: Account.nullish(), note: z.object({ id: Id }).nullish() });
    const read = (headers) => readHeader(headers, 'x-event');`,
  'sim/things.ts': `
    import { notFound } from './reply.ts';
    const limit = 3;
    export const find = (name) => { if (name === '') throw notFound('Thing'); return name; };
    export const save = (thing, closed) => {
      if (thing.length > limit) throw new Refusal(400, { error: \`longer than \${limit}, not \${thing.name}\` });
      const action = closed ? 'closed' : 'opened';
      log('thing.save');
      fire({ event: 'thing', action });
    };`,
  'sim/routes.ts': `
    import { empty, json } from './reply.ts';
    import { find, save } from './things.ts';
    const at = (path) => \`/things\${path}\`;
    const thingJson = (thing) => ({ id: thing.id, owner: thing.owner === null ? null : thing.owner.id });
    const list = (call) => json(200, call.things.map((thing) => thingJson(thing)));
    const add = (call) => { save(find(call.name), call.closed); return json(201, thingJson(call)); };
    const remove = (call) => { find(call.name); return empty(204); };
    const each = (owner) => [{ method: 'GET', path: owner + '/limit', handle: (call) => json(200, { limit: call.limit }) }];
    const places = ['/a', '/b'];
    const things = [
      { method: 'GET', path: at(''), handle: list },
      { method: 'POST', path: at(''), handle: add },
      { method: 'DELETE', path: at('/{id}'), handle: remove },
    ];
    export const routesFor = (traits) => [...things, ...(traits.few ? [] : places.flatMap((place) => each(place)))];`,
};

const sectionsFrom = (change: Partial<typeof FILES> = {}): readonly Section[] =>
  sectionsIn(
    new Map(Object.entries({ ...FILES, ...change }).map(([file, text]) => [file, readModule(file, text)])),
    simulator,
  );

const rowsOf = (sections: readonly Section[], heading: string): readonly string[] | undefined =>
  sections.find((section) => section.heading === heading)?.rows;

it('finds each route with its own answers, and shared steps once', () => {
  expect(sectionsFrom().filter(({ rows, passes }) => rows.length + passes.length > 0)).toEqual([
    { heading: 'Every request', passes: [], rows: ['405 error: other method'] },
    { heading: 'GET /things', passes: [], rows: ['200 thing[]'] },
    {
      heading: 'POST /things',
      passes: ['Step find in things.ts'],
      rows: [
        '201 thing',
        '400 error: longer than 3, not …',
        'webhook thing closed',
        'webhook thing opened',
        'writes thing.save',
      ],
    },
    { heading: 'DELETE /things/{id}', passes: ['Step find in things.ts'], rows: ['204 without a body'] },
    { heading: 'GET /a/limit', passes: [], rows: ['200 {limit}'] },
    { heading: 'GET /b/limit', passes: [], rows: ['200 {limit}'] },
    { heading: 'Step find in things.ts', passes: [], rows: ['404 message: 404 Thing Not Found'] },
    { heading: 'Git over HTTP', passes: [], rows: ['200 what git says', '401', '403'] },
    { heading: 'Bodies', passes: [], rows: ['thingJson', 'thingJson by thing.owner === null'] },
    { heading: 'Webhooks', passes: [], rows: ['thing closed', 'thing opened'] },
    { heading: 'Fields of webhooks that Fixpoint reads', passes: [], rows: ['note: note.id', 'note: sender.id'] },
    { heading: 'Headers of webhooks that Fixpoint reads', passes: [], rows: ['x-event'] },
  ]);
});

it.each([
  [
    'a refusal behind a call',
    "if (name.length > 9) throw new Refusal(422, { error: 'too long' });",
    '422 error: too long',
  ],
  [
    'a refusal inside of a callback',
    "name.forEach(() => { throw notFound('Part'); });",
    '404 message: 404 Part Not Found',
  ],
  ['one of two texts', "throw new Refusal(409, { message: name ? 'yes' : 'no' });", '409 message: no'],
  ['another write', "log('thing.find');", 'writes thing.find'],
])('finds %s', (_, line, row) => {
  const things = FILES['sim/things.ts'].replace("if (name === '')", `${line} if (name === '')`);
  expect(rowsOf(sectionsFrom({ 'sim/things.ts': things }), 'Step find in things.ts')).toContain(row);
});

it('reads a function that is told what to answer where it is called', () => {
  const things = FILES['sim/things.ts']
    .replace('import { notFound }', 'import { json, notFound }')
    .replace(
      'export const find',
      'const replyTo = (what, shown, status = 201) => { return json(status, shown(what)); };\n export const find',
    )
    .replace(
      "if (name === '')",
      "replyTo(name, (one) => nameJson(one), 202); replyTo(name, (one) => ({ one })); if (name === '')",
    );
  expect(rowsOf(sectionsFrom({ 'sim/things.ts': things }), 'Step find in things.ts')).toEqual([
    '201 {one}',
    '202 name',
    '404 message: 404 Thing Not Found',
  ]);
});

it('refuses a write whose kind the source does not tell', () => {
  const things = FILES['sim/things.ts'].replace("log('thing.save')", 'log(thing.kind)');
  expect(() => sectionsFrom({ 'sim/things.ts': things })).toThrow('write the name out');
});

it.each([
  ['a refusal', 'throw new Refusal(name.status ?? name.code, {});'],
  ['a reply', 'json(name.code, {});'],
])('refuses %s whose status the source does not tell', (_, line) => {
  const things = FILES['sim/things.ts']
    .replace('import { notFound }', 'import { json, notFound }')
    .replace("if (name === '')", `${line} if (name === '')`);
  expect(() => sectionsFrom({ 'sim/things.ts': things })).toThrow('write the number out');
});

const document = (text: string) => readDocument(`# Proof\n\n| Answer | Forge |\n\n${text}`);

it('names the row that is missing, the one that is not answered any more, and the step that moved', () => {
  const proved = document(
    '## GET /a\n\nPasses: Step old in x.ts\n\n| `200 thing` | source a.rb:1 x |\n| `410 gone` | docs x |\n',
  );
  const sections = [{ heading: 'GET /a', passes: ['Step find in x.ts'], rows: ['200 thing', '404 none'] }];
  expect(differences(proved, sections, 'PROOF.md')).toEqual([
    'PROOF.md: add the row `404 none` under "## GET /a", with the proof that the forge answers so',
    'PROOF.md: take out the row `410 gone` under "## GET /a": the simulator has no such answer there',
    'PROOF.md: under "## GET /a" write "Passes: Step find in x.ts"',
  ]);
});

it('keeps proofs when it writes, also of a row that moved, and calls new rows assumed', () => {
  const proved = document('## GET /a\n\n| `200 thing` | source a.rb:1 x \\| y |\n| `404 none` | docs x |\n');
  const sections = [
    { heading: 'GET /a', passes: [], rows: ['200 thing', '500 new'] },
    { heading: 'Step find in x.ts', passes: [], rows: ['404 none'] },
  ];
  const written = readDocument(writeDocument(proved, sections));
  expect(differences(written, sections, 'PROOF.md')).toEqual([]);
  expect(written.entries.flatMap(({ rows }) => [...rows])).toEqual([
    ['200 thing', ['source a.rb:1 x | y']],
    ['500 new', ['assumed: not looked up yet']],
    ['404 none', ['docs x']],
  ]);
});
