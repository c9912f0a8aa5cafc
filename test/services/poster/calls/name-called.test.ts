/** Who is called by what is about to be written: found once per part, kept for a retry, and never worth a failure. */
import { pino } from 'pino';
import { beforeEach, describe, expect, it } from 'vitest';
import type { CallForge, CallSettings } from '../../../../services/poster/calls/call-forge.ts';
import { nameCalled } from '../../../../services/poster/calls/name-called.ts';
import { ForgeRequestError } from '../../../../shared/forge/errors.ts';
import type { FileText, NameOwner } from '../../../../shared/forge/port-owners.ts';
import { DIALECTS } from '../../../../shared/forge/kinds/forge-kind.ts';
import type { ChangeRequestFacts } from '../../../../shared/forge/port-facts.ts';
import type { Difference } from '../../../../shared/rounds/plan/difference.ts';
import type { PersonCall } from '../../../../shared/rounds/model/posting/post-plan.ts';
import type { MarkerPayload } from '../../../../shared/rounds/model/marker-payload.ts';
import { changeRequest } from '../../../shared/rounds/builders.ts';
import { PAYLOADS } from '../../../shared/text/marker-fixture.ts';
import { createMemoryCalled } from '../calls-fixture.ts';

const BOT_ID = 900;
const AUTHOR = { id: 9, login: 'author' };
const person = (id: number, login: string): NameOwner => ({ kind: 'person', account: { id, login } });

const NAMES: Readonly<Record<string, NameOwner>> = {
  ann: person(1, 'Ann'),
  bob: person(2, 'bob'),
  cid: person(3, 'cid'),
  dan: person(4, 'dan'),
  author: person(AUTHOR.id, 'author'),
  renovate: person(BOT_ID, 'renovate'),
  marked: person(77, 'marked'),
  team: { kind: 'group' },
  'a/one': { kind: 'group' },
  'a/two': { kind: 'group' },
  'a/three': { kind: 'group' },
  'a/four': { kind: 'group' },
  'group/team': { kind: 'group' },
};

const down = (): never => {
  throw new ForgeRequestError({
    code: 'FORGE_UNAVAILABLE',
    message: 'the forge could not be reached',
    disposition: { kind: 'retry' },
    fields: {},
  });
};

const marker = <Kind extends MarkerPayload['kind']>(kind: Kind): Extract<MarkerPayload, { kind: Kind }> => {
  const found = PAYLOADS.find((payload): payload is Extract<MarkerPayload, { kind: Kind }> => payload.kind === kind);
  if (found === undefined) throw new Error('the fixture has one marker of each kind');
  return found;
};

const handoffFor = (calls: PersonCall | undefined): Pick<Difference, 'replies' | 'notices'> => ({
  replies: [],
  notices: [{ marker: marker('handoff'), text: 'x', mention: true, ...(calls === undefined ? {} : { calls }) }],
});

const broken = (): never => {
  throw new TypeError('a mistake in our own code');
};
const fail = (how: 'down' | 'broken'): never => (how === 'down' ? down() : broken());

type Stage = {
  files: Readonly<Record<string, FileText | 'down' | 'broken'>>;
  names: 'known' | 'down';
  marks: 'known' | 'down' | 'broken';
  facts: Partial<ChangeRequestFacts>;
  settings: CallSettings;
};

let stage: Stage;
let asked: string[];
let logged: string[];
let called: ReturnType<typeof createMemoryCalled>;

beforeEach(() => {
  stage = {
    files: {},
    names: 'known',
    marks: 'known',
    facts: {},
    settings: { operators: ['op'], mentionGroups: false },
  };
  asked = [];
  logged = [];
  called = createMemoryCalled();
});

const owned = (content: string): Stage['files'] => ({ CODEOWNERS: { kind: 'text', text: content } });

