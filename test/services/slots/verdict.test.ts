import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readVerdict } from '../../../services/slots/verdict.ts';

const PASS = '{"verdict": "pass", "followUpPrompt": "fine"}';
const DRIFT = '{"verdict": "drift", "followUpPrompt": "handle errors"}';
const pass = { kind: 'verdict', verdict: { verdict: 'pass', followUpPrompt: 'fine' } };
const drift = { kind: 'verdict', verdict: { verdict: 'drift', followUpPrompt: 'handle errors' } };

describe('a verdict is read', () => {
  it.each([
    ['alone', PASS, pass],
    ['drift', DRIFT, drift],
    ['after prose', `I looked at it all.\n${DRIFT}`, drift],
    ['in a code fence', `Here:\n\`\`\`json\n${PASS}\n\`\`\``, pass],
    ['over several lines', '{\n  "verdict": "pass",\n  "followUpPrompt": "fine"\n}', pass],
    ['with other keys', '{"score": 3, "verdict": "pass", "followUpPrompt": "fine", "more": {"a": 1}}', pass],
    ['after code with braces', `function f() { return { a: {} }; }\n${DRIFT}`, drift],
    ['after an open brace in prose', `It lacks a { somewhere.\n${DRIFT}`, drift],
    ['before prose with braces', `${DRIFT}\nThat { is all }.`, drift],
    ['after an object that is none', `{"files": ["a"]}\n${PASS}`, pass],
    ['after the quoted contract', `The contract says ${PASS}, and my answer is:\n${DRIFT}`, drift],
    [
      'with braces and quotation marks inside',
      `{"verdict":"drift","followUpPrompt":"write \\"}{\\" there"}`,
      {
        kind: 'verdict',
        verdict: { verdict: 'drift', followUpPrompt: 'write "}{" there' },
      },
    ],
  ])('%s', (_, text, expected) => {
    expect(readVerdict(text)).toEqual(expected);
  });
});

describe('the contract is violated', () => {
  it.each([
    ['by nothing', '', 'said nothing'],
    ['by white space', ' \n\t ', 'said nothing'],
    ['by prose', 'Looks good to me.', 'no JSON object with a verdict'],
    ['by malformed JSON', '{"verdict": "pass", followUpPrompt: fine}', 'not complete JSON'],
    ['by a cut object', '{"verdict": "drift", "followUpPrompt": "handle', 'not complete JSON'],
    [
      'by a cut object after a quoted whole one',
      `${PASS} but {"verdict": "drift", "followUpP`,
      'last verdict is not complete',
    ],
    ['by another verdict', '{"verdict": "maybe", "followUpPrompt": "x"}', 'verdict:'],
    [
      'by another verdict after a quoted right one',
      `${PASS}\n{"verdict": "reject", "followUpPrompt": "x"}`,
      'verdict:',
    ],
    ['by no verdict', '{"followUpPrompt": "x"}', 'no JSON object with a verdict'],
    ['by null', '{"verdict": null, "followUpPrompt": "x"}', 'verdict:'],
    ['by no follow-up', '{"verdict": "drift"}', 'followUpPrompt:'],
    ['by a follow-up that is no text', '{"verdict": "drift", "followUpPrompt": 3}', 'followUpPrompt:'],
    ['by an empty follow-up', '{"verdict": "drift", "followUpPrompt": ""}', 'must not be empty'],
    ['by a blank follow-up', '{"verdict": "pass", "followUpPrompt": " \\n "}', 'must not be empty'],
    ['by a list', `[${PASS}]`, 'not a list'],
  ])('%s', (_, text, reason) => {
    expect(readVerdict(text)).toEqual({ kind: 'violation', reason: expect.stringContaining(reason) });
  });

  it('never throws, whatever is said', () => {
    const pieces = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      '"',
      '\\',
      ':',
      ',',
      'verdict',
      'pass',
      'x',
      '\n',
      PASS,
      '{"verdict"',
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 60 }), (parts) => {
        expect(['verdict', 'violation']).toContain(readVerdict(parts.join('')).kind);
      }),
      { seed: 1, numRuns: 500 },
    );
  });

  it('takes the last words for the answer, whatever stands before', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 200 }), (preamble) => {
        // A quotation mark that stays open in prose is not the answer's: the answer begins at its own brace.
        expect(readVerdict(`${preamble.replaceAll('"', "'")}\n${DRIFT}`)).toEqual(drift);
      }),
      { seed: 2, numRuns: 500 },
    );
  });
});
