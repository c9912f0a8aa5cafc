/** What the programs themselves have printed: `test/fixtures/streams/README.md` says which, and how. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { previewOf, readAgentOutput } from '../../../services/slots/agent/agent-output.ts';
import { parseBeads, parseTasksFile, pickedBead } from '../../../services/slots/task/task.ts';
import { readVerdict } from '../../../services/slots/verdict.ts';

const recorded = (name: string): string =>
  readFileSync(join(import.meta.dirname, '../../fixtures/streams', name), 'utf8');

const DRIFT = {
  verdict: 'drift',
  followUpPrompt: 'Refuse odd numbers in half.ts: half(3) must throw a RangeError.',
} as const;
const PASS = { verdict: 'pass', followUpPrompt: 'half.ts does what the task asks.' } as const;
const FIRST_WORDS = 'I read the changed file.';
const driftWords = `The change leaves { braces } and one gap.\n\n${JSON.stringify(DRIFT)}`;
const passWords = JSON.stringify(PASS);

it.each([
  {
    file: 'claude-drift.jsonl',
    verdict: DRIFT,
    output: {
      said: driftWords,
      lastMessage: driftWords,
      lastWords: driftWords,
      commands: [],
      usage: { inputTokens: 1_800 + 27_597, outputTokens: 42, costUsd: 0.10951875 },
      error: null,
    },
  },
  {
    file: 'claude-pass.jsonl',
    verdict: PASS,
    output: {
      said: `${FIRST_WORDS}\n${passWords}`,
      lastMessage: passWords,
      lastWords: passWords,
      commands: [],
      // The result sums up both calls; what the events before it count would come on top.
      usage: { inputTokens: 1_800 + 29_460 + 27_597, outputTokens: 40, costUsd: 0.1247541 },
      error: null,
    },
  },
  {
    file: 'codex-drift.jsonl',
    verdict: DRIFT,
    output: {
      said: `${FIRST_WORDS}\n${driftWords}`,
      lastMessage: driftWords,
      lastWords: driftWords,
      commands: ["/bin/bash -lc 'cat half.ts'"],
      usage: { inputTokens: 2_700, outputTokens: 66, costUsd: 0 },
      error: null,
    },
  },
  {
    file: 'codex-reconnected.jsonl',
    verdict: DRIFT,
    output: {
      said: driftWords,
      lastMessage: driftWords,
      lastWords: driftWords,
      commands: [],
      usage: { inputTokens: 1_800, outputTokens: 33, costUsd: 0 },
      error: null,
    },
  },
])('$file holds what was said, what it used and the verdict', ({ file, verdict, output }) => {
  const read = readAgentOutput(recorded(file));
  expect(read).toEqual(output);
  expect(readVerdict(read.lastWords)).toEqual({ kind: 'verdict', verdict });
});

it.each([
  ['claude-failed.jsonl', 'Credit balance is too low'],
  [
    'codex-failed.jsonl',
    "Codex ran out of room in the model's context window. Start a new thread or clear earlier history before retrying.",
  ],
])('%s is a failure, in the words of the program, without a verdict', (file, error) => {
  const read = readAgentOutput(recorded(file));
  expect(read.error).toBe(error);
  expect(readVerdict(read.lastWords)).toMatchObject({ kind: 'violation' });
});

it.each([
  ['claude-pass.jsonl', [FIRST_WORDS, passWords]],
  ['codex-drift.jsonl', [FIRST_WORDS, "$ /bin/bash -lc 'cat half.ts'", driftWords]],
])('somebody who watches sees the words of %s once, and no events', (file, shown) => {
  const lines = recorded(file).trimEnd().split('\n');
  expect(lines.map(previewOf).filter((line) => line !== null)).toEqual(shown);
});

const REFUSE = {
  id: 'fx-a1a',
  title: 'Refuse odd numbers in half()',
  description: 'half(3) gives 1.5. It must throw.\n\nAcceptance criteria:\nhalf(3) throws a RangeError; half(4) is 2.',
  status: 'open',
  priority: 'P0',
};
const ROUND = {
  id: 'fx-e4e.1',
  title: 'Round half to even',
  description: 'Acceptance criteria:\n2.5 gives 2',
  status: 'open',
  priority: 'P1',
};

it('what bd calls ready are tasks in its order, but for the epic among them', () => {
  expect(parseBeads(recorded('bd-ready.json'))).toEqual([
    REFUSE,
    ROUND,
    {
      id: 'fx-c3c',
      title: 'Publish the package',
      description: 'Design:\nBy the release script.\n\nNotes:\nAfter the summer.',
      status: 'open',
      priority: 'P3',
    },
  ]);
});

it('what bd calls ready below an epic, in the envelope that it is going to print always, are the same tasks', () => {
  expect(parseBeads(recorded('bd-ready-envelope.json'))).toEqual([ROUND]);
});

it.each(['bd-list.json', 'bd-close.json'])('a file of tasks may hold %s', (file) => {
  expect(parseTasksFile(recorded(file))?.at(0)).toMatchObject({ id: REFUSE.id, description: REFUSE.description });
});

it('a bead is picked by a command as codex prints it, inside of a call of a shell', () => {
  const stdout = recorded('codex-drift.jsonl').replaceAll('cat half.ts', 'bd update --status in_progress fx-e4e.1');
  expect(pickedBead(readAgentOutput(stdout).commands)).toBe('fx-e4e.1');
});