const forge = (): CallForge => ({
  read: {
    fetchFile: async ({ path, branch }) => {
      asked.push(`${path}@${branch}`);
      const file = stage.files[path] ?? null;
      return file === 'down' || file === 'broken' ? fail(file) : file;
    },
    findName: async (name) => {
      asked.push(name);
      return stage.names === 'down' ? down() : (NAMES[name] ?? null);
    },
  },
  syntax: DIALECTS.gitlab.codeOwners,
  botIds: new Set([BOT_ID]),
  botLogin: 'fixpoint',
  botMarks: { isMarkedBot: async (id) => (stage.marks === 'known' ? id === 77 : fail(stage.marks)) },
});

const name = async (rest: Pick<Difference, 'replies' | 'notices'>, signal = new AbortController().signal) => {
  const log = pino({ level: 'info' }, { write: (line) => void logged.push(String(JSON.parse(line).msg)) });
  const facts = changeRequest({ author: AUTHOR, targetBranch: 'main', ...stage.facts });
  const named = await nameCalled(
    { forge: forge(), settings: stage.settings, facts, log, signal, planId: 'plan', called },
    rest,
  );
  return [...named.values()];
};

const FOR_X = handoffFor({ paths: ['x'] });

describe('who is called', () => {
  it('is the owner, by the name that the forge knows, and no file is looked for after the first', async () => {
    stage.files = owned('* @ann');
    expect(await name(FOR_X)).toEqual([['Ann']]);
    expect(asked).toEqual(['CODEOWNERS@main', 'ann']);
    expect(logged).toEqual(['mentioning a person']);
  });

  it('is three owners at most, and nobody beyond them is looked up', async () => {
    stage.files = owned('* @gone @bob @ann @cid @dan');
    expect(await name(FOR_X)).toEqual([['bob', 'Ann', 'cid']]);
    expect(asked).not.toContain('dan');
  });

  it('is the owner of any of the files, in their order', async () => {
    stage.files = owned('/a @ann\n/b @bob');
    expect(await name(handoffFor({ paths: ['b', 'a', 'c'] }))).toEqual([['bob', 'Ann']]);
  });

  it('is a reviewer or an assignee where no owner is left who is a person and not the author', async () => {
    stage.files = owned('* @gone @renovate @marked @author @team @group/team');
    stage.facts = {
      reviewers: [{ id: BOT_ID, login: 'renovate' }, AUTHOR, { id: 2, login: 'bob' }],
      assignees: [
        { id: 77, login: 'marked' },
        { id: 3, login: 'cid' },
      ],
    };
    expect(await name(FOR_X)).toEqual([['bob', 'cid']]);
  });

  it('is a group where the operator allows it, and no person before it', async () => {
    stage.files = owned('* @gone @team @group/team @group/none');
    stage.settings = { operators: ['op'], mentionGroups: true };
    stage.facts = { reviewers: [{ id: 2, login: 'bob' }] };
    expect(await name(FOR_X)).toEqual([['team', 'group/team']]);
    stage.files = owned('* @team @ann');
    called = createMemoryCalled();
    expect(await name(FOR_X)).toEqual([['Ann']]);
  });

  it('is an operator where nobody owns or reviews, then the author', async () => {
    expect(await name(FOR_X)).toEqual([['op']]);
    called = createMemoryCalled();
    stage.settings = { operators: [], mentionGroups: false };
    expect(await name(FOR_X)).toEqual([['author']]);
  });

  it('is nobody where a bot is the author, and the log says so', async () => {
    stage.settings = { operators: [], mentionGroups: false };
    stage.facts = { author: { id: 77, login: 'marked' } };
    expect(await name(FOR_X)).toEqual([[]]);
    expect(logged).toEqual(['a person must decide, but there is nobody to mention']);
  });

  it('is the operators alone by a comment about the installation', async () => {
    stage.files = owned('* @ann');
    expect(await name(handoffFor(undefined))).toEqual([['op']]);
    called = createMemoryCalled();
    stage.settings = { operators: [], mentionGroups: false };
    expect(await name(handoffFor(undefined))).toEqual([[]]);
    expect(asked).toEqual([]);
  });
});

