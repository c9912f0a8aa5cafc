import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { repeats } from '../../../../shared/rounds/duplicates/repeats.ts';

const TITLE = '`eval` runs text from the request as code';
const BODY =
  'When `formula` comes from a request, anyone who can send one can run code in this process.\n\nParse the formula, and allow only numbers and operators.';
const SAID = [TITLE, BODY];

describe('a text that repeats what was said', () => {
  it.each([
    ['the body, word by word', BODY],
    ['the title alone', TITLE],
    ['one sentence of several', 'Parse the formula, and allow only numbers and operators.'],
    ['other fillers, endings and capitals', 'PARSING the formulas, and then allowing only a number and the operator!'],
    ['another order of sentences, on one line', `Parse the formula, and allow only numbers. ${TITLE}`],
    ['without markup', 'When formula comes from a request, anyone who can send one can run code in this process'],
    ['with white space', `  ${BODY.replaceAll(' ', '  ')}\n\n`],
  ])('is %s', (_name, text) => {
    expect(repeats(text, SAID)).toBe(true);
  });

  it.each([
    ['a new reason', 'The check with `isFormula` runs after `eval`, so the text is run all the same.'],
    ['a known sentence with a new one behind it', `${BODY} The new test does not send a request.`],
    ['the opposite', 'Parse the formula, and do not allow only numbers and operators.'],
    ['a denial', 'The formula no longer comes from a request.'],
    ['a new line number', 'Parse the formula in line 12, and allow only numbers and operators.'],
    ['words of two sentences in one', 'Anyone can allow operators to run code in a process that parses numbers.'],
    ['another name in the code', 'When `template` comes from a request, anyone who can send one can run code.'],
    ['nothing', ''],
    ['nothing but small words', 'It is so.'],
  ])('is not %s', (_name, text) => {
    expect(repeats(text, SAID)).toBe(false);
  });

  it('is any text that was said, and never one before which nothing was said', () => {
    const sentence = fc
      .array(fc.constantFrom('parse', 'formula', 'request', 'never', 'lock', 'index', 'overflow', 'the'), {
        minLength: 1,
      })
      .map((words) => words.join(' '))
      .filter((text) => /[a-z]{4}/.test(text.replaceAll('never', '')));
    fc.assert(
      fc.property(fc.array(sentence, { minLength: 1, maxLength: 5 }), fc.array(sentence), (one, others) => {
        const text = `${one.join('. ')}.`;
        expect(repeats(text, [...others, text])).toBe(true);
        expect(repeats(text, [])).toBe(false);
      }),
    );
  });

  it('counts as new when it is too long to be compared', () => {
    const long = Array.from({ length: 300 }, (_, index) => `Parse formula ${index}.`).join(' ');
    expect(repeats(long, [long])).toBe(false);
  });
});
