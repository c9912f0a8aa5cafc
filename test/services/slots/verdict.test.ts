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
    ['in a code block of tildes', `Here:\n~~~\n${PASS}\n~~~\n\n`, pass],
    ['after a code block', `\`\`\`diff\n- a\n+ b\n\`\`\`\n${DRIFT}`, drift],
    ['after a quotation', `> ${PASS}\n\n${DRIFT}\n \n`, drift],
    ['after an earlier one', `${PASS}\nOn second thought:\n${DRIFT}`, drift],
    ['after more than is looked at', `${'x {"a" '.repeat(20_000)}\n${DRIFT}`, drift],
    ['in a code fence', `Here:\n\`\`\`json\n${PASS}\n\`\`\``, pass],
    ['over several lines', '{\n  "verdict": "pass",\n  "followUpPrompt": "fine"\n}', pass],
    ['with other keys', '{"score": 3, "verdict": "pass", "followUpPrompt": "fine", "more": {"a": 1}}', pass],
    ['after code with braces', `function f() { return { a: {} }; }\n${DRIFT}`, drift],
    ['after an open brace in prose', `It lacks a { somewhere.\n${DRIFT}`, drift],
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

describe('F-A11: a verdict is not read', () => {
  const fence = '```';
  it.each([
    ['before more words', `${PASS}\nBut I could not finish.`, 'there is text after the verdict'],
    [
      'before more words in a fence',
      `${fence}json\n${PASS}\n${fence}\nThat is how it would look.`,
      'text after the verdict',
    ],
    ['before a question', `${PASS}?`, 'text after the verdict'],
    ['in an example', `I would answer, for example: ${PASS}`, 'its own line'],
    ['in a block quotation', `The last review said:\n> ${PASS}`, 'its own line'],
    ['in a nested block quotation', `> > ${PASS}\n`, 'its own line'],
    ['in quotation marks', `It ended with "${PASS}"`, 'text after the verdict'],
    ['in quotation marks of its own line', `"\n${PASS}\n"`, 'text after the verdict'],
    ['in inline code', `\`${PASS}\``, 'text after the verdict'],
    ['in inline code that begins before it', `Say \`\n${PASS}\``, 'text after the verdict'],
    ['in a list', `- ${PASS}`, 'its own line'],
    ['in an indented code block', `Say:\n\n    ${PASS}\n`, 'its own line'],
    ['in a tag', `<example>\n${PASS}\n</example>`, 'text after the verdict'],
    ['in a comment', `<!--\n${PASS}\n-->`, 'text after the verdict'],
    ['in a code block with more before it', `${fence}\n$ cat answer.json\n${PASS}\n${fence}`, 'more than the verdict'],
    ['in a code block with more behind it', `${fence}\n${PASS}\nwas the answer\n${fence}`, 'more than the verdict'],
    ['in a code block that is not closed', `${fence}\n$ cat answer.json\n${PASS}`, 'not closed'],
    ['before a code block', `${PASS}\n${fence}\nls\n${fence}`, 'text after the verdict'],
    ['before an object that is none', `${PASS}\n{"files": ["a"]}`, 'text after the verdict'],
    ['within another object', `{"answer": ${PASS}}`, 'not complete JSON'],
    ['before its brackets', `(${PASS})`, 'text after the verdict'],
    [
      'where it is the example of the contract',
      '{"verdict": "pass", "followUpPrompt": "one sentence that summarises the work"}',
      'example',
    ],
    ['where its words are a placeholder', '{"verdict": "pass", "followUpPrompt": "…"}', 'must contain text'],
  ])('%s', (_, text, reason) => {
    const read = readVerdict(text);
    expect(read.kind).toBe('violation');
    expect(read).toMatchObject({ reason: expect.stringContaining(reason) });
  });

  it('with anything but white space behind it, whatever that is', () => {
    const words = fc
      .string({ minLength: 1, maxLength: 40 })
      .filter((text) => text.trim() !== '' && !text.includes('`'));
    fc.assert(
      fc.property(words, (behind) => {
        expect(readVerdict(`${PASS}${behind}`).kind).toBe('violation');
      }),
      { seed: 3, numRuns: 500 },
    );
  });
});

describe('the contract is violated', () => {
  it.each([
    ['by nothing', '', 'printed nothing'],
    ['by white space', ' \n\t ', 'printed nothing'],
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