describe('CODEOWNERS', () => {
  it('is read once for all parts, and not for parts that call nobody', async () => {
    stage.files = owned('/a @ann\n/b @bob');
    const reply = (id: string, path: string) => ({
      reply: { marker: { ...marker('reply'), fp: id.repeat(32) }, text: 'x', calls: { paths: [path] } },
      comment: null,
    });
    const quiet = { reply: { marker: { ...marker('reply'), fp: 'c'.repeat(32) }, text: 'x' }, comment: null };
    expect(await name({ replies: [reply('a', 'a'), reply('b', 'b'), quiet], notices: [] })).toEqual([['Ann'], ['bob']]);
    expect(asked.filter((each) => each.startsWith('CODEOWNERS'))).toHaveLength(1);
    expect(
      await name({ replies: [quiet], notices: [{ marker: marker('notice'), text: 'x', mention: false }] }),
    ).toEqual([]);
  });

  it.each([
    ['is too large', { CODEOWNERS: { kind: 'too_large' } } as const, 'skipped CODEOWNERS: it is too large or not text'],
    ['is not text', { CODEOWNERS: { kind: 'not_text' } } as const, 'skipped CODEOWNERS: it is too large or not text'],
    [
      'cannot be read',
      { CODEOWNERS: 'down' } as const,
      'could not read the code owners; mentioning the next candidates',
    ],
  ])('that %s is left out, and the log says so', async (_what, files, message) => {
    stage.files = { 'docs/CODEOWNERS': { kind: 'text', text: '* @ann' }, ...files };
    expect(await name(FOR_X)).toEqual([['op']]);
    expect(logged).toContain(message);
  });

  it('with lines that cannot be read is read without them, and the log says so', async () => {
    stage.files = owned('[broken\n* @ann');
    expect(await name(FOR_X)).toEqual([['Ann']]);
    expect(logged).toContain('skipped lines of CODEOWNERS');
  });

  it('is left out when the forge does not tell who its names are', async () => {
    stage.files = owned('* @ann');
    stage.names = 'down';
    expect(await name(FOR_X)).toEqual([['op']]);
  });
});

it('a mistake in our own code is not taken for a forge that does not answer', async () => {
  stage.files = { CODEOWNERS: 'broken' };
  await expect(name(FOR_X)).rejects.toThrow(TypeError);
  stage.files = {};
  stage.facts = { reviewers: [{ id: 2, login: 'bob' }] };
  stage.marks = 'broken';
  await expect(name(FOR_X)).rejects.toThrow(TypeError);
});

it('the author is asked about only where nobody else is there, and three groups are looked up at most', async () => {
  stage.facts = { author: { id: 77, login: 'marked' }, reviewers: [{ id: 2, login: 'bob' }] };
  stage.settings = { operators: [], mentionGroups: true };
  expect(await name(FOR_X)).toEqual([['bob']]);
  called = createMemoryCalled();
  stage.facts = { author: { id: 77, login: 'marked' } };
  stage.settings = { operators: ['op'], mentionGroups: true };
  stage.marks = 'broken';
  expect(await name(FOR_X)).toEqual([['op']]);
  called = createMemoryCalled();
  stage.files = owned('* @a/one @a/two @a/three @a/four');
  expect(await name(FOR_X)).toEqual([['a/one', 'a/two', 'a/three']]);
  expect(asked).not.toContain('a/four');
});

it('whoever the forge does not tell a bot from a person counts as a person', async () => {
  stage.files = owned('* @ann');
  stage.marks = 'down';
  expect(await name(FOR_X)).toEqual([['Ann']]);
});

it('a retry calls the same people, whatever has changed since', async () => {
  stage.files = owned('* @ann');
  expect(await name(FOR_X)).toEqual([['Ann']]);
  stage.files = owned('* @bob');
  asked = [];
  expect(await name(FOR_X)).toEqual([['Ann']]);
  expect(asked).toEqual([]);
});

it('a job that is aborted freezes nobody', async () => {
  stage.files = { CODEOWNERS: 'down' };
  const aborted = AbortSignal.abort(new Error('the service shuts down'));
  await expect(name(FOR_X, aborted)).rejects.toThrow('the service shuts down');
  stage.files = owned('* @ann');
  expect(await name(FOR_X)).toEqual([['Ann']]);
});
